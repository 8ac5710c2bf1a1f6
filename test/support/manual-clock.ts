/** A clock for the runtime that a test moves by hand: timers fire only inside `advance`. */
import type { Clock } from '../../src/runtime/host/clock.ts'

interface ManualAlarm {
  due: number
  readonly action: () => void
}

export class ManualClock implements Clock {
  private time = 0
  private readonly alarms: ManualAlarm[] = []

  now(): number {
    return this.time
  }

  after(ms: number, action: () => void): () => void {
    const alarm = this.add(action)
    alarm.due = this.time + ms
    return () => {
      alarm.due = Infinity
    }
  }

  alarm(action: () => void): ReturnType<Clock['alarm']> {
    const alarm = this.add(action)
    const handle = {
      get due(): number {
        return alarm.due
      },
      set due(due: number) {
        alarm.due = due
      },
      set: (due: number) => void (alarm.due = due),
      stop: () => void (alarm.due = Infinity),
    }
    return handle as unknown as ReturnType<Clock['alarm']>
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
      const next = this.alarms.reduce((a, b) => (b.due < a.due ? b : a), NEVER)
      if (next.due > end) break
      this.time = Math.max(this.time, next.due)
      // The owner still reads `due` to see how late it is; it sets it anew.
      const { due } = next
      next.action()
      if (next.due === due) next.due = Infinity
    }
    this.time = Math.max(this.time, end)
  }

  private add(action: () => void): ManualAlarm {
    const alarm = { due: Infinity, action }
    this.alarms.push(alarm)
    return alarm
  }
}

const NEVER: ManualAlarm = { due: Infinity, action: () => undefined }
