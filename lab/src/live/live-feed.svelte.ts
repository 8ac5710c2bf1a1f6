/** A running cluster, as it is told to the page: by the server that the page came from, or by its members. */
import { splitAddress } from '../../../src/core/address.ts'
import { followMember } from '../../../src/live/follow-member.ts'
import { incidentSettings } from '../../../src/live/incident-settings.ts'
import type { FaultRequest, Hello, LiveRecord } from '../../../src/live/live-record.ts'
import {
  Timeline,
  type Period,
  type GroupSnapshot,
  type TimelineSummary,
} from '../../../src/live/timeline.ts'
import { linkOf } from '../run/run-link.ts'

export interface MemberAddress {
  readonly name: string
  readonly base: string
}

type Connection = 'none' | 'connecting' | 'open' | 'lost'

/** How often the clock moves while nothing is told. */
const TICK_MS = 100
const STILL_TICK_MS = 1000
const TOKEN = 'bellwether-live-token'

export class LiveFeed {
  connection = $state<Connection>('connecting')
  hello = $state.raw<Hello | null>(null)
  /** Grows with what is told; `events` only where it is no mere sample. */
  version = $state(0)
  events = $state(0)
  /** The monotonic clock of the cluster's machine. */
  now = $state(0)
  /** The moment that is looked at; null: now. */
  at = $state<number | null>(null)
  error = $state('')
  token = $state<string | null>(null)

  timeline = new Timeline([])
  private offsetMs = 0
  private readonly gone = new AbortController()
  private asked = false
  private eventful = true

  readonly summary: TimelineSummary = $derived.by(() => {
    void this.events
    return this.timeline.summary()
  })

  /** How all stood at the moment that is looked at. */
  readonly shown: GroupSnapshot = $derived.by(() => {
    void this.version
    return this.timeline.at(this.at ?? this.now)
  })

  get names(): readonly string[] {
    return this.hello?.members ?? []
  }

  get canInjectFaults(): boolean {
    return this.hello?.faults === true && this.token !== null
  }

  /** The time of day of a moment. */
  wall(at: number): Date {
    const { hello } = this
    return new Date(hello === null ? 0 : hello.wallMs + at - hello.nowMs)
  }

  /** Keeps the token for this tab; it must not stay in an address that people copy. */
  keepToken(given: string | null): void {
    try {
      if (given !== null) sessionStorage.setItem(TOKEN, given)
      this.token = given ?? sessionStorage.getItem(TOKEN)
    } catch {
      this.token = given
    }
  }

  open(members: readonly MemberAddress[], still: boolean): () => void {
    if (members.length > 0) this.followMembers(members)
    else void this.followServer()
    const timer = setInterval(() => this.tick(), still ? STILL_TICK_MS : TICK_MS)
    return () => {
      clearInterval(timer)
      this.gone.abort()
    }
  }

  async injectFault(request: FaultRequest): Promise<boolean> {
    const response = await fetch('live/fault', {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    }).catch(() => null)
    if (response?.ok === true) this.error = ''
    else if (response === null) this.error = 'the server does not answer'
    else this.error = ((await response.json()) as { error: string }).error
    return response?.ok === true
  }

  /** The incident as a run of the simulator. */
  incidentLink(band: Period): string {
    const { settings, atMs } = incidentSettings(
      band,
      this.summary.marks,
      this.names,
      this.hello?.settings ?? [],
      this.hello?.resigns ?? false,
    )
    return linkOf(settings, [['at', `${Math.max(0, atMs - 5)}ms`]])
  }

  private tick(): void {
    if (this.hello !== null) this.now = performance.now() + this.offsetMs
  }

  private greet(hello: Hello): void {
    if (this.hello?.session !== hello.session) {
      this.timeline = new Timeline(hello.members)
      this.at = null
      this.events += 1
    }
    this.offsetMs = hello.nowMs - performance.now()
    this.hello = hello
    this.connection = 'open'
    this.tick()
  }

  /** Many records may come at once: the page is drawn once for all of them. */
  private tell(record: LiveRecord): void {
    this.timeline.add(record)
    if (record.kind !== 'sample') this.eventful = true
    if (this.asked) return
    this.asked = true
    requestAnimationFrame(() => {
      this.asked = false
      this.tick()
      this.version += 1
      if (this.eventful) this.events += 1
      this.eventful = false
    })
  }

  private async followServer(): Promise<void> {
    const found = await fetch('live/members').catch(() => null)
    const isLive = found?.headers.get('content-type')?.includes('json') === true && found.ok
    if (!isLive || this.gone.signal.aborted) {
      this.connection = 'none'
      return
    }
    const stream = new EventSource('live/events')
    this.gone.signal.addEventListener('abort', () => stream.close())
    stream.addEventListener('hello', ({ data }) => this.greet(JSON.parse(String(data)) as Hello))
    stream.addEventListener('history', ({ data }) => {
      for (const record of JSON.parse(String(data)) as LiveRecord[]) this.tell(record)
    })
    stream.addEventListener('record', ({ data }) => {
      this.tell(JSON.parse(String(data)) as LiveRecord)
    })
    stream.addEventListener('error', () => (this.connection = 'lost'))
  }

  private followMembers(members: readonly MemberAddress[]): void {
    const nowMs = performance.now()
    this.greet({
      session: 'page',
      members: members.map(({ name }) => name),
      nowMs,
      wallMs: Date.now(),
      faults: false,
      settings: [['algorithm', 'bully-fd-quorum']],
      resigns: true,
    })
    for (const { name, base } of members) {
      followMember({
        node: name,
        base,
        now: () => performance.now(),
        tell: (record) => this.tell(record),
        signal: this.gone.signal,
        sameClock: false,
      })
    }
  }
}

/** `a=127.0.0.1:7401, b=…`; names may be left out. Throws a sentence. */
export function parseMembers(text: string): MemberAddress[] {
  const parts = text.split(/[\s,]+/u).filter((part) => part !== '')
  return parts.map((part, i) => {
    const [name, address] = part.includes('=') ? part.split('=') : [`m${i + 1}`, part]
    const host = address.replace(/^http:\/\//u, '').replace(/\/$/u, '')
    if (name === '' || splitAddress(host)?.port === undefined) {
      throw new Error(`“${part}” is not an address such as a=127.0.0.1:7401`)
    }
    return { name, base: `http://${host}` }
  })
}
