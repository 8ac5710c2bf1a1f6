/** What the records of a cluster come to: who led when, who was led by nobody, and how all stood at a moment. */
import type { Condition, EntryRecord, LiveRecord, PeerSample, SampleRecord } from './live-record.ts'

export interface LiveMember {
  readonly name: string
  readonly condition: Condition
  readonly pid: number
  /** Whom it follows, as it last said. */
  readonly leader: string | null
  readonly term: number
  /** It was elected, has not lost its term since, and runs. */
  readonly leads: boolean
  readonly status: string
  readonly lagMs: number | null
  readonly peers: readonly PeerSample[]
  /** How old status, lag and peers are. */
  readonly sampleAgeMs: number | null
}

export interface GroupSnapshot {
  readonly at: number
  readonly members: readonly LiveMember[]
  readonly cuts: ReadonlySet<string>
  /** Whoever leads in the highest term. */
  readonly leader: string | null
  readonly term: number
  /** Since when there is this leader, or none. */
  readonly since: number
  /** More than one member believes that it leads. */
  readonly split: boolean
}

export interface Period {
  readonly from: number
  /** Null: it lasts. */
  readonly to: number | null
}

/** A stretch under one leader. */
interface Reign extends Period {
  readonly leader: string
  readonly term: number
}

/** What a member was and whom it followed for a while. */
interface Opinion extends Period {
  readonly condition: Condition
  readonly leader: string | null
}

/** Everything that came of the records so far. */
export interface TimelineSummary {
  readonly reigns: readonly Reign[]
  readonly leaderless: readonly Period[]
  readonly marks: readonly TimelineMark[]
  readonly opinions: ReadonlyMap<string, readonly Opinion[]>
}

/** Something that was done or happened to a member, worth a mark. */
export interface TimelineMark {
  readonly at: number
  readonly kind: 'killed' | 'started' | 'paused' | 'resumed' | 'cut' | 'healed' | 'elected' | 'lost'
  readonly node: string
  readonly detail: string
}

type EventRecord = Exclude<LiveRecord, SampleRecord>

/** Beyond this the older half is forgotten. */
const MOST_EVENTS = 20_000
const MOST_SAMPLES = 4_000
/** A process that has ended is known to have ended within this time. */
const NOTICE_MS = 1000

interface Seat {
  condition: Condition
  pid: number
  leader: string | null
  term: number
  claims: boolean
  claimTerm: number
}

export class Timeline {
  readonly names: readonly string[]
  private events: EventRecord[] = []
  private readonly samples = new Map<string, SampleRecord[]>()
  /** All events gone through; null when one came that belongs before others. */
  private whole: Fold | null = null

  constructor(names: readonly string[]) {
    this.names = names
    for (const name of names) this.samples.set(name, [])
  }

  /** Records come nearly in order: members tell a little late. */
  add(record: LiveRecord): void {
    if (record.kind === 'sample') {
      const list = this.samples.get(record.node)
      if (list === undefined) return
      list.push(record)
      if (list.length > MOST_SAMPLES) list.splice(0, list.length >> 1)
      return
    }
    this.insert(record)
    this.backdate(record.at)
    if (this.events.length > MOST_EVENTS) {
      this.events = this.events.slice(-MOST_EVENTS / 2)
      this.whole = null
    }
  }

  private insert(event: EventRecord): void {
    let place = this.events.length
    while (place > 0 && this.events[place - 1].at > event.at) place -= 1
    if (place === this.events.length) this.whole?.apply(event)
    else this.whole = null
    this.events.splice(place, 0, event)
  }

  /** An end is told by whoever waits for the process, often after the peers have noticed: the first counts. */
  private backdate(since: number): void {
    for (let i = this.events.length - 1; i >= 0; i--) {
      const exit = this.events[i]
      if (exit.at < since - NOTICE_MS) return
      if (!isEnd(exit)) continue
      const noticed = this.firstNotice(exit, i)
      if (noticed === undefined) continue
      this.events.splice(i, 1)
      this.whole = null
      this.insert({ ...exit, at: noticed - 0.001 })
      return
    }
  }

  /** When a peer first showed that it knew of a member's end; undefined: not before it was told. */
  private firstNotice(exit: EndRecord, place: number): number | undefined {
    let first: number | undefined
    for (let i = place - 1; i >= 0; i--) {
      const event = this.events[i]
      if (event.kind !== 'entry') continue
      if (event.node === exit.node) return event.leader === exit.node ? first : undefined
      if (event.at < exit.at - NOTICE_MS) continue
      const left = event.event === 'leader' && event.leader !== exit.node
      if (left || event.event === 'elected') first = event.at
    }
    return undefined
  }

  get begin(): number {
    const first = [...this.samples.values()].flatMap((list) => list.slice(0, 1))
    return Math.min(...[...first, ...this.events.slice(0, 1)].map(({ at }) => at))
  }

  at(time: number): GroupSnapshot {
    const last = this.events.at(-1)
    const fold = last === undefined || last.at <= time ? this.fold() : this.foldUntil(time)
    return fold.snapshot(time, (name) => this.sampleAt(name, time))
  }

  summary(): TimelineSummary {
    const { reigns, leaderless, marks, opinions } = this.fold()
    return { reigns: [...reigns], leaderless: [...leaderless], marks: [...marks], opinions }
  }

  private fold(): Fold {
    return (this.whole ??= this.foldUntil(Infinity))
  }

  private foldUntil(time: number): Fold {
    const fold = new Fold(this.names)
    for (const event of this.events) {
      if (event.at > time) break
      fold.apply(event)
    }
    return fold
  }

  /** What members said, latest first. */
  latest(count: number, until = Infinity): EntryRecord[] {
    const said: EntryRecord[] = []
    for (let i = this.events.length - 1; i >= 0 && said.length < count; i--) {
      const event = this.events[i]
      if (event.kind === 'entry' && event.at <= until) said.push(event)
    }
    return said
  }

  /** How late the loop of a member was, over time. */
  lagsOf(name: string): readonly { readonly at: number; readonly lagMs: number }[] {
    return this.samples.get(name) ?? []
  }

  private sampleAt(name: string, time: number): SampleRecord | null {
    const list = this.samples.get(name) ?? []
    let [low, high] = [0, list.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (list[middle].at <= time) low = middle + 1
      else high = middle
    }
    return list[low - 1] ?? null
  }
}

/** That a member has ended, or seems to. */
type EndRecord = Extract<EventRecord, { readonly node: string }>

function isEnd(event: EventRecord): event is EndRecord {
  if (event.kind === 'condition') return event.condition === 'unreachable'
  return event.kind === 'entry' && event.event === 'exited'
}

/** Goes through events in order. */
class Fold implements TimelineSummary {
  readonly reigns: Reign[] = []
  readonly leaderless: Period[] = []
  readonly marks: TimelineMark[] = []
  readonly opinions: ReadonlyMap<string, Opinion[]>
  private readonly seats: ReadonlyMap<string, Seat>
  private cuts = new Set<string>()
  private leader: string | null = null
  private term = 0
  private since = 0
  private begun = false

  constructor(names: readonly string[]) {
    this.seats = new Map(names.map((name) => [name, freshSeat()]))
    this.opinions = new Map(names.map((name) => [name, []]))
  }

  apply(event: EventRecord): void {
    if (!this.begun) {
      this.begun = true
      this.since = event.at
      this.leaderless.push({ from: event.at, to: null })
    }
    if (event.kind === 'cuts') this.cut(event.pairs, event.at)
    else {
      const seat = this.seats.get(event.node)
      if (seat === undefined) return
      if (event.kind === 'condition') this.condition(seat, event.node, event.condition, event.at)
      else this.entry(seat, event)
      this.opine(event.node, seat, event.at)
    }
    this.judge(event.at)
  }

  snapshot(time: number, sampleOf: (name: string) => SampleRecord | null): GroupSnapshot {
    const members = [...this.seats].map(([name, seat]): LiveMember => {
      const known = seat.condition === 'running' || seat.condition === 'paused'
      const sample = known ? sampleOf(name) : null
      const current = sample !== null && sample.pid === seat.pid ? sample : null
      return {
        name,
        condition: seat.condition,
        pid: seat.pid,
        leader: known ? seat.leader : null,
        term: seat.term,
        leads: leads(seat),
        status: current?.status ?? '',
        lagMs: current?.lagMs ?? null,
        peers: current?.peers ?? [],
        sampleAgeMs: current === null ? null : time - current.at,
      }
    })
    const { cuts, leader, term, since } = this
    const split = members.filter((member) => member.leads).length > 1
    return { at: time, members, cuts: new Set(cuts), leader, term, since, split }
  }

  private entry(seat: Seat, { event, leader, term, pid, node, at, reason }: EntryRecord): void {
    seat.pid = pid
    seat.term = Math.max(seat.term, term)
    if (event === 'exited') {
      Object.assign(seat, { condition: 'dead', leader: null, claims: false })
      this.mark(at, 'killed', node, reason ?? 'ended by itself')
      return
    }
    // Whoever speaks runs; a paused one says nothing.
    if (seat.condition === 'dead' || seat.condition === 'unreachable') seat.condition = 'running'
    if (event === 'started') {
      Object.assign(seat, { leader, claims: false })
      this.mark(at, 'started', node, '')
    } else if (event === 'leader') {
      seat.leader = leader
      // Where `lost` was not heard: nobody leads who follows another.
      if (leader !== node) seat.claims = false
    } else if (event === 'elected') {
      Object.assign(seat, { claims: true, claimTerm: term, leader: node })
    } else if (event === 'lost') {
      seat.claims = false
      this.mark(at, 'lost', node, reason ?? '')
    }
  }

  private condition(seat: Seat, node: string, condition: Condition, at: number): void {
    if (seat.condition === condition) return
    if (condition === 'paused') this.mark(at, 'paused', node, '')
    if (seat.condition === 'paused' && condition === 'running') this.mark(at, 'resumed', node, '')
    if (condition === 'unreachable') this.mark(at, 'killed', node, 'does not answer')
    seat.condition = condition
    if (condition === 'dead' || condition === 'unreachable') seat.claims = false
  }

  private cut(pairs: readonly (readonly [string, string])[], at: number): void {
    const next = new Set(pairs.map(([a, b]) => `${a}|${b}`))
    const fresh = [...next].filter((pair) => !this.cuts.has(pair))
    const healed = [...this.cuts].filter((pair) => !next.has(pair))
    if (fresh.length > 0) this.mark(at, 'cut', '', fresh.join(', '))
    if (healed.length > 0) this.mark(at, 'healed', '', healed.join(', '))
    this.cuts = next
  }

  /** Who leads now; and whether that is news. */
  private judge(at: number): void {
    let [leader, term]: [string | null, number] = [null, 0]
    for (const [name, seat] of this.seats) {
      if (leads(seat) && seat.claimTerm >= term) [leader, term] = [name, seat.claimTerm]
    }
    if (leader === this.leader && (leader === null || term === this.term)) return
    this.close(at)
    this.leader = leader
    this.since = at
    if (leader === null) this.leaderless.push({ from: at, to: null })
    else {
      this.term = term
      this.reigns.push({ from: at, to: null, leader, term })
      this.mark(at, 'elected', leader, `term ${term}`)
    }
  }

  private close(at: number): void {
    end(this.leader === null ? this.leaderless : this.reigns, at)
  }

  private opine(node: string, { condition, leader }: Seat, at: number): void {
    const opinions = this.opinions.get(node)!
    const last = opinions.at(-1)
    if (last?.condition === condition && last.leader === leader) return
    end(opinions, at)
    opinions.push({ from: at, to: null, condition, leader })
  }

  private mark(at: number, kind: TimelineMark['kind'], node: string, detail: string): void {
    this.marks.push({ at, kind, node, detail })
  }
}

function end(bands: Period[], at: number): void {
  const last = bands.length - 1
  if (last >= 0) bands[last] = { ...bands[last], to: at }
}

/** One that is stopped leads nobody, whatever it believes. */
function leads({ claims, condition }: Seat): boolean {
  return claims && condition === 'running'
}

function freshSeat(): Seat {
  return { condition: 'dead', pid: 0, leader: null, term: 0, claims: false, claimTerm: 0 }
}
