/** Receives the records of a live group from the page's server or its members, holds the shown moment, sends faults, links incidents to the lab, parses member addresses. */
import { say } from '../language/translate.ts'
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
import { writeIncident } from './simulated-incident.ts'
import { linkOf } from '../run/run-link.ts'

export interface MemberAddress {
  readonly name: string
  readonly base: string
}

type Connection = 'none' | 'connecting' | 'open' | 'lost'

/** How often the shown clock advances; with reduced motion less often. */
const TICK_MS = 100
const SLOW_TICK_MS = 1000
const TOKEN = 'bellwether-live-token'

export class LiveFeed {
  connection = $state<Connection>('connecting')
  hello = $state.raw<Hello | null>(null)
  /** Increases with each batch of records; `events` only with batches that have more than samples. */
  version = $state(0)
  events = $state(0)
  /** The monotonic clock of the machine that observes the group. */
  now = $state(0)
  /** The moment that the page shows; null: now. */
  at = $state<number | null>(null)
  error = $state('')
  token = $state<string | null>(null)

  timeline = new Timeline([])
  private offsetMs = 0
  private readonly closed = new AbortController()
  private scheduled = false
  private hasEvents = true

  readonly summary: TimelineSummary = $derived.by(() => {
    void this.events
    return this.timeline.summary()
  })

  /** The state of the group at the moment that the page shows. */
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

  /** Stores the token for this tab. It must not stay in the address, which people copy. */
  keepToken(given: string | null): void {
    try {
      if (given !== null) sessionStorage.setItem(TOKEN, given)
      this.token = given ?? sessionStorage.getItem(TOKEN)
    } catch {
      this.token = given
    }
  }

  open(members: readonly MemberAddress[], reducedMotion: boolean): () => void {
    if (members.length > 0) this.followMembers(members)
    else void this.followServer()
    const timer = setInterval(() => this.tick(), reducedMotion ? SLOW_TICK_MS : TICK_MS)
    return () => {
      clearInterval(timer)
      this.closed.abort()
    }
  }

  async injectFault(request: FaultRequest): Promise<boolean> {
    const response = await fetch('live/fault', {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    }).catch(() => null)
    if (response?.ok === true) this.error = ''
    else if (response === null) this.error = say('the server does not answer')
    else this.error = ((await response.json()) as { error: string }).error
    return response?.ok === true
  }

  /** A link to the lab that simulates an incident. */
  incidentLink(period: Period): string {
    const { settings, atMs } = incidentSettings(period, this.summary, this.names, {
      settings: this.hello?.settings ?? [],
      resigns: this.hello?.resigns ?? false,
      pace: this.timeline.pace,
    })
    const at = Math.round(1000 * atMs)
    const forUs = Math.round(1000 * ((period.to ?? this.now) - period.from))
    return linkOf(settings, [
      ['at', `${Math.max(0, atMs - 5)}ms`],
      ['names', this.names.join(',')],
      ['live', writeIncident({ forUs, at })],
    ])
  }

  private tick(): void {
    if (this.hello !== null) this.now = performance.now() + this.offsetMs
  }

  private connected(hello: Hello): void {
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

  /** Records arrive in batches: the page is drawn once for each. */
  private add(record: LiveRecord): void {
    this.timeline.add(record)
    if (record.kind !== 'sample') this.hasEvents = true
    if (this.scheduled) return
    this.scheduled = true
    requestAnimationFrame(() => {
      this.scheduled = false
      this.tick()
      this.version += 1
      if (this.hasEvents) this.events += 1
      this.hasEvents = false
    })
  }

  private async followServer(): Promise<void> {
    const found = await fetch('live/members').catch(() => null)
    const isLive = found?.headers.get('content-type')?.includes('json') === true && found.ok
    if (!isLive || this.closed.signal.aborted) {
      this.connection = 'none'
      return
    }
    const stream = new EventSource('live/events')
    this.closed.signal.addEventListener('abort', () => stream.close())
    stream.addEventListener('hello', ({ data }) =>
      this.connected(JSON.parse(String(data)) as Hello),
    )
    stream.addEventListener('history', ({ data }) => {
      for (const record of JSON.parse(String(data)) as LiveRecord[]) this.add(record)
    })
    stream.addEventListener('record', ({ data }) => {
      this.add(JSON.parse(String(data)) as LiveRecord)
    })
    stream.addEventListener('error', () => (this.connection = 'lost'))
  }

  private followMembers(members: readonly MemberAddress[]): void {
    const nowMs = performance.now()
    this.connected({
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
        onRecord: (record) => this.add(record),
        signal: this.closed.signal,
        sameClock: false,
      })
    }
  }
}

/** Parses `a=127.0.0.1:7401, b=…`. Names are optional. Throws an error with a message for the viewer. */
export function parseMembers(text: string): MemberAddress[] {
  const parts = text.split(/[\s,]+/u).filter((part) => part !== '')
  return parts.map((part, i) => {
    const [name, address] = part.includes('=') ? part.split('=') : [`m${i + 1}`, part]
    const host = address.replace(/^http:\/\//u, '').replace(/\/$/u, '')
    if (name === '' || splitAddress(host)?.port === undefined) {
      throw new Error(say('“{part}” is not an address such as a=127.0.0.1:7401', { part }))
    }
    return { name, base: `http://${host}` }
  })
}
