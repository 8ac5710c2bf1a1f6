/** A clock for the runtime that a test moves by hand: timers fire only inside `advance`. */
import type { Clock } from '../../src/clock/monotonic.ts'

interface ManualTimer {
  due: number
  readonly action: () => void
}

export class ManualClock implements Clock {
  private time = 0
  private readonly timers: ManualTimer[] = []

  now(): number {
    return this.time
  }

  after(ms: number, action: () => void): () => void {
    const timer = this.add(action)
    timer.due = this.time + ms
    return () => {
      timer.due = Infinity
    }
  }

  timer(action: () => void): ReturnType<Clock['timer']> {
    const timer = this.add(action)
    return {
      get due(): number {
        return timer.due
      },
      set due(due: number) {
        timer.due = due
      },
      set: (due: number) => void (timer.due = due),
      stop: () => void (timer.due = Infinity),
    }
  }

  lagMs(): number {
    return 0
  }

  /** Time passes as for a process that is stopped: nothing fires. */
  stall(ms: number): void {
    this.time += ms
  }

  /** Time passes, and timers fire when they are due. */
  advance(ms: number): void {
    const end = this.time + ms
    for (;;) {
      const next = this.timers.reduce((a, b) => (b.due < a.due ? b : a), NEVER)
      if (next.due > end) break
      this.time = Math.max(this.time, next.due)
      // The owner still reads `due` to see how late it is; it sets it anew.
      const { due } = next
      next.action()
      if (next.due === due) next.due = Infinity
    }
    this.time = Math.max(this.time, end)
  }

  private add(action: () => void): ManualTimer {
    const timer = { due: Infinity, action }
    this.timers.push(timer)
    return timer
  }
}

const NEVER: ManualTimer = { due: Infinity, action: () => undefined }
