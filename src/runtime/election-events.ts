/** The types of an election's events and of the view of who leads. */
import type { Json } from '../core/schema.ts'
import type { LostReason } from './term.ts'

/** `none`: this member takes part, and there is no leader. `unknown`: this member takes no part at the moment. */
export type View =
  | {
      readonly kind: 'leader'
      readonly leader: string
      readonly term: number
      /** Whether it is this member, and its term is valid. */
      readonly me: boolean
      readonly address: string
      /** The metadata that the leader gave to `join`; null until it is known. */
      readonly metadata: Json
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' }

export interface ElectionEvents {
  elected: { readonly term: number }
  lost: {
    readonly term: number
    readonly reason: LostReason
    readonly detail: string | undefined
    /** When it ended, by the clock of `renewed`: listeners run a little later. */
    readonly atMs: number
  }
  /** Until when the lease is extended: milliseconds of CLOCK_MONOTONIC, as `process.hrtime` counts. */
  renewed: { readonly term: number; readonly untilMs: number }
  leader: View
  peer: { readonly peer: string; readonly state: 'up' | 'down' }
  /** A peer and this member reject each other: another configuration, cluster, version, key … */
  refused: { readonly peer: string; readonly field: string; readonly detail: string }
  /**
   * A step failed and this member takes no part for a while; its engine cannot be used; or its work has not
   * stopped in time. Without a listener it becomes a warning of the process.
   */
  error: Error
}
