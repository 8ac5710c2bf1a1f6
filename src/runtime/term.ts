/** One leadership of this member, from the moment it is won to the moment it must not be relied on. */
import type { Clock } from '../clock/monotonic.ts'
import { TermOverError } from './errors.ts'

export type LostReason =
  'expired' | 'deposed' | 'quorum-lost' | 'engine-lost' | 'paused' | 'stepped-down' | 'closed'

declare const fence: unique symbol
/** A number that no later leader shares and that only rises: what a protected resource compares. */
export type Fence = number & { readonly [fence]: true }

export interface Term {
  /** Aborted when the term ends; its reason is a TermOverError. */
  readonly signal: AbortSignal
  /** Rises with every term. */
  readonly number: number
  /** An advisory term has none: in a partition two members may lead. */
  readonly fence: Fence | undefined
  /** How long this term lasts at least, if nothing is heard from now on; Infinity without a lease. */
  remainingMs(): number
  /** Throws TermOverError unless the term is valid now. Call it before each effect on the outside. */
  assert(): void
}

/** A term under `quorum` or `fenced(engine)`: valid until its deadline, and good for a fence. */
export interface FencedTerm extends Term {
  readonly fence: Fence
}

export class HeldTerm implements Term {
  readonly number: number
  readonly fence: Fence | undefined
  private readonly controller = new AbortController()
  private readonly clock: Clock
  private readonly deadline: () => number
  /** Lets an overdue deadline act. */
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
