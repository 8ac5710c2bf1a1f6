/**
 * Serves status, health, leader, metrics and the event stream of a member over HTTP, or of a node's members by their groups;
 * a request with the server's token can make a member step down.
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
import type { ElectionNode } from '../node.ts'
import { metricsOf } from './metrics.ts'
import { ServedGroups } from './served-groups.ts'

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

interface Subscribers {
  readonly responses: Set<ServerResponse>
  /** Ends the observation of the events. */
  readonly end: () => void
}

export class StatusServer implements AsyncDisposable {
  readonly token: string
  private readonly groups: ServedGroups
  private readonly server: Server
  private readonly host: string
  /** Of the events of each group. */
  private readonly subscribers = new Map<Election, Subscribers>()
  /** The sockets of the subscribers. */
  private readonly streams = new WeakSet<Socket>()

  private constructor(source: Election | ElectionNode, options: HttpOptions, host: string) {
    this.groups = new ServedGroups(source)
    this.token = options.token ?? randomBytes(24).toString('base64url')
    this.host = host
    this.server = createLimitedServer(
      (request, response) => this.route(request, response),
      (socket) => this.streams.has(socket),
    )
    // It shows the election, which holds the process while it is open: a process that has left ends.
    this.server.unref()
    this.server.on('connection', (socket: Socket) => socket.unref())
  }

  /** Throws ListenError, which says what to do. */
  static async open(source: Election | ElectionNode, options: HttpOptions): Promise<StatusServer> {
    const { host, port } = parseAddress(options.listen)
    const server = new StatusServer(source, options, host)
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
    for (const { responses, end } of this.subscribers.values()) {
      end()
      for (const response of responses) response.end()
    }
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve())
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  private route(request: IncomingMessage, response: ServerResponse): void {
    const [path, query] = (request.url ?? '').split('?')
    const group = new URLSearchParams(query).get('group')
    if (!this.hasOwnHost(request)) return reply(response, 403, { error: 'wrong Host header' })
    if (request.method === 'POST' && path === '/step-down') {
      return void this.ordered(request, response, group, stepDownAsAsked)
    }
    if (request.method === 'POST' && path === '/change') {
      return void this.ordered(request, response, group, async (election, asked) =>
        changeAsAsked(async (...change) => election.change(...change), asked),
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
    this.show(path, group, response)
  }

  private show(path: string, group: string | null, response: ServerResponse): void {
    switch (path) {
      case '/healthz':
        return reply(response, 200, { ok: true })
      case '/readyz': {
        // Independent of who leads: otherwise a rollout would wait for itself.
        const ready = this.groups.all.every(({ election }) => election.status().status !== 'off')
        return reply(response, ready ? 200 : 503, { ready })
      }
      case '/metrics':
        response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' })
        return void response.end(metricsOf(this.groups.all))
      case '/status':
      case '/members':
      case '/leader':
      case '/events': {
        const member = this.groups.find(group)
        if (member === undefined) return reply(response, 404, this.noSuchGroup(group))
        return this.showMember(path, member.election, response)
      }
      default:
        return reply(response, 404, {
          error:
            'not found; use /status, /members, /healthz, /readyz, /leader, /metrics or /events',
        })
    }
  }

  private showMember(path: string, election: Election, response: ServerResponse): void {
    switch (path) {
      case '/status':
        return reply(response, 200, election.status())
      case '/members':
        return reply(response, 200, { list: election.members })
      case '/leader': {
        const { view } = election
        const leads = election.current !== null
        return reply(response, leads ? 200 : 503, { leads, view: view as unknown as Json })
      }
      default:
        return this.subscribe(election, response)
    }
  }

  private noSuchGroup(group: string | null): { error: string; groups?: string[] } {
    const groups = this.groups.all.map(({ election }) => election.group).toSorted()
    if (group !== null) return { error: `this process has not joined group "${group}"` }
    return { error: `this process serves ${groups.length} groups: name one with ?group=`, groups }
  }

  private subscribe(election: Election, response: ServerResponse): void {
    const all = [...this.subscribers.values()]
    if (all.reduce((sum, { responses }) => sum + responses.size, 0) >= MAX_SUBSCRIBERS)
      return reply(response, 503, { error: 'too many subscribers' })
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(`event: status\ndata: ${JSON.stringify(election.status())}\n\n`)
    if (response.req.method === 'HEAD') return void response.end()
    // Nobody pays for records that nobody reads, least of all in an election.
    const subscribers = this.subscribers.get(election) ?? this.observe(election)
    subscribers.responses.add(response)
    this.streams.add(response.req.socket)
    response.on('close', () => {
      subscribers.responses.delete(response)
      if (subscribers.responses.size > 0 || this.subscribers.get(election) !== subscribers) return
      subscribers.end()
      this.subscribers.delete(election)
    })
  }

  private observe(election: Election): Subscribers {
    const responses = new Set<ServerResponse>()
    const end = observeEvents(election, (record) => publish(record, responses))
    const subscribers = { responses, end }
    this.subscribers.set(election, subscribers)
    return subscribers
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
    group: string | null,
    carryOut: (election: Election, asked: Record<string, unknown>) => Promise<object>,
  ): Promise<void> {
    if (request.headers.origin !== undefined || !hasToken(request, this.token)) {
      return reply(response, 401, { error: 'needs the token of this member' })
    }
    const body = await bodyOf(request)
    if (body === undefined) return reply(response, 400, { error: 'the body must be a JSON object' })
    const member = this.groups.find(group)
    if (member === undefined) return reply(response, 404, this.noSuchGroup(group))
    const outcome = await carryOut(member.election, body)
    const isRefused = 'code' in outcome || 'rule' in outcome
    reply(response, 'ok' in outcome ? 200 : isRefused ? 409 : 500, outcome)
  }
}

function publish(record: EventRecord, responses: Iterable<ServerResponse>): void {
  for (const response of responses) {
    if (response.writableLength > MAX_UNREAD) response.destroy()
    else response.write(`event: ${record.event}\ndata: ${JSON.stringify(record)}\n\n`)
  }
}
