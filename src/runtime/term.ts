/**
 * A term that this member holds, as the user's work sees it: its signal, fence and remaining time, the check that it
 * is valid, and the reasons for its end.
 */
import type { Clock } from '../clock/monotonic.ts'
import { TermOverError } from './errors.ts'

export type LostReason =
  'expired' | 'deposed' | 'quorum-lost' | 'engine-lost' | 'paused' | 'stepped-down' | 'closed'

declare const fence: unique symbol
/** A number that rises with every leader: the protected resource compares it. */
export type Fence = number & { readonly [fence]: true }

export interface Term {
  /** Aborted when the term ends; its reason is a TermOverError. */
  readonly signal: AbortSignal
  /** Rises with every term. */
  readonly number: number
  /** An advisory term has none: in a partition two members may lead. */
  readonly fence: Fence | undefined
  /** How long this term lasts at least if no frame arrives any more; Infinity without a lease. */
  remainingMs(): number
  /** Throws TermOverError unless the term is valid now. Call it before each effect on the outside. */
  assert(): void
}

/** A term under `quorum` or `fenced(engine)`: it ends at its deadline and has a fence. */
export interface FencedTerm extends Term {
  readonly fence: Fence
}

export class HeldTerm implements Term {
  readonly number: number
  readonly fence: Fence | undefined
  private readonly controller = new AbortController()
  private readonly clock: Clock
  private readonly deadline: () => number
  /** Lets overdue deadlines act. */
  private readonly check: () => void
  reason: LostReason | null = null

  constructor(
    number: number,
    fenced: boolean,
    clock: Clock,
    deadline: () => number,
    check: () => void,
  ) {
    this.number = number
    this.fence = fenced ? (number as Fence) : undefined
    this.clock = clock
    this.deadline = deadline
    this.check = check
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  remainingMs(): number {
    return this.reason === null ? Math.max(0, this.deadline() - this.clock.now()) : 0
  }

  assert(): void {
    this.check()
    if (this.remainingMs() > 0) return
    throw new TermOverError(this.number, this.reason ?? 'expired')
  }

  end(reason: LostReason): void {
    this.reason = reason
    this.controller.abort(new TermOverError(this.number, reason))
  }
}
