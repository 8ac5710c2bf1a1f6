/**
 * The types of the records of a live group (events, samples of status, conditions, cuts), of the requests for faults,
 * and the conversion of a status into a sample. A server sends them to the page.
 */
import type { Settings } from '../core/settings.ts'

export type Condition = 'running' | 'paused' | 'dead' | 'unreachable'

export interface EntryRecord {
  readonly kind: 'entry'
  readonly at: number
  readonly node: string
  readonly pid: number
  readonly event: string
  readonly leader: string | null
  readonly term: number
  /** The term as people see it, such as `1·e`; members of an earlier version report none. */
  readonly termText?: string
  readonly reason: string | null
  /** `down` and `up`: the peer of the verdict. `unreachable`: the peer that cannot be reached. */
  readonly peer?: string
}

/** The state of a peer in a member's detector, the age of its last message, and the round-trip time. */
export type PeerSample = readonly [
  id: string,
  state: string,
  heardMs: number | null,
  rttMs: number | null,
]

/** How the group elects and how long it waits, in milliseconds. */
export interface GroupTiming {
  readonly algorithm: string
  readonly detector: string
  readonly periodMs: number
  readonly detectionMs: number
  readonly messageMs: number
  readonly leaseMs: number
  /** A refused connection proves that a process has ended. */
  readonly trustRefusals: boolean
}

/** The status of a member at a moment. */
export interface SampleRecord extends Pick<EntryRecord, 'at' | 'node' | 'pid' | 'leader' | 'term'> {
  readonly kind: 'sample'
  readonly status: string
  readonly lagMs: number
  readonly peers: readonly PeerSample[]
  /** Members of an earlier version report none. */
  readonly timing?: GroupTiming
}

/** The condition of a member's process, observed from outside. */
interface ConditionRecord {
  readonly kind: 'condition'
  readonly at: number
  readonly node: string
  readonly condition: Condition
}

/** All links that are cut from this moment on. */
interface CutsRecord {
  readonly kind: 'cuts'
  readonly at: number
  readonly pairs: readonly (readonly [string, string])[]
}

/** `at`: milliseconds of the monotonic clock of the machine that observes. */
export type LiveRecord = EntryRecord | SampleRecord | ConditionRecord | CutsRecord

/** The first message to a page. */
export interface Hello {
  /** A new value: earlier records belong to another group. */
  readonly session: string
  /** Weakest first. */
  readonly members: readonly string[]
  /** The monotonic clock and the wall clock, read at the same moment. */
  readonly nowMs: number
  readonly wallMs: number
  /** Whether a page with the token can inject faults. */
  readonly faults: boolean
  /** The settings of the simulator that are closest to this group. */
  readonly settings: Settings
  /** Whether a simulated leader can resign with these settings. */
  readonly resigns: boolean
}

export const FAULT_ACTIONS = ['kill', 'stop', 'pause', 'resume', 'cut', 'heal', 'restart'] as const
export type FaultAction = (typeof FAULT_ACTIONS)[number]

/** A fault that a page requests. `cut` without a peer isolates the member; `heal` heals all links. */
export interface FaultRequest {
  readonly action: FaultAction
  readonly node?: string
  readonly peer?: string
}

/** The part of a member's `/status` that the page uses. */
export interface MemberStatus extends Pick<SampleRecord, 'pid' | 'status' | 'leader' | 'term'> {
  readonly termText?: string
  readonly id: string
  readonly since: string
  readonly algorithm: string
  readonly detector: string
  readonly loopLagMs: number
  readonly leaseMs: number
  readonly trustRefusals?: boolean
  readonly timing?: Pick<GroupTiming, 'periodMs' | 'detectionMs' | 'messageMs'>
  readonly peers: readonly {
    readonly id: string
    readonly state: string
    readonly lastHeardMs: number | null
    readonly rttMs: number | null
  }[]
}

export function sampleOf(member: MemberStatus, at: number, node: string): SampleRecord {
  const { pid, status, leader, term, loopLagMs: lagMs } = member
  const peers = member.peers.map((peer): PeerSample => {
    return [peer.id, peer.state, peer.lastHeardMs, peer.rttMs]
  })
  const sample = { kind: 'sample', at, node, pid, status, leader, term, lagMs, peers } as const
  const { algorithm, detector, leaseMs, trustRefusals = false } = member
  // A group that only its engine arbitrates elects with none of the simulator's algorithms.
  if (member.timing === undefined || algorithm === 'engine') return sample
  return {
    ...sample,
    timing: { algorithm, detector, leaseMs, trustRefusals, ...member.timing },
  }
}
