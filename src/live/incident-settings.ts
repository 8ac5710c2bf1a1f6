/**
 * Converts an incident of a live group into settings of the simulator: the same size, algorithm, detector and times, the
 * same faults at the same intervals, and members that learn of the end of a process when those of the group did.
 */
import { showDuration } from '../core/time.ts'
import type { Settings } from '../core/settings.ts'
import type { GroupPace, Notice, Period, TimelineMark, TimelineSummary } from './timeline.ts'

/** The simulated members start and agree before the first fault. */
const LEAD_IN_MS = 2000
/** Faults within these times of the period are part of the incident. */
const BEFORE_MS = 20_000
const AFTER_MS = 20_000
/** A notice within this time of the end of a process is about it. */
const NOTICE_MS = 1000

/** The reasons of a lost term for which the leader resigned. */
const RESIGNED = new Set(['stepped-down', 'closed'])

export interface Incident {
  readonly settings: Settings
  /** When the period begins in the simulated run. */
  readonly atMs: number
}

/**
 * `names`: weakest first; they become members 1 to n. Faults that were in effect before the incident are
 * injected first. `resigns`: the simulated leader can resign.
 */
export function incidentSettings(
  period: Period,
  { marks, notices }: Pick<TimelineSummary, 'marks' | 'notices'>,
  names: readonly string[],
  { settings, resigns, pace }: SimulatedGroup,
): Incident {
  const until = (period.to ?? Infinity) + AFTER_MS
  const group = new GroupFaults(names)
  const faults = marks.flatMap((mark, i) => {
    const resigned = resigns && mark.kind === 'lost' && RESIGNED.has(mark.detail)
    const injected = resigned ? [group.resignation(mark, marks.slice(i))] : group.faultOf(mark)
    const told =
      mark.kind === 'killed' && injected.length > 0 && pace?.timing.trustRefusals === true
    const proofs = told ? group.proofsOf(mark, notices) : []
    return [...injected.map((fault) => ({ at: mark.at, fault })), ...proofs]
  })
  const near = faults.filter(({ at }) => at >= period.from - BEFORE_MS && at <= until)
  const start = Math.min(period.from, ...near.map(({ at }) => at))
  const before = new GroupFaults(names).outstanding(marks.filter(({ at }) => at < start))
  // Faults that were already in effect come first; then the rest of the group settles.
  const firstMs = Math.max(LEAD_IN_MS, 2 * (pace?.timing.detectionMs ?? 0))
  const leadInMs = before.length > 0 ? 2 * firstMs : firstMs
  const at = ([key, value]: Fault, ms: number): [string, string] => {
    return [key, `${value}@${showDuration(Math.round(1000 * ms))}`]
  }
  return {
    settings: [
      ...(pace === null ? settings.filter(([key]) => key !== 'nodes') : paceSettings(pace)),
      ['nodes', String(names.length)],
      ...before.map((fault) => at(fault, firstMs)),
      ...near.map((one) => at(one.fault, leadInMs + one.at - start)),
    ],
    atMs: Math.round(1000 * (leadInMs + period.from - start)) / 1000,
  }
}

/** What the page knows about the group beside its events. */
interface SimulatedGroup {
  /** For a group that reports no pace. */
  readonly settings: Settings
  /** The simulated leader can resign. */
  readonly resigns: boolean
  readonly pace: GroupPace | null
}

/** The algorithms with a lease. */
const LEASED: ReadonlySet<string> = new Set(['bully-fd-quorum', 'roulette-majority'])

/** The times of the group, with half of a round trip for a message. */
function paceSettings({ timing, roundTripMs }: GroupPace): Settings {
  const { algorithm, detector, periodMs, detectionMs, messageMs, leaseMs } = timing
  const show = (ms: number): string => showDuration(Math.max(1, Math.round(1000 * ms)))
  const [least, most] = roundTripMs ?? [0.4, 2]
  return [
    ['algorithm', algorithm],
    ['seed', '1'],
    ['detector', detector],
    ['silence', show(detectionMs)],
    ['period', show(periodMs)],
    ['message-bound', show(messageMs)],
    ['latency', `${show(least / 2)}..${show(Math.min(messageMs, most / 2))}`],
    ...(LEASED.has(algorithm) ? [['option', `leasePeriods=${leaseMs / periodMs}`] as const] : []),
  ]
}

type Fault = readonly [key: string, value: string]

/** Tracks the faults in effect: the simulator rejects a crash of a member that is down, and a resume of one that runs. */
class GroupFaults {
  private readonly names: readonly string[]
  private readonly down = new Set<string>()
  private readonly paused = new Set<string>()
  private cuts = new Set<string>()

  constructor(names: readonly string[]) {
    this.names = names
  }

  outstanding(marks: readonly TimelineMark[]): Fault[] {
    for (const mark of marks) this.faultOf(mark)
    return [
      ...[...this.down].map((name): Fault => ['crash', this.label(name)]),
      ...[...this.paused].map((name): Fault => ['pause', this.label(name)]),
      ...[...this.cuts].map((pair): Fault => ['cut', this.pair(pair)]),
    ]
  }

  /** A refused connection proves to each peer that the process has ended, when the peer reports that. */
  proofsOf({ at, node }: TimelineMark, notices: readonly Notice[]): { at: number; fault: Fault }[] {
    const told = new Set<string>()
    return notices.flatMap((notice) => {
      const { node: peer } = notice
      const about = notice.peer === node && Math.abs(notice.at - at) < NOTICE_MS
      if (!about || told.has(peer)) return []
      told.add(peer)
      const proof: Fault = ['proof', `${this.label(peer)}>${this.label(node)}`]
      return [{ at: Math.max(notice.at, at + 0.001), fault: proof }]
    })
  }

  /** A resignation in favour of the next leader. */
  resignation({ node }: TimelineMark, later: readonly TimelineMark[]): Fault {
    const next = later.find(({ kind }) => kind === 'elected')?.node ?? node
    return ['resign', next === node ? this.label(node) : `${this.label(node)}>${this.label(next)}`]
  }

  faultOf({ kind, node, detail }: TimelineMark): Fault[] {
    const label = this.label(node)
    switch (kind) {
      case 'killed':
        if (this.down.has(node)) return []
        this.down.add(node)
        this.paused.delete(node)
        return [['crash', label]]
      case 'started':
        return this.down.delete(node) ? [['recover', label]] : []
      case 'paused':
        if (this.paused.has(node) || this.down.has(node)) return []
        this.paused.add(node)
        return [['pause', label]]
      case 'resumed':
        return this.paused.delete(node) ? [['resume', label]] : []
      case 'cut': {
        const pairs = detail.split(', ')
        for (const pair of pairs) this.cuts.add(pair)
        return pairs.map((pair): Fault => ['cut', this.pair(pair)])
      }
      case 'healed':
        // The simulator heals everything at once, as `up` does.
        this.cuts = new Set()
        return [['heal', '']]
      case 'elected':
      case 'lost':
        return []
    }
  }

  private label(name: string): string {
    return String(this.names.indexOf(name) + 1)
  }

  private pair(pair: string): string {
    const [a, b] = pair.split('|')
    return `${this.label(a)}|${this.label(b)}`
  }
}
