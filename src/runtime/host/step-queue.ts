/**
 * One step at a time, in the order in which things happened: a frame, a time-out, a verdict. What is
 * urgent goes before everything else.
 */
import type { Clock } from '../../clock/monotonic.ts'

/** How the running step began, where that explains what changed. */
export type Cause = 'deadline' | 'stall' | 'failure' | null

interface Owner {
  /** What goes before all else, if there is anything such now. */
  urgent(): (() => void) | undefined
  /** A step is done: what it changed is kept, what it sent may leave. */
  commit(): void
  /** A step could not be finished: nothing of it may leave, and nothing that waited is done. */
  failed(error: Error): void
}

export class StepQueue {
  /** When the step that runs began. */
  now = 0
  /** Why the step that runs is run, and how late it is. */
  cause: Cause = null
  lateMs = 0
  /** When the loop was last seen to go round. */
  progressAt = 0
  /** How many were taken so far. */
  taken = 0
  isBusy = false
  private readonly queue: (() => void)[] = []
  private readonly clock: Clock
  private readonly owner: Owner

  constructor(clock: Clock, owner: Owner) {
    this.clock = clock
    this.owner = owner
  }

  /** Runs to completion, after whatever came before; what it causes follows at once. */
  run(action: () => void): void {
    this.queue.push(action)
    if (this.isBusy) return
    this.isBusy = true
    try {
      while (this.queue.length > 0) {
        this.now = this.clock.now()
        this.cause = null
        this.attempt(this.owner.urgent() ?? this.queue.shift()!)
        this.progressAt = this.now
      }
    } finally {
      this.isBusy = false
    }
  }

  /** Within a step: what it causes, in a step of its own. */
  follow(action: () => void): void {
    this.queue.push(action)
  }

  private attempt(action: () => void): void {
    this.taken += 1
    try {
      action()
      this.owner.commit()
    } catch (error) {
      this.queue.length = 0
      this.owner.failed(error instanceof Error ? error : new Error(String(error)))
    }
  }
}
