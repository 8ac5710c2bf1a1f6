/**
 * Answers requests for Leases over HTTPS as the API server of Kubernetes writes them on the wire, for tests of requests,
 * answers and failures only. It is no API server: what a real one promises is not tested by it.
 */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Authority } from '../certificates.ts'

interface StoredLease {
  metadata: { name: string; resourceVersion: string; annotations?: Record<string, string> }
  spec?: Record<string, unknown>
}

type Answer = readonly [status: number, body: object]

export class LeaseServer {
  readonly ca: string
  /** Requests as `METHOD path`. */
  readonly requests: string[] = []
  readonly leases = new Map<string, StoredLease>()
  /** The only bearer token that it accepts. */
  token = 'first'
  /** Answers the next request in place of the server. */
  readonly failures: ((request: IncomingMessage, response: ServerResponse) => void)[] = []
  /** The same for the next watch. */
  readonly watchErrors: object[] = []
  private version = 100
  private readonly server: Server
  private readonly watchers = new Set<ServerResponse>()

  private constructor(authority: Authority) {
    this.ca = authority.certificate
    const { certificate, key } = authority.member('api', { addresses: ['127.0.0.1'] })
    this.server = createServer({ cert: certificate, key }, (request, response) => {
      void this.answer(request, response)
    })
  }

  static async open(): Promise<LeaseServer> {
    const made = new LeaseServer(new Authority('kubernetes'))
    await once(made.server.listen(0, '127.0.0.1'), 'listening')
    return made
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await once(this.server.close(), 'close')
  }

  delete(name: string): void {
    const object = this.leases.get(name)!
    this.leases.delete(name)
    this.report('DELETED', object)
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    this.requests.push(`${method} ${url}`)
    const failure = this.failures.shift()
    if (failure !== undefined) return failure(request, response)
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
    if (headers.authorization !== `Bearer ${this.token}`) {
      return reply(response, [401, statusOf(401, 'Unauthorized')])
    }
    const { pathname, searchParams } = new URL(url, this.url)
    if (searchParams.get('watch') === '1') return this.watch(response)
    const name = /\/leases\/(.+)$/u.exec(pathname)?.[1]
    reply(
      response,
      name === undefined && method === 'GET'
        ? this.list(searchParams)
        : this.carryOut(method, name, text),
    )
  }

  private list(query: URLSearchParams): Answer {
    const name = /^metadata\.name=(.*)$/u.exec(query.get('fieldSelector') ?? '')?.[1] ?? ''
    const lease = this.leases.get(name)
    const metadata = { resourceVersion: String(this.version) }
    return [200, { metadata, items: lease === undefined ? [] : [lease] }]
  }

  private carryOut(method: string, name: string | undefined, text: string): Answer {
    const given = method === 'GET' ? undefined : (JSON.parse(text) as StoredLease)
    const key = name ?? given!.metadata.name
    const stored = this.leases.get(key)
    if (method === 'POST' && stored !== undefined) return [409, statusOf(409, 'already exists')]
    if (method !== 'POST' && stored === undefined) return [404, statusOf(404, `"${key}" not found`)]
    if (given === undefined) return [200, stored!]
    if (method === 'PUT' && given.metadata.resourceVersion !== stored!.metadata.resourceVersion) {
      return [409, statusOf(409, 'the object has been modified')]
    }
    this.version += 1
    const lease = {
      ...given,
      metadata: { ...given.metadata, resourceVersion: String(this.version) },
    }
    this.leases.set(key, lease)
    this.report(method === 'POST' ? 'ADDED' : 'MODIFIED', lease)
    return [method === 'POST' ? 201 : 200, lease]
  }

  private watch(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    const error = this.watchErrors.shift()
    if (error !== undefined)
      return void response.end(`${JSON.stringify({ type: 'ERROR', object: error })}\n`)
    this.watchers.add(response)
    response.on('close', () => this.watchers.delete(response))
  }

  private report(type: string, object: StoredLease): void {
    const line = `${JSON.stringify({ type, object })}\n`
    // In two parts, as a network may deliver it.
    for (const watcher of this.watchers) {
      watcher.write(line.slice(0, 40))
      watcher.write(line.slice(40))
    }
  }
}

export function statusOf(code: number, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message }
}

export function reply(response: ServerResponse, [status, body]: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
