/**
 * What a running cluster shows, one record after another: what members say happened, what they are asked
 * now and then, and what was done to them. A server sends these to the page; the page keeps them.
 */
import type { Settings } from '../core/settings.ts'

export type Condition = 'running' | 'paused' | 'dead' | 'unreachable'

/** What happened to a member, as the member says. */
export interface EntryRecord {
  readonly kind: 'entry'
  readonly at: number
  readonly node: string
  readonly pid: number
  readonly event: string
  /** Whom the member follows. */
  readonly leader: string | null
  readonly term: number
  readonly reason: string | null
  /** `down` and `up`: of whom the member thinks so. */
  readonly peer?: string
}

/** What a member thinks of a peer: how long ago it heard it, and how long an answer took. */
export type PeerSample = readonly [
  id: string,
  state: string,
  heardMs: number | null,
  rttMs: number | null,
]

/** What a member answered when it was asked how it is. */
export interface SampleRecord {
  readonly kind: 'sample'
  readonly at: number
  readonly node: string
  readonly pid: number
  readonly status: string
  readonly leader: string | null
  readonly term: number
  readonly lagMs: number
  readonly peers: readonly PeerSample[]
}

/** What is known about a member's process from outside. */
interface ConditionRecord {
  readonly kind: 'condition'
  readonly at: number
  readonly node: string
  readonly condition: Condition
}

/** All links that are cut, from now on. */
interface CutsRecord {
  readonly kind: 'cuts'
  readonly at: number
  readonly pairs: readonly (readonly [string, string])[]
}

/** `at`: milliseconds of the monotonic clock of the machine that watches. */
export type LiveRecord = EntryRecord | SampleRecord | ConditionRecord | CutsRecord

/** What a page is told first. */
export interface Hello {
  /** Another one: whatever was known is of another cluster. */
  readonly session: string
  /** Weakest first. */
  readonly members: readonly string[]
  /** The monotonic clock and the calendar's, read at one moment. */
  readonly nowMs: number
  readonly wallMs: number
  /** Whether faults can be asked for, by whoever has the token. */
  readonly faults: boolean
  /** Settings of the simulator that come nearest to this cluster. */
  readonly settings: Settings
  /** Whether a leader can resign under these settings. */
  readonly resigns: boolean
}

export const FAULT_ACTIONS = ['kill', 'stop', 'pause', 'resume', 'cut', 'heal', 'restart'] as const
export type FaultAction = (typeof FAULT_ACTIONS)[number]

/** What is asked of a cluster. `cut` without a peer: from everybody. `heal`: everything. */
export interface FaultRequest {
  readonly action: FaultAction
  readonly node?: string
  readonly peer?: string
}

/** What `/status` of a member says, as far as it is read here. */
export interface MemberStatus {
  readonly id: string
  readonly pid: number
  readonly status: string
  readonly leader: string | null
  readonly term: number
  readonly since: string
  readonly algorithm: string
  readonly detector: string
  readonly loopLagMs: number
  readonly peers: readonly {
    readonly id: string
    readonly state: string
    readonly lastHeardMs: number | null
    readonly rttMs: number | null
  }[]
}

export function sampleOf(status: MemberStatus, at: number, node = status.id): SampleRecord {
  const { pid, leader, term, loopLagMs, peers } = status
  return {
    kind: 'sample',
    at,
    node,
    pid,
    status: status.status,
    leader,
    term,
    lagMs: loopLagMs,
    peers: peers.map(({ id, state, lastHeardMs, rttMs }) => [id, state, lastHeardMs, rttMs]),
  }
}
