/** What an election tells whoever listens. */
import type { Json } from '../core/schema.ts'
import type { LostReason } from './term.ts'

/** `none`: I take part, and nobody leads. `unknown`: I take no part at the moment, so I cannot tell. */
export type View =
  | {
      readonly kind: 'leader'
      readonly leader: string
      readonly term: number
      /** Whether it is this member, and its term is valid. */
      readonly me: boolean
      readonly address: string
      /** What the leader gave to `join`; null until it is known. */
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
    /** When it ended, by the clock of `renewed`: whoever listens hears of it a little later. */
    readonly atMs: number
  }
  /** The lease goes on until then: milliseconds of CLOCK_MONOTONIC, as `process.hrtime` counts. */
  renewed: { readonly term: number; readonly untilMs: number }
  leader: View
  peer: { readonly peer: string; readonly state: 'up' | 'down' }
  /** A peer and this member turn each other away: another configuration, cluster, version, key … */
  refused: { readonly peer: string; readonly field: string; readonly detail: string }
  /**
   * This member could not go on and takes no part for a while; its engine cannot be used; or its work has not
   * stopped in time. Where nobody listens it becomes a warning of the process.
   */
  error: Error
}
