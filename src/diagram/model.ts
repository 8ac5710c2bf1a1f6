/**
 * The types of a space-time diagram: lanes, intervals, arrows, marks, and the recorded run that it is built from.
 * Members are labels; 0 stands for no member.
 */
import type { SimConfig } from '../sim/config.ts'
import type { FaultKind } from '../sim/faults/fault-catalogue.ts'
import type { Violation } from '../sim/record/monitors.ts'
import type { Part } from '../sim/record/step.ts'
import type { Recording } from '../sim/record/recording.ts'

export interface Span {
  readonly from: number
  readonly to: number
}

/** `starting`: up but not started; `seeking`: started, and follows no leader; `outside`: the same, and the group does not name it. */
export type LaneState = 'starting' | 'seeking' | 'outside' | 'following' | 'leading' | 'down'

export interface Interval extends Span {
  readonly state: LaneState
  readonly leader: number
  /** As people see it; null where the recording does not say. */
  readonly term: string | null
  readonly status: string
  readonly paused: boolean
  /** Whether the newest configuration of the group names it. */
  readonly inside: boolean
}

export interface Lane {
  readonly label: number
  readonly intervals: readonly Interval[]
}

export type ArrowPurpose = 'election' | 'heartbeat' | 'repair' | 'detector'

export interface Arrow {
  readonly from: number
  readonly to: number
  readonly leftAt: number
  /** When it arrived or was lost; the end of the run where it is still in flight. */
  readonly endAt: number
  readonly fate: 'delivered' | 'lost' | 'under way'
  /** The reason of a loss, or ''. */
  readonly why: string
  readonly type: string
  readonly text: string
  readonly part: Part
  readonly purpose: ArrowPurpose
  /** The second delivery of one message. */
  readonly duplicate: boolean
  /** Periodic, and without effect. */
  readonly routine: boolean
  /** Its receiver changed its leader. */
  readonly decisive: boolean
}

export type MarkKind =
  FaultKind | 'start' | 'timeout' | 'verdict' | 'elected' | 'drawn' | 'violation'

export interface Mark {
  readonly at: number
  readonly kind: MarkKind
  /** The member concerned, or 0: the world. */
  readonly label: number
  readonly text: string
  readonly routine: boolean
}

export interface Diagram {
  readonly algorithm: string
  readonly members: number
  readonly seed: number | null
  /** Whether times are microseconds; else they are the numbers of steps. */
  readonly clock: boolean
  readonly endUs: number
  readonly lanes: readonly Lane[]
  readonly arrows: readonly Arrow[]
  readonly marks: readonly Mark[]
  /** While not all up members named one up leader. */
  readonly leaderless: readonly Span[]
  /** While two up members followed different leaders. */
  readonly splits: readonly Span[]
}

export interface DiagramSource {
  readonly config: Pick<SimConfig, 'algorithm' | 'members' | 'labels'> &
    Partial<Pick<SimConfig, 'seed' | 'network' | 'down' | 'initiators' | 'voters' | 'observers'>>
  readonly recording: Pick<Recording, 'entries' | 'show'>
  readonly endUs: number
  /** With the times of the monitors; where absent, the recorded steps say which promise they broke. */
  readonly violations?: readonly Violation[]
  readonly clock?: boolean
}
