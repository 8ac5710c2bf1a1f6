/** The types of an election's events and of the view of who leads. */
import type { Json } from '../core/schema.ts'
import type { MemberEntry } from './membership/member-list.ts'
import type { LostReason } from './term.ts'

export interface LeaderView<M extends Json = Json> {
  readonly kind: 'leader'
  readonly leader: string
  readonly term: number
  /** Whether it is this member, and its term is valid. */
  readonly me: boolean
  /** Where it listens; empty without a mesh, where `metadata` can say where it takes requests. */
  readonly address: string
  /** The metadata that the leader gave to `join`; null until it is known. */
  readonly metadata: M | null
}

/**
 * `none`: this member takes part, and there is no leader. `unknown`: this member takes no part at the moment or, without
 * a mesh, has not heard from the engine for so long that the leader may be another one.
 */
export type View<M extends Json = Json> =
  LeaderView<M> | { readonly kind: 'none' } | { readonly kind: 'unknown' }

export interface ElectionEvents<M extends Json = Json> {
  elected: { readonly term: number }
  lost: {
    readonly term: number
    readonly reason: LostReason
    /** What was given to `stepDown` as its reason, or why the work failed. */
    readonly detail: string | undefined
    /** When it ended, by the clock of `renewed`: listeners run a little later. */
    readonly atMs: number
  }
  /** Until when the lease is extended: milliseconds of CLOCK_MONOTONIC, as `process.hrtime` counts. */
  renewed: { readonly term: number; readonly untilMs: number }
  leader: View<M>
  /** The verdict of the failure detector. `reason`: why the peer is down, as far as it is known. */
  peer: {
    readonly peer: string
    readonly state: 'up' | 'down'
    readonly reason: string | undefined
  }
  /** A peer cannot be reached, for another reason than before: its name is not found, nothing listens, no answer … */
  unreachable: { readonly peer: string; readonly reason: string }
  /** A peer and this member reject each other: another configuration, cluster, version, key … */
  refused: { readonly peer: string; readonly field: string; readonly detail: string }
  /** The group has another configuration: its members, their roles, its timing. */
  reconfigured: {
    readonly members: readonly MemberEntry[]
    /** What differs from the configuration before, such as `timing.detection: 1500 ms → 1000 ms`. */
    readonly changes: readonly string[]
  }
  /** The group has removed this member, which takes no part any more. */
  removed: { readonly leader: string | null }
  /**
   * The work threw (WorkFailedError, each time) or has not stopped in time (WorkOverdueError); a step failed and this
   * member takes no part for a while; or its engine cannot be used. Without a listener it becomes a warning of the
   * process.
   */
  error: Error
}
