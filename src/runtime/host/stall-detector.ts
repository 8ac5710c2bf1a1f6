/**
 * A leader whose loop hung must do nothing more as one. With a lease, the deadline sees to it. Without one,
 * its steps show that the loop goes round; and a pulse does, should nothing else be due soon.
 */
import type { Timers } from './timers.ts'
import type { Cancel, Clock } from '../../clock/monotonic.ts'
import type { StepQueue } from './step-queue.ts'

export class StallDetector {
  /** Whether I lead without a lease. */
  isNeeded = false
  private readonly clock: Clock
  private readonly steps: StepQueue
  private readonly alarms: Timers<string>
  private readonly longestStallMs: number
  private cancel: Cancel | null = null

  constructor(clock: Clock, steps: StepQueue, alarms: Timers<string>, longestStallMs: number) {
    this.clock = clock
    this.steps = steps
    this.alarms = alarms
    this.longestStallMs = longestStallMs
  }

  isStalled(now: number): boolean {
    return this.isNeeded && now - this.steps.progressAt > this.longestStallMs
  }

  beat(): void {
    const pulseMs = this.longestStallMs / 2
    if (this.cancel !== null) return
    if (this.alarms.nextDue <= this.steps.now + pulseMs) return
    this.cancel = this.clock.after(pulseMs, () => {
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
