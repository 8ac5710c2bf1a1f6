/**
 * Notices that the event loop of a leader without a lease was stalled: peers may have replaced it meanwhile.
 * (With a lease, its deadline does that.) Each step shows that the loop responds; when no timer is due soon,
 * the stall detector adds an empty step.
 */
import type { Cancel, Clock } from '../../clock/monotonic.ts'
import type { StepQueue } from './step-queue.ts'
import type { Timers } from './timers.ts'

export class StallDetector {
  /** Whether this member leads without a lease. */
  isNeeded = false
  private readonly clock: Clock
  private readonly steps: StepQueue
  private readonly longestStallMs: number
  private cancel: Cancel | null = null

  constructor(clock: Clock, steps: StepQueue, longestStallMs: number) {
    this.clock = clock
    this.steps = steps
    this.longestStallMs = longestStallMs
  }

  isStalled(now: number): boolean {
    return this.isNeeded && now - this.steps.progressAt > this.longestStallMs
  }

  /** Makes sure that a step is taken within half of the longest stall. */
  scheduleStep(timers: Timers<string>): void {
    const halfMs = this.longestStallMs / 2
    if (this.cancel !== null || timers.nextDue <= this.steps.now + halfMs) return
    this.cancel = this.clock.after(halfMs, () => {
      this.cancel = null
      this.steps.run(() => undefined)
    })
  }

  stop(): void {
    this.isNeeded = false
    this.cancel?.()
    this.cancel = null
  }
}
