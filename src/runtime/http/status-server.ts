/**
 * Serves status, health, leader, metrics and the event stream of a member over HTTP; a request with the member's token
 * can make it step down.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { isIP, type AddressInfo, type Socket } from 'node:net'
import { splitAddress } from '../../core/address.ts'
import type { Json } from '../../core/schema.ts'
import { parseAddress, showAddress } from '../../transports/address.ts'
import { ListenError } from '../../transports/errors.ts'
import type { Election } from '../handle.ts'
import { observeEvents, type EventRecord } from '../log/event-log.ts'
import { bodyOf, hasToken, reply } from './json-requests.ts'
import { createLimitedServer } from './limited-server.ts'
import { changeAsAsked } from '../membership/asked-change.ts'
import { stepDownAsAsked } from '../visitors.ts'
import { metricsOf, TermCounts } from './metrics.ts'

export interface HttpOptions {
  /** `host:port`; port 0 chooses one. */
  readonly listen: string
  /** The bearer token of POST /step-down; random by default. */
  readonly token?: string
}

/** Pages of this machine, such as the lab, may read what any of its programs can read. */
const LOCAL_ORIGIN = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/u

const MAX_SUBSCRIBERS = 32
/** A subscriber with more unread bytes is disconnected; browsers reconnect by themselves. */
const MAX_UNREAD = 65_536

export class StatusServer implements AsyncDisposable {
  readonly token: string
  private readonly election: Election
  private readonly server: Server
  private readonly host: string
  private readonly counts: TermCounts
  private readonly subscribers = new Set<ServerResponse>()
  /** The sockets of the subscribers. */
  private readonly streams = new WeakSet<Socket>()
  private endLog: () => void = () => undefined

  private constructor(election: Election, options: HttpOptions, host: string) {
    this.election = election
    this.token = options.token ?? randomBytes(24).toString('base64url')
    this.host = host
    this.counts = new TermCounts(election)
    this.server = createLimitedServer(
      (request, response) => this.route(request, response),
      (socket) => this.streams.has(socket),
    )
  }

  /** Throws ListenError, which says what to do. */
  static async open(election: Election, options: HttpOptions): Promise<StatusServer> {
    const { host, port } = parseAddress(options.listen)
    const server = new StatusServer(election, options, host)
    await new Promise<void>((resolve, reject) => {
      server.server.once('error', (cause: NodeJS.ErrnoException) => {
        const why = cause.code === 'EADDRINUSE' ? 'another process listens there' : cause.code
        const sentence = `cannot show this member at ${options.listen}: ${why}: choose another address`
        reject(new ListenError(sentence, { cause }))
      })
      server.server.listen({ host, port }, resolve)
    })
    return server
  }

  get address(): string {
    return showAddress({ host: this.host, port: (this.server.address() as AddressInfo).port })
  }

  async close(): Promise<void> {
    this.endLog()
    for (const subscriber of this.subscribers) subscriber.end()
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve())
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  private route(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url?.split('?')[0] ?? ''
    if (!this.hasOwnHost(request)) return reply(response, 403, { error: 'wrong Host header' })
    if (request.method === 'POST' && path === '/step-down') {
      return void this.ordered(request, response, async (asked) =>
        stepDownAsAsked(this.election, asked),
      )
    }
    if (request.method === 'POST' && path === '/change') {
      return void this.ordered(request, response, async (asked) =>
        changeAsAsked(async (...change) => this.election.change(...change), asked),
      )
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return reply(response, 405, { error: 'read-only' })
    }
    const { origin } = request.headers
    if (origin !== undefined && LOCAL_ORIGIN.test(origin)) {
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
      case '/members':
        return reply(response, 200, { list: election.members })
      case '/healthz':
        return reply(response, 200, { ok: true })
      case '/readyz': {
        // Independent of who leads: otherwise a rollout would wait for itself.
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
        return void response.end(metricsOf(election, this.counts))
      case '/events':
        return this.subscribe(response)
      default:
        return reply(response, 404, {
          error:
            'not found; use /status, /members, /healthz, /readyz, /leader, /metrics or /events',
        })
    }
  }

  private subscribe(response: ServerResponse): void {
    if (this.subscribers.size >= MAX_SUBSCRIBERS)
      return reply(response, 503, { error: 'too many subscribers' })
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(`event: status\ndata: ${JSON.stringify(this.election.status())}\n\n`)
    if (response.req.method === 'HEAD') return void response.end()
    // Nobody pays for records that nobody reads, least of all in an election.
    if (this.subscribers.size === 0) {
      this.endLog = observeEvents(this.election, (record) => this.publish(record))
    }
    this.subscribers.add(response)
    this.streams.add(response.req.socket)
    response.on('close', () => {
      if (this.subscribers.delete(response) && this.subscribers.size === 0) this.endLog()
    })
  }

  private publish(record: EventRecord): void {
    for (const subscriber of this.subscribers) {
      if (subscriber.writableLength > MAX_UNREAD) subscriber.destroy()
      else subscriber.write(`event: ${record.event}\ndata: ${JSON.stringify(record)}\n\n`)
    }
  }

  /** Against DNS rebinding: a page of another origin must not read this through a name of its own. Addresses are safe. */
  private hasOwnHost({ headers }: IncomingMessage): boolean {
    const { host = '' } = splitAddress(headers.host ?? '') ?? {}
    return host === 'localhost' || host === this.host || isIP(host) > 0
  }

  /** Carries out an order of who has the token. */
  private async ordered(
    request: IncomingMessage,
    response: ServerResponse,
    carryOut: (asked: Record<string, unknown>) => Promise<object>,
  ): Promise<void> {
    if (request.headers.origin !== undefined || !hasToken(request, this.token)) {
      return reply(response, 401, { error: 'needs the token of this member' })
    }
    const body = await bodyOf(request)
    if (body === undefined) return reply(response, 400, { error: 'the body must be a JSON object' })
    const outcome = await carryOut(body)
    const isRefused = 'code' in outcome || 'rule' in outcome
    reply(response, 'ok' in outcome ? 200 : isRefused ? 409 : 500, outcome)
  }
}
