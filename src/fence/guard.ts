/** Checks fences in this process: a guard remembers the largest token that it has seen, and refuses a smaller one. */
import type { Fence, FencedTerm } from '../runtime/term.ts'

/** The token is below one that the resource has seen: another member leads. */
export class StaleFenceError extends Error {
  override readonly name = 'StaleFenceError'
  readonly fence: number
  readonly resource: string

  constructor(fence: number, resource: string) {
    super(`${resource} has seen a fence above ${fence}: another member leads, stop this work`)
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
}

/** Guards anything in this process that must serve one leader at a time. */
export class Guard {
  private readonly name: string
  private readonly keep: (seen: number) => void
  private largest: number

  constructor({ name = 'the resource', seen = 0, keep = () => undefined }: GuardOptions = {}) {
    this.name = name
    this.largest = seen
    this.keep = keep
  }

  get seen(): number {
    return this.largest
  }

  /** Throws StaleFenceError unless no larger token was seen. What follows must not wait in between. */
  check(term: FencedTerm | Fence): void {
    this.admit(typeof term === 'number' ? term : term.fence)
  }

  /** As `check`, for a number that arrived over a network. */
  admit(fence: number): void {
    if (!Number.isSafeInteger(fence) || fence < this.largest) {
      throw new StaleFenceError(fence, this.name)
    }
    if (fence === this.largest) return
    this.keep(fence)
    this.largest = fence
  }
}
