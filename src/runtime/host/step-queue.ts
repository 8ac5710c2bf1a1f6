/**
 * Runs a member's steps one at a time, in the order of their events (a frame, a time-out, a verdict); what the host
 * calls urgent goes first.
 */
import type { Clock } from '../../clock/monotonic.ts'

/** Why the running step was taken, where that explains the loss of a term. */
export interface StepCause {
  readonly kind: 'deadline' | 'stall' | 'failure'
  /** How long after its due time the step runs. */
  readonly lateMs: number
}

interface StepQueueOwner {
  /** The step that goes before all others, if there is one now. */
  urgent(): (() => void) | undefined
  /** A step is complete: its stable fields become durable, then its messages leave. */
  commit(): void
  /** A step threw: its messages must not leave, and the queue has been emptied. */
  failed(error: Error): void
}

export class StepQueue {
  /** When the running step began. */
  now = 0
  cause: StepCause | null = null
  /** When the event loop was last known to respond. */
  progressAt = 0
  /** How many steps were taken. */
  taken = 0
  isBusy = false
  private readonly queue: (() => void)[] = []
  private readonly clock: Clock
  private readonly owner: StepQueueOwner

  constructor(clock: Clock, owner: StepQueueOwner) {
    this.clock = clock
    this.owner = owner
  }

  /** Takes the step, and those that follow from it; from within a step, afterwards. */
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

  /** From within a step: adds a step of its own. */
  add(action: () => void): void {
    this.queue.push(action)
  }

  /** Acts as if it was an earlier moment: what has happened then is only taken note of now. */
  at(moment: number, action: () => void): void {
    const { now } = this
    this.now = moment
    try {
      action()
    } finally {
      this.now = now
    }
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
