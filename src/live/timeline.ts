/** Computes from the records of a live group which member led when, and the state of the group at any moment. */
import { countAtMost } from '../core/binary-search.ts'
import type {
  Condition,
  EntryRecord,
  GroupTiming,
  LiveRecord,
  PeerSample,
  SampleRecord,
} from './live-record.ts'

export interface LiveMember {
  readonly name: string
  readonly condition: Condition
  readonly pid: number
  readonly leader: string | null
  readonly term: number
  readonly termText: string
  /** It was elected, has not lost its term since, and runs. */
  readonly leads: boolean
  readonly status: string
  readonly lagMs: number | null
  readonly peers: readonly PeerSample[]
  /** The age of status, lag and peers. */
  readonly sampleAgeMs: number | null
}

export interface GroupSnapshot {
  readonly at: number
  readonly members: readonly LiveMember[]
  readonly cuts: ReadonlySet<string>
  /** The leader of the highest term. */
  readonly leader: string | null
  readonly term: number
  readonly termText: string
  /** When this leadership, or the period without a leader, began. */
  readonly since: number
  readonly split: boolean
}

export interface Period {
  readonly from: number
  /** Null: it has not ended. */
  readonly to: number | null
}

interface Leadership extends Period {
  readonly leader: string
  readonly term: number
  readonly termText: string
}

interface MemberPeriod extends Period {
  readonly condition: Condition
  readonly leader: string | null
}

export interface TimelineSummary {
  readonly leaderships: readonly Leadership[]
  readonly leaderless: readonly Period[]
  readonly marks: readonly TimelineMark[]
  readonly memberPeriods: ReadonlyMap<string, readonly MemberPeriod[]>
  /** When members learned that the processes of peers had ended. */
  readonly notices: readonly Notice[]
}

export interface Notice {
  readonly at: number
  readonly node: string
  readonly peer: string
}

/** How fast the group and its network are. */
export interface GroupPace {
  readonly timing: GroupTiming
  /** The shortest and the longest round trip that members measured; null: none has. */
  readonly roundTripMs: readonly [least: number, most: number] | null
}

/** An event that the timeline shows with a symbol. */
export interface TimelineMark {
  readonly at: number
  readonly kind: 'killed' | 'started' | 'paused' | 'resumed' | 'cut' | 'healed' | 'elected' | 'lost'
  readonly node: string
  readonly detail: string
}

type EventRecord = Exclude<LiveRecord, SampleRecord>
type ConditionRecord = Extract<LiveRecord, { readonly kind: 'condition' }>

/** Beyond these numbers the older half is deleted. */
const MOST_EVENTS = 20_000
const MOST_SAMPLES = 4_000
/** Peers notice the end of a process at most this long before its exit is reported. */
const NOTICE_MS = 1000
/** In the reason of a member that cannot reach a peer. */
const REFUSED = 'refuses the connection'
/** So many of a member's latest samples say how fast the network is. */
const PACE_SAMPLES = 10

export class Timeline {
  readonly names: readonly string[]
  private events: EventRecord[] = []
  private readonly samples = new Map<string, SampleRecord[]>()
  /** The state after all events; null after an event was inserted before others. */
  private current: TimelineState | null = null

  constructor(names: readonly string[]) {
    this.names = names
    for (const name of names) this.samples.set(name, [])
  }

  /** Records arrive nearly in order: members report with a small delay. */
  add(record: LiveRecord): void {
    if (record.kind === 'sample') {
      const list = this.samples.get(record.node)
      list?.push(record)
      if (list !== undefined && list.length > MOST_SAMPLES) list.splice(0, list.length >> 1)
      return
    }
    this.insert(record)
    this.backdateExit(record.at)
    if (this.events.length > MOST_EVENTS) {
      this.events = this.events.slice(-MOST_EVENTS / 2)
      this.current = null
    }
  }

  private insert(event: EventRecord): void {
    const place = countAtMost(this.events, event.at, ({ at }) => at)
    if (place === this.events.length) this.current?.apply(event)
    else this.current = null
    this.events.splice(place, 0, event)
  }

  /** An exit is often reported after the peers have noticed it: it is moved to the first notice. */
  private backdateExit(since: number): void {
    for (let i = this.events.length - 1; i >= 0; i--) {
      const exit = this.events[i]
      if (exit.at < since - NOTICE_MS) return
      if (!isExit(exit)) continue
      const noticedAt = this.firstNotice(exit, i)
      if (noticedAt === undefined) continue
      this.events.splice(i, 1)
      this.current = null
      this.insert({ ...exit, at: noticedAt - 0.001 })
      return
    }
  }

  /** When a peer first showed that it had noticed an exit; undefined: not before the exit was reported. */
  private firstNotice(exit: ExitRecord, place: number): number | undefined {
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
    const isPast = (this.events.at(-1)?.at ?? time) > time
    const state = isPast ? this.stateAt(time) : this.latestState()
    return state.snapshot(time, (name) => this.sampleAt(name, time))
  }

  summary(): TimelineSummary {
    const { leaderships, leaderless, marks, memberPeriods, notices } = this.latestState()
    return {
      leaderships: [...leaderships],
      leaderless: [...leaderless],
      marks: [...marks],
      memberPeriods,
      notices: [...notices],
    }
  }

  /** From the latest samples; null: the members report no timing. */
  get pace(): GroupPace | null {
    let timing: GroupTiming | undefined
    const trips: number[] = []
    for (const list of this.samples.values()) {
      timing = list.at(-1)?.timing ?? timing
      for (const { peers } of list.slice(-PACE_SAMPLES)) {
        trips.push(...peers.flatMap(([, , , rttMs]) => (rttMs === null ? [] : [rttMs])))
      }
    }
    if (timing === undefined) return null
    const roundTripMs =
      trips.length === 0 ? null : ([Math.min(...trips), Math.max(...trips)] as const)
    return { timing, roundTripMs }
  }

  private latestState(): TimelineState {
    return (this.current ??= this.stateAt(Infinity))
  }

  private stateAt(time: number): TimelineState {
    const state = new TimelineState(this.names)
    for (const event of this.events) {
      if (event.at > time) break
      state.apply(event)
    }
    return state
  }

  latest(count: number, until = Infinity): EntryRecord[] {
    const entries: EntryRecord[] = []
    for (let i = this.events.length - 1; i >= 0 && entries.length < count; i--) {
      const event = this.events[i]
      if (event.kind === 'entry' && event.at <= until) entries.push(event)
    }
    return entries
  }

  lagsOf(name: string): readonly { readonly at: number; readonly lagMs: number }[] {
    return this.samples.get(name) ?? []
  }

  private sampleAt(name: string, time: number): SampleRecord | null {
    const list = this.samples.get(name) ?? []
    return list[countAtMost(list, time, ({ at }) => at) - 1] ?? null
  }
}

type ExitRecord = Extract<EventRecord, { readonly node: string }>

function isExit(event: EventRecord): event is ExitRecord {
  if (event.kind === 'condition') return event.condition === 'unreachable'
  return event.kind === 'entry' && event.event === 'exited'
}

interface MemberState {
  condition: Condition
  pid: number
  leader: string | null
  term: number
  /** The term in which it was elected; null: it has lost that term. */
  leadsTerm: number | null
}

/** The state of the group after a number of events, and its history so far. */
class TimelineState implements TimelineSummary {
  readonly leaderships: Leadership[] = []
  readonly leaderless: Period[] = []
  readonly marks: TimelineMark[] = []
  readonly notices: Notice[] = []
  readonly memberPeriods: ReadonlyMap<string, MemberPeriod[]>
  private readonly members: ReadonlyMap<string, MemberState>
  private cuts = new Set<string>()
  private leader: string | null = null
  private term = 0
  private since = 0
  private readonly termTexts = new Map<number, string>()

  constructor(names: readonly string[]) {
    const initial = { condition: 'dead', pid: 0, leader: null, term: 0, leadsTerm: null } as const
    this.members = new Map(names.map((name) => [name, { ...initial }]))
    this.memberPeriods = new Map(names.map((name) => [name, []]))
  }

  apply(event: EventRecord): void {
    if (this.leaderless.length === 0) {
      this.since = event.at
      this.leaderless.push({ from: event.at, to: null })
    }
    if (event.kind === 'cuts') this.applyCuts(event.pairs, event.at)
    else {
      const member = this.members.get(event.node)
      if (member === undefined) return
      if (event.kind === 'entry') this.applyEntry(member, event)
      else this.applyCondition(member, event)
      this.extendPeriods(event.node, member, event.at)
    }
    this.updateLeader(event.at)
  }

  snapshot(time: number, sampleOf: (name: string) => SampleRecord | null): GroupSnapshot {
    const members = [...this.members].map(([name, member]): LiveMember => {
      const { condition, pid, leader, term } = member
      const sample = hasEnded(member) ? null : sampleOf(name)
      // The sample of an earlier process says nothing about this one.
      const current = sample?.pid === pid ? sample : null
      return {
        name,
        condition,
        pid,
        leader: hasEnded(member) ? null : leader,
        term,
        termText: this.textOf(term),
        leads: leads(member),
        status: current?.status ?? '',
        lagMs: current?.lagMs ?? null,
        peers: current?.peers ?? [],
        sampleAgeMs: current === null ? null : time - current.at,
      }
    })
    const { cuts, leader, term, since } = this
    const split = members.filter((member) => member.leads).length > 1
    const termText = this.textOf(term)
    return { at: time, members, cuts: new Set(cuts), leader, term, termText, since, split }
  }

  private textOf(term: number): string {
    return this.termTexts.get(term) ?? String(term)
  }

  private applyEntry(member: MemberState, entry: EntryRecord): void {
    const { event, leader, term, pid, node, at, reason, peer } = entry
    if (peer !== undefined && isNotice(entry)) this.notices.push({ at, node, peer })
    if (entry.termText !== undefined) this.termTexts.set(term, entry.termText)
    member.pid = pid
    member.term = Math.max(member.term, term)
    if (event === 'exited') {
      Object.assign(member, { condition: 'dead', leader: null, leadsTerm: null })
      this.mark(at, 'killed', node, reason ?? 'exited')
      return
    }
    // A member that reports runs; a paused one reports nothing.
    if (hasEnded(member)) member.condition = 'running'
    if (event === 'started') {
      Object.assign(member, { leader, leadsTerm: null })
      this.mark(at, 'started', node, '')
    } else if (event === 'leader') {
      member.leader = leader
      // The report `lost` may be missing: a member that follows another does not lead.
      if (leader !== node) member.leadsTerm = null
    } else if (event === 'elected') {
      Object.assign(member, { leadsTerm: term, leader: node })
    } else if (event === 'lost') {
      member.leadsTerm = null
      this.mark(at, 'lost', node, reason ?? '')
    }
  }

  private applyCondition(member: MemberState, { node, condition, at }: ConditionRecord): void {
    if (member.condition === condition) return
    if (condition === 'paused') this.mark(at, 'paused', node, '')
    if (member.condition === 'paused' && condition === 'running') this.mark(at, 'resumed', node, '')
    if (condition === 'unreachable') this.mark(at, 'killed', node, 'does not answer')
    member.condition = condition
    if (hasEnded(member)) member.leadsTerm = null
  }

  private applyCuts(pairs: readonly (readonly [string, string])[], at: number): void {
    const next = new Set(pairs.map(([a, b]) => `${a}|${b}`))
    const fresh = [...next].filter((pair) => !this.cuts.has(pair))
    const healed = [...this.cuts].filter((pair) => !next.has(pair))
    if (fresh.length > 0) this.mark(at, 'cut', '', fresh.join(', '))
    if (healed.length > 0) this.mark(at, 'healed', '', healed.join(', '))
    this.cuts = next
  }

  /** Finds the leader of the highest term, and begins a new period if it has changed. */
  private updateLeader(at: number): void {
    let [leader, term]: [string | null, number] = [null, 0]
    for (const [name, member] of this.members) {
      const own = leads(member) ? (member.leadsTerm ?? 0) : -1
      if (own >= term) [leader, term] = [name, own]
    }
    if (leader === this.leader && (leader === null || term === this.term)) return
    end(this.leader === null ? this.leaderless : this.leaderships, at)
    this.leader = leader
    this.since = at
    if (leader === null) this.leaderless.push({ from: at, to: null })
    else {
      this.term = term
      const termText = this.textOf(term)
      this.leaderships.push({ from: at, to: null, leader, term, termText })
      this.mark(at, 'elected', leader, `term ${termText}`)
    }
  }

  private extendPeriods(node: string, { condition, leader }: MemberState, at: number): void {
    const periods = this.memberPeriods.get(node)!
    const last = periods.at(-1)
    if (last?.condition === condition && last.leader === leader) return
    end(periods, at)
    periods.push({ from: at, to: null, condition, leader })
  }

  private mark(at: number, kind: TimelineMark['kind'], node: string, detail: string): void {
    this.marks.push({ at, kind, node, detail })
  }
}

function end(periods: Period[], at: number): void {
  const last = periods.length - 1
  if (last >= 0) periods[last] = { ...periods[last], to: at }
}

/** A member that has elected by the proof of a refused connection never asks its detector: it reports the refusal alone. */
function isNotice({ event, reason }: EntryRecord): boolean {
  return event === 'down' || (event === 'unreachable' && reason?.includes(REFUSED) === true)
}

function hasEnded({ condition }: MemberState): boolean {
  return condition === 'dead' || condition === 'unreachable'
}

/** A paused member does not lead, even if it has not lost its term. */
function leads({ leadsTerm, condition }: MemberState): boolean {
  return leadsTerm !== null && condition === 'running'
}
