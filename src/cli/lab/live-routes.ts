/**
 * Serves the live routes of the lab, for one origin on the loopback interface: the members, a stream of records with
 * their history and, for `up --lab`, requests for faults with a token.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { BellwetherError } from '../../core/errors/bellwether-error.ts'
import { RecordHistory, type NumberedRecord } from '../../live/record-history.ts'
import {
  FAULT_ACTIONS,
  type FaultRequest,
  type Hello,
  type LiveRecord,
} from '../../live/live-record.ts'
import { monotonic } from '../../clock/monotonic.ts'
import { bodyOf, hasToken, reply } from '../../runtime/http/json-requests.ts'
import { letResign } from './nearest-settings.ts'

export interface LiveOptions {
  /** Weakest first. */
  readonly members: readonly string[]
  /** The settings of the simulator that resemble this cluster most. */
  readonly settings: Hello['settings']
  /** Applies a fault, or throws FaultError. Without it the routes are read-only. */
  readonly fault?: (request: FaultRequest) => void
}

export class FaultError extends BellwetherError {
  override readonly name = 'FaultError'
  readonly code = 'live-fault'
}

const MOST_READERS = 16
/** A page with more unread bytes is disconnected; it reconnects by itself. */
const MOST_UNREAD = 4_000_000
/** How often a comment keeps connections alive through proxies. */
const BEAT_MS = 15_000

export class LiveRoutes {
  /** What POST /live/fault must carry. */
  readonly token = randomBytes(24).toString('base64url')
  private readonly session = randomBytes(6).toString('base64url')
  private readonly options: LiveOptions
  private readonly history = new RecordHistory()
  private readonly readers = new Set<ServerResponse>()
  private readonly beat: NodeJS.Timeout
  private readonly resigns: boolean

  constructor(options: LiveOptions) {
    this.options = options
    this.resigns = letResign(options.settings)
    this.beat = setInterval(() => this.write(': keep-alive\n\n'), BEAT_MS)
    this.beat.unref()
  }

  tell(record: LiveRecord): void {
    const numbered = this.history.add(record)
    this.write(this.frame('record', numbered.seq, numbered.record))
  }

  close(): void {
    clearInterval(this.beat)
    for (const reader of this.readers) reader.end()
  }

  readonly route = (path: string, request: IncomingMessage, response: ServerResponse): boolean => {
    if (!path.startsWith('/live/')) return false
    if (path === '/live/fault') void this.fault(request, response)
    else if (request.method !== 'GET') reply(response, 405, { error: 'read-only' })
    else if (path === '/live/members') reply(response, 200, this.hello())
    else if (path === '/live/events') this.subscribe(request, response)
    else reply(response, 404, { error: 'possible: /live/members, /live/events, /live/fault' })
    return true
  }

  private hello(): Hello {
    const { members, settings, fault } = this.options
    return {
      session: this.session,
      members,
      nowMs: monotonic.now(),
      wallMs: Date.now(),
      faults: fault !== undefined,
      settings,
      resigns: this.resigns,
    }
  }

  /** A page that reconnects names its last record and receives what came after. */
  private subscribe({ headers }: IncomingMessage, response: ServerResponse): void {
    if (this.readers.size >= MOST_READERS) {
      return reply(response, 503, { error: `${MOST_READERS} pages are connected already` })
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    const [session, seq] = String(headers['last-event-id'] ?? '').split(':')
    const known = session === this.session ? Number(seq) || 0 : 0
    const past = this.history.since(known).map(({ record }: NumberedRecord) => record)
    response.write(
      `event: hello\ndata: ${JSON.stringify(this.hello())}\n\n` +
        this.frame('history', this.history.latest, past),
    )
    this.readers.add(response)
    response.on('close', () => this.readers.delete(response))
  }

  private frame(event: string, seq: number, data: unknown): string {
    return `id: ${this.session}:${seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  }

  private write(text: string): void {
    for (const reader of this.readers) {
      if (reader.writableLength > MOST_UNREAD) reader.destroy()
      else reader.write(text)
    }
  }

  private async fault(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { fault } = this.options
    if (fault === undefined) return reply(response, 404, { error: 'only `up --lab` takes faults' })
    if (request.method !== 'POST') return reply(response, 405, { error: 'use POST' })
    if (!isSameOrigin(request))
      return reply(response, 403, { error: 'pages of other origins are refused' })
    if (!hasToken(request, this.token)) {
      return reply(response, 401, { error: 'needs the token that `up --lab` printed' })
    }
    const wanted = faultOf(await bodyOf(request))
    if (wanted === null) {
      return reply(response, 400, { error: `action must be one of ${FAULT_ACTIONS.join(', ')}` })
    }
    try {
      fault(wanted)
      reply(response, 200, { ok: true })
    } catch (error) {
      if (!(error instanceof FaultError)) throw error
      reply(response, 409, { error: error.message })
    }
  }
}

/** Browsers send an origin; programs that have the token do not. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers
  return origin === undefined || origin === `http://${host}`
}

function faultOf(body: Record<string, unknown> = {}): FaultRequest | null {
  const { action, node, peer } = body
  const known = FAULT_ACTIONS.find((one) => one === action)
  if (known === undefined) return null
  return {
    action: known,
    ...(typeof node === 'string' ? { node } : {}),
    ...(typeof peer === 'string' ? { peer } : {}),
  }
}
