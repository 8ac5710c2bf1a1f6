/**
 * The engine etcd: reads, takes, renews, watches and reseeds registers through its JSON gateway, without a client
 * package. The token is the revision at which the register was written, which rises across all keys of the cluster;
 * reads are linearizable.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import {
  engineOptions,
  bounded,
  EMPTY,
  EngineError,
  failure,
  type Claim,
  type Engine,
  type Register,
  type Watcher,
} from './engine.ts'
import { keepWatching } from './connections.ts'
import {
  parseBody,
  registerAt,
  reseedAbove,
  revisionOf,
  type RegisterBody,
} from './revision-register.ts'

export interface EtcdOptions {
  /** `http://127.0.0.1:2379`, or several of one cluster. */
  readonly endpoints: string | readonly string[]
  /** PEM texts for https: the authority of the servers, and this client's own certificate. */
  readonly ca?: string | Buffer
  readonly certificate?: string | Buffer
  readonly key?: string | Buffer
  readonly user?: string
  readonly password?: string
  readonly prefix?: string
}

interface Pair {
  readonly key: string
  readonly value?: string
  readonly mod_revision: string
}
interface Answer {
  readonly header: { readonly revision: string }
  readonly kvs?: readonly Pair[]
  readonly succeeded?: boolean
}

class Etcd implements Engine {
  readonly name = 'etcd'
  private readonly options: EtcdOptions
  private readonly endpoints: readonly URL[]
  private readonly agents: readonly [HttpAgent, HttpsAgent]
  /** The endpoint that answered last. */
  private current = 0
  /** The authentication token. */
  private token: string | null = null

  constructor(options: EtcdOptions) {
    this.options = options
    const { endpoints, ca, certificate, key } = options
    this.endpoints = [endpoints].flat().map((endpoint) => new URL(endpoint))
    const tls = { ca, cert: certificate, key }
    const pool = { keepAlive: true, maxSockets: 4 }
    this.agents = [new HttpAgent(pool), new HttpsAgent({ ...pool, ...tls })]
  }

  async load(): Promise<void> {}

  async read(group: string, signal: AbortSignal): Promise<Register> {
    return this.registerOf(group, await this.range(group, signal))
  }

  async take(group: string, from: Register, claim: Claim, signal: AbortSignal) {
    return this.put(group, from, { ...claim, offset: from.offset }, signal)
  }

  async renew(group: string, held: Register, signal: AbortSignal): Promise<boolean> {
    const put = { request_put: { key: encode(this.key(group, 'beat')), value: encode('beat') } }
    return (await this.compareAnd(group, held, put, signal)).succeeded === true
  }

  watch(group: string, watcher: Watcher, signal: AbortSignal): void {
    const limited = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(5000)])
    keepWatching(watcher, signal, async (report, connected) => {
      const range = await this.range(group, limited())
      report(this.registerOf(group, range))
      connected()
      const from = String(Number(range.header.revision) + 1)
      await this.stream(group, from, signal, () => {
        void this.read(group, limited()).then(report, () => undefined)
      })
    })
  }

  async reseed(group: string, above: number, signal: AbortSignal): Promise<Register> {
    return reseedAbove(
      this.name,
      above,
      async () => this.read(group, signal),
      async (from, body) => this.put(group, from, body, signal),
    )
  }

  close(): Promise<void> {
    for (const agent of this.agents) agent.destroy()
    return Promise.resolve()
  }

  private key(group: string, name: '' | 'beat' | 'register' = 'register'): string {
    return `${this.options.prefix ?? 'bellwether'}/${encodeURIComponent(group)}/${name}`
  }

  /** Both keys, as of one revision. */
  private async range(group: string, signal: AbortSignal): Promise<Answer> {
    const folder = this.key(group, '')
    const end = `${folder.slice(0, -1)}0` // '0' comes after '/'
    const body = { key: encode(folder), range_end: encode(end) }
    return this.call<Answer>('/v3/kv/range', body, signal)
  }

  private registerOf(group: string, { kvs = [] }: Answer): Register {
    const find = (key: string): Pair | undefined => kvs.find((pair) => decode(pair.key) === key)
    const register = find(this.key(group))
    if (register === undefined) return EMPTY
    const body = parseBody(this.name, this.key(group), decode(register.value ?? ''))
    const beat = Number(find(this.key(group, 'beat'))?.mod_revision ?? 0)
    return { ...registerAt(this.name, body, register.mod_revision), beat }
  }

  private async put(group: string, from: Register, body: RegisterBody, signal: AbortSignal) {
    const value = encode(JSON.stringify(body))
    const put = { request_put: { key: encode(this.key(group)), value } }
    const { succeeded, header } = await this.compareAnd(group, from, put, signal)
    return succeeded === true ? registerAt(this.name, body, header.revision) : null
  }

  /** Carries out `then` if the register is still the one that was read. */
  private async compareAnd(group: string, from: Register, then: object, signal: AbortSignal) {
    const compare = {
      key: encode(this.key(group)),
      target: 'MOD',
      result: 'EQUAL',
      mod_revision: String(revisionOf(from)),
    }
    return this.call<Answer>('/v3/kv/txn', { compare: [compare], success: [then] }, signal)
  }

  private async call<T>(path: string, body: object, signal: AbortSignal): Promise<T> {
    return bounded(this.name, signal, async () => {
      if (this.options.user !== undefined && this.token === null) await this.logIn(signal)
      try {
        return await this.attempt<T>(path, body, signal)
      } catch (error) {
        // An authentication token expires; and an endpoint may be down.
        if (error instanceof EngineError && /auth token|\b401\b/u.test(error.message)) {
          this.token = null
          if (this.options.user !== undefined) await this.logIn(signal)
        } else if (this.endpoints.length === 1) throw error
        else this.current = (this.current + 1) % this.endpoints.length
        return this.attempt<T>(path, body, signal)
      }
    })
  }

  private async logIn(signal: AbortSignal): Promise<void> {
    const { user, password = '' } = this.options
    const body = { name: user, password }
    const { token } = await this.attempt<{ token: string }>('/v3/auth/authenticate', body, signal)
    this.token = token
  }

  private async attempt<T>(path: string, body: object, signal: AbortSignal): Promise<T> {
    const response = await this.post(path, body, signal, true)
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
    if (response.statusCode === 200) return JSON.parse(text) as T
    throw new EngineError(`etcd: ${response.statusCode} ${text.slice(0, 200).trim()}`)
  }

  private async post(path: string, body: object, signal: AbortSignal, pooled: boolean) {
    const url = new URL(path, this.endpoints[this.current])
    const secure = url.protocol === 'https:'
    const { ca, certificate, key } = this.options
    const text = JSON.stringify(body)
    return new Promise<IncomingMessage>((resolve, reject) => {
      const headers: Record<string, string | number> = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }
      if (this.token !== null) headers['authorization'] = this.token
      const options = { method: 'POST', headers, signal }
      const agent = pooled && this.agents[secure ? 1 : 0]
      const sent = secure
        ? httpsRequest(url, { ...options, agent, ca, cert: certificate, key })
        : httpRequest(url, { ...options, agent })
      sent.on('response', resolve)
      sent.on('error', (error) => reject(failure(this.name, error)))
      sent.end(text)
    })
  }

  /** Resolves or rejects when the stream ends. */
  private async stream(group: string, revision: string, signal: AbortSignal, changed: () => void) {
    const create = { key: encode(this.key(group)), start_revision: revision }
    const response = await this.post('/v3/watch', { create_request: create }, signal, false)
    let rest = ''
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = `${rest}${String(chunk)}`.split('\n')
      rest = lines.pop() ?? ''
      if (lines.some((line) => line.includes('"events"'))) changed()
      if (lines.some((line) => line.includes('"canceled":true'))) return
    }
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString()
}

const OPTIONS = ['endpoints', 'ca', 'certificate', 'key', 'user', 'password', 'prefix'] as const

export function etcd(options: EtcdOptions | string): Engine {
  return new Etcd(engineOptions('etcd', options, OPTIONS))
}
