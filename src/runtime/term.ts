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
  /** The group that this member leads. */
  readonly group: string
  /** Rises with every term. */
  readonly number: number
  /** The number as people see it, for logs: `1·e` is the first term of e; a token of an engine is a plain number. */
  readonly text: string
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

export interface TermConfig {
  readonly group: string
  readonly number: number
  /** The number as people see it, such as `1·e`. */
  readonly text: string
  readonly fenced: boolean
  readonly clock: Pick<Clock, 'now'>
  deadline(): number
  /** Lets overdue deadlines act. */
  check(): void
}

export class HeldTerm implements Term {
  readonly group: string
  readonly number: number
  readonly text: string
  readonly fence: Fence | undefined
  private readonly controller = new AbortController()
  private readonly config: TermConfig
  reason: LostReason | null = null

  constructor(config: TermConfig) {
    const { group, number, text, fenced } = config
    this.text = text
    this.config = config
    this.group = group
    this.number = number
    this.fence = fenced ? (number as Fence) : undefined
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  remainingMs(): number {
    const { clock } = this.config
    this.config.check()
    return this.reason === null ? Math.max(0, this.config.deadline() - clock.now()) : 0
  }

  assert(): void {
    if (this.remainingMs() > 0) return
    throw new TermOverError(this.number, this.reason ?? 'expired', this.text)
  }

  end(reason: LostReason): void {
    this.reason = reason
    this.controller.abort(new TermOverError(this.number, reason, this.text))
  }
}
