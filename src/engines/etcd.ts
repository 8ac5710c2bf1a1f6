/**
 * etcd, through its JSON gateway: no client library. The token is the revision at which the register was
 * written, so that it rises across all keys of the cluster; reads are linearizable.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Json } from '../core/schema.ts'
import {
  bounded,
  EMPTY,
  EngineError,
  failure,
  isSame,
  tokenOf,
  type Claim,
  type Engine,
  type Register,
  type Watcher,
} from './engine.ts'
import { keepWatching } from './resilient-watch.ts'

export interface EtcdOptions {
  /** `http://127.0.0.1:2379`, or several of one cluster. */
  readonly endpoints: string | readonly string[]
  /** PEM texts for https: the authority of the servers, and this client's own certificate. */
  readonly ca?: string | Buffer
  readonly certificate?: string | Buffer
  readonly key?: string | Buffer
  readonly user?: string
  readonly password?: string
  /** What keys begin with. */
  readonly prefix?: string
}

interface Pair {
  readonly key: string
  readonly value?: string
  readonly mod_revision: string
}
interface Header {
  readonly revision: string
}
interface RangeAnswer {
  readonly header: Header
  readonly kvs?: readonly Pair[]
}
interface TxnAnswer {
  readonly header: Header
  readonly succeeded?: boolean
}
interface Body {
  readonly holder: string
  readonly metadata: Json
  readonly offset: number
}

class Etcd implements Engine {
  readonly name = 'etcd'
  private readonly options: EtcdOptions
  private readonly endpoints: readonly URL[]
  private readonly agents: readonly [HttpAgent, HttpsAgent]
  /** Which endpoint answered last. */
  private current = 0
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

  async take(
    group: string,
    from: Register,
    { holder, metadata }: Claim,
    signal: AbortSignal,
  ): Promise<Register | null> {
    const body: Body = { holder, metadata, offset: from.offset }
    const revision = await this.put(group, from, body, signal)
    if (revision === null) return null
    return { ...body, beat: 0, token: tokenOf(this.name, revision, from.offset) }
  }

  async renew(group: string, held: Register, signal: AbortSignal): Promise<boolean> {
    const put = { request_put: { key: encode(this.beatKey(group)), value: encode('beat') } }
    return (await this.compareAnd(group, held, put, signal)).succeeded === true
  }

  watch(group: string, watcher: Watcher, signal: AbortSignal): void {
    let last: Register | null = null
    const tell = (register: Register): void => {
      if (isSame(last, register)) return
      last = register
      watcher.changed(register)
    }
    keepWatching(signal, async (live) => {
      const range = await this.range(group, AbortSignal.any([signal, AbortSignal.timeout(5000)]))
      tell(this.registerOf(group, range))
      live()
      const from = String(Number(range.header.revision) + 1)
      await this.stream(group, from, signal, () => {
        void this.read(group, AbortSignal.any([signal, AbortSignal.timeout(5000)])).then(
          tell,
          () => undefined,
        )
      })
    })
  }

  async reseed(group: string, above: number, signal: AbortSignal): Promise<Register> {
    for (;;) {
      const now = await this.read(group, signal)
      // The revision of the write itself is at least 1: the new token is above.
      const offset = Math.max(now.offset, above)
      const body: Body = { holder: '', metadata: null, offset }
      const revision = await this.put(group, now, body, signal)
      if (revision !== null) {
        return { ...body, beat: 0, token: tokenOf(this.name, revision, offset) }
      }
    }
  }

  close(): Promise<void> {
    for (const agent of this.agents) agent.destroy()
    return Promise.resolve()
  }

  private folder(group: string): string {
    return `${this.options.prefix ?? 'bellwether'}/${encodeURIComponent(group)}/`
  }

  private key(group: string): string {
    return `${this.folder(group)}register`
  }

  private beatKey(group: string): string {
    return `${this.folder(group)}beat`
  }

  /** Both keys, as of one revision. */
  private async range(group: string, signal: AbortSignal): Promise<RangeAnswer> {
    const folder = this.folder(group)
    const end = `${folder.slice(0, -1)}0` // '0' comes after '/'
    const body = { key: encode(folder), range_end: encode(end) }
    return this.call<RangeAnswer>('/v3/kv/range', body, signal)
  }

  private registerOf(group: string, { kvs = [] }: RangeAnswer): Register {
    const find = (key: string): Pair | undefined => kvs.find((pair) => decode(pair.key) === key)
    const register = find(this.key(group))
    if (register === undefined) return EMPTY
    let body: Body
    try {
      body = JSON.parse(decode(register.value ?? '')) as Body
    } catch (cause) {
      throw new EngineError(`etcd: ${this.key(group)} holds something else`, { cause })
    }
    const beat = find(this.beatKey(group))
    return {
      ...body,
      token: tokenOf(this.name, register.mod_revision, body.offset),
      beat: Number(beat?.mod_revision ?? 0),
    }
  }

  private async put(
    group: string,
    from: Register,
    body: Body,
    signal: AbortSignal,
  ): Promise<string | null> {
    const value = encode(JSON.stringify(body))
    const put = { request_put: { key: encode(this.key(group)), value } }
    const { succeeded, header } = await this.compareAnd(group, from, put, signal)
    return succeeded === true ? header.revision : null
  }

  /** Does it while the register is the one that was written at this revision; 0 is none at all. */
  private async compareAnd(
    group: string,
    { token, offset }: Register,
    then: object,
    signal: AbortSignal,
  ): Promise<TxnAnswer> {
    const compare = {
      key: encode(this.key(group)),
      target: 'MOD',
      result: 'EQUAL',
      mod_revision: String(token === 0 ? 0 : token - offset),
    }
    return this.call<TxnAnswer>('/v3/kv/txn', { compare: [compare], success: [then] }, signal)
  }

  // HTTP.

  private async call<T>(path: string, body: object, signal: AbortSignal): Promise<T> {
    return bounded(this.name, signal, async () => {
      if (this.options.user !== undefined && this.token === null) await this.logIn(signal)
      try {
        return await this.attempt<T>(path, body, signal)
      } catch (error) {
        // A token of etcd's own runs out; and its members come and go.
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

  private async post(
    path: string,
    body: object,
    signal: AbortSignal,
    pooled: boolean,
  ): Promise<IncomingMessage> {
    const url = new URL(path, this.endpoints[this.current])
    const secure = url.protocol === 'https:'
    const { ca, certificate, key } = this.options
    const text = JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const headers: Record<string, string | number> = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }
      if (this.token !== null) headers['authorization'] = this.token
      const options = { method: 'POST', headers, signal }
      const sent = secure
        ? httpsRequest(url, {
            ...options,
            ...(pooled ? { agent: this.agents[1] } : { agent: false, ca, cert: certificate, key }),
          })
        : httpRequest(url, { ...options, agent: pooled ? this.agents[0] : false })
      sent.on('response', resolve)
      sent.on('error', (error) => reject(failure(this.name, error)))
      sent.end(text)
    })
  }

  /** Resolves or rejects when the stream ends. Each answer after the first tells of a change. */
  private async stream(
    group: string,
    revision: string,
    signal: AbortSignal,
    changed: () => void,
  ): Promise<void> {
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

export function etcd(options: EtcdOptions | string): Engine {
  return new Etcd(typeof options === 'string' ? { endpoints: options } : options)
}
