/** Checks fences in this process: a guard remembers the largest token that it has seen, and refuses a smaller one. */
import { BellwetherError } from '../core/errors/bellwether-error.ts'
import { checkNames, ConfigurationError } from '../core/errors/configuration-error.ts'
import type { Fence, FencedTerm } from '../runtime/term.ts'

/** Throws ConfigurationError unless it is a term that has a fence. */
export function checkTerm(term: FencedTerm): void {
  if (typeof (term as Partial<FencedTerm> | undefined | null)?.fence === 'number') return
  throw new ConfigurationError('term', 'must be the term of lead, under quorum or fenced')
}

/** The token is below one that the resource has seen: another member leads. */
export class StaleFenceError extends BellwetherError {
  override readonly name = 'StaleFenceError'
  readonly code = 'stale-fence'
  readonly fence: number
  readonly resource: string

  constructor(fence: number, resource: string) {
    super(`${resource} has seen a fence above ${fence}: another member leads, stop this work`)
    this.fence = fence
    this.resource = resource
  }
}

/** The token is so far above the largest one that no leader can have got it: a mistake, or an attack. */
export class FenceLeapError extends BellwetherError {
  override readonly name = 'FenceLeapError'
  readonly code = 'fence-leap'
  readonly fence: number
  readonly resource: string

  constructor(fence: number, seen: number, resource: string) {
    super(
      `${resource} has seen the fence ${seen}, and ${fence} is too far above it: if the engine was reseeded, ` +
        'make the guard with `seen`, else find out who sent it',
    )
    this.fence = fence
    this.resource = resource
  }
}

export interface GuardOptions {
  /** The name of the resource in errors. */
  readonly name?: string
  /** The largest token before this process started. */
  readonly seen?: number
  /** Makes a larger token durable before it counts; for a resource that outlives its process. */
  readonly keep?: (seen: number) => void
  /**
   * How far above the largest token the next may be. A token that is too large locks every leader out for good. By
   * default 2^42: more than a group elects in a century.
   */
  readonly maxLeap?: number
}

const MAX_LEAP = 2 ** 42

/** Guards anything in this process that must serve one leader at a time. */
export class Guard {
  private readonly name: string
  private readonly keep: (seen: number) => void
  private readonly maxLeap: number
  private largest: number

  constructor(options: GuardOptions = {}) {
    checkNames(options, ['name', 'seen', 'keep', 'maxLeap'], 'guard')
    const { name = 'the resource', seen = 0, keep = () => undefined, maxLeap = MAX_LEAP } = options
    this.maxLeap = maxLeap
    this.name = name
    this.largest = seen
    this.keep = keep
  }

  get seen(): number {
    return this.largest
  }

  /**
   * Throws StaleFenceError where a larger token was seen, FenceLeapError where this one leaps. What follows must not
   * wait in between.
   */
  check(term: FencedTerm | Fence): void {
    this.admit(typeof term === 'number' ? term : term.fence)
  }

  /** As `check`, for a number that arrived over a network. */
  admit(fence: number): void {
    if (!Number.isSafeInteger(fence) || fence < this.largest) {
      throw new StaleFenceError(fence, this.name)
    }
    if (fence === this.largest) return
    if (fence - this.largest > this.maxLeap) {
      throw new FenceLeapError(fence, this.largest, this.name)
    }
    this.keep(fence)
    this.largest = fence
  }
}
