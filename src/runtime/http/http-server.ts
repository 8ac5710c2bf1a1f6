/**
 * A member's state over HTTP: read-only for everybody who reaches it, which by default is this machine.
 * The one thing that can be done, stepping down, takes a token.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP, type AddressInfo } from 'node:net'
import type { Json } from '../../core/schema.ts'
import { parseAddress } from '../../transports/address.ts'
import { TransportError } from '../../transports/errors.ts'
import type { Election } from '../election.ts'
import { StepDownError } from '../errors.ts'
import { logEvents, type EventRecord } from './event-log.ts'
import { metricsOf, TermCounts } from './metrics.ts'

export interface HttpOptions {
  /** `host:port`; port 0 chooses one. */
  readonly listen: string
  /** What POST /step-down must bring; a random one unless given. */
  readonly token?: string
}

/** Pages of this machine, such as the lab, may read what every program of it may read. */
const OWN_PAGE = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/u

const MOST_LISTENERS = 32
const LARGEST_BODY = 4096
/** A reader that is this far behind is let go; browsers come back by themselves. */
const MOST_UNREAD = 65_536

export class StatusServer {
  readonly token: string
  private readonly election: Election
  private readonly server: Server
  private readonly host: string
  private readonly tally: TermCounts
  private readonly readers = new Set<ServerResponse>()
  private endJournal: () => void = () => undefined

  private constructor(election: Election, options: HttpOptions, host: string) {
    this.election = election
    this.token = options.token ?? randomBytes(24).toString('base64url')
    this.host = host
    this.tally = new TermCounts(election)
    this.server = createServer({ requestTimeout: 10_000 }, (request, response) => {
      this.route(request, response)
    })
    this.server.maxConnections = 4 * MOST_LISTENERS
    this.server.on('clientError', (_error, socket) => socket.destroy())
  }

  /** Throws TransportError, which says what to do. */
  static async open(election: Election, options: HttpOptions): Promise<StatusServer> {
    const { host, port } = parseAddress(options.listen)
    const server = new StatusServer(election, options, host.includes(':') ? `[${host}]` : host)
    await new Promise<void>((resolve, reject) => {
      server.server.once('error', (cause: NodeJS.ErrnoException) => {
        const why = cause.code === 'EADDRINUSE' ? 'another process listens there' : cause.code
        const sentence = `cannot show this member at ${options.listen}: ${why}: choose another address`
        reject(new TransportError(sentence, { cause }))
      })
      server.server.listen({ host, port }, resolve)
    })
    server.endJournal = logEvents(election, (entry) => server.publish(entry))
    return server
  }

  get address(): string {
    return `${this.host}:${(this.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.endJournal()
    for (const reader of this.readers) reader.end()
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve())
    })
  }

  private route(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url?.split('?')[0] ?? ''
    if (!this.isForMe(request)) return reply(response, 403, { error: 'wrong Host header' })
    if (path === '/step-down' && request.method === 'POST') return void this.act(request, response)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return reply(response, 405, { error: 'read-only' })
    }
    const { origin } = request.headers
    if (origin !== undefined && OWN_PAGE.test(origin)) {
      response.setHeader('access-control-allow-origin', origin)
      response.setHeader('vary', 'origin')
    }
    this.show(path, response)
  }

  private show(path: string, response: ServerResponse): void {
    const { election } = this
    switch (path) {
      case '/status':
        return reply(response, 200, election.status())
      case '/healthz':
        return reply(response, 200, { ok: true })
      case '/readyz': {
        // Able to take part. Who leads is another question: else a rollout waits for itself.
        const ready = election.status().status !== 'off'
        return reply(response, ready ? 200 : 503, { ready })
      }
      case '/leader': {
        const { view } = election
        const leads = election.current !== null
        return reply(response, leads ? 200 : 503, { leads, view: view as unknown as Json })
      }
      case '/metrics':
        response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' })
        return void response.end(metricsOf(election, this.tally))
      case '/events':
        return this.subscribe(response)
      default:
        return reply(response, 404, {
          error: 'there are /status /healthz /readyz /leader /metrics /events',
        })
    }
  }

  private subscribe(response: ServerResponse): void {
    if (this.readers.size >= MOST_LISTENERS) return reply(response, 503, { error: 'too many' })
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(`event: status\ndata: ${JSON.stringify(this.election.status())}\n\n`)
    if (response.req.method === 'HEAD') return void response.end()
    this.readers.add(response)
    response.on('close', () => this.readers.delete(response))
  }

  private publish(entry: EventRecord): void {
    for (const reader of this.readers) {
      if (reader.writableLength > MOST_UNREAD) reader.destroy()
      else reader.write(`event: ${entry.event}\ndata: ${JSON.stringify(entry)}\n\n`)
    }
  }

  /** A page of another origin must not read this through a name that it made point here; an address is no name. */
  private isForMe({ headers }: IncomingMessage): boolean {
    const name = /^(\[[^\]]*\]|[^:]*)/u.exec(headers.host ?? '')?.[1] ?? ''
    return name === 'localhost' || name === this.host || isIP(name.replaceAll(/[[\]]/gu, '')) > 0
  }

  private async act(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.origin !== undefined || !this.isToken(request.headers.authorization)) {
      return reply(response, 401, { error: 'needs the token of this member' })
    }
    const body = await bodyOf(request)
    if (body === undefined) return reply(response, 400, { error: 'the body is no JSON object' })
    try {
      const { to, reason } = body
      await this.election.stepDown({
        ...(typeof to === 'string' ? { to } : {}),
        ...(typeof reason === 'string' ? { reason } : {}),
      })
      reply(response, 200, { ok: true })
    } catch (error) {
      if (error instanceof StepDownError) {
        reply(response, 409, { error: error.message, code: error.code })
      } else reply(response, 500, { error: String(error) })
    }
  }

  private isToken(authorization: string | undefined): boolean {
    const given = Buffer.from(authorization ?? '')
    const wanted = Buffer.from(`Bearer ${this.token}`)
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  }
}

function reply(response: ServerResponse, code: number, body: object): void {
  const text = JSON.stringify(body)
  response.writeHead(code, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(`${text}\n`)
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  let text = ''
  try {
    for await (const chunk of request) {
      text += String(chunk)
      if (text.length > LARGEST_BODY) return undefined
    }
    const body: unknown = text === '' ? {} : JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
