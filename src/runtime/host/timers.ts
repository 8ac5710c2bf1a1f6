/** Sets, clears and fires the timers of an algorithm or a detector, by name, in real time. */
import type { Clock, Timer } from '../../clock/monotonic.ts'

export class Timers<Name> {
  private readonly clock: Clock
  private readonly fired: (name: Name) => void
  private readonly timers = new Map<Name, Timer>()
  private isSuspended = false

  constructor(clock: Clock, fired: (name: Name) => void) {
    this.clock = clock
    this.fired = fired
  }

  /** Sets a timer, or sets it again. The time runs from the moment `from`. */
  set(name: Name, from: number, minMs: number, maxMs = minMs): void {
    let timer = this.timers.get(name)
    if (timer === undefined) {
      timer = this.clock.timer(() => this.fired(name))
      this.timers.set(name, timer)
    }
    const due = from + minMs + (maxMs > minMs ? Math.random() * (maxMs - minMs) : 0)
    if (this.isSuspended) timer.due = due
    else timer.set(due)
  }

  /** Timers keep their due times, and none fires until `resume`. */
  suspend(): void {
    this.isSuspended = true
    for (const timer of this.timers.values()) {
      const { due } = timer
      timer.stop()
      timer.due = due
    }
  }

  resume(): void {
    this.isSuspended = false
    for (const timer of this.timers.values()) if (timer.due < Infinity) timer.set(timer.due)
  }

  clear(name: Name): void {
    const timer = this.timers.get(name)
    if (timer !== undefined) timer.due = Infinity
  }

  /** Time has passed that the clock did not count: the timer is due sooner. */
  advance(name: Name, ms: number): void {
    const timer = this.timers.get(name)
    if (timer === undefined || timer.due === Infinity) return
    if (this.isSuspended) timer.due -= ms
    else timer.set(timer.due - ms)
  }

  clearAll(): void {
    this.isSuspended = false
    for (const timer of this.timers.values()) timer.stop()
    this.timers.clear()
  }

  dueOf(name: Name): number {
    return this.timers.get(name)?.due ?? Infinity
  }

  get nextDue(): number {
    let next = Infinity
    for (const { due } of this.timers.values()) if (due < next) next = due
    return next
  }

  /** Clears the timer if it is due, and tells whether it was. */
  take(name: Name, now: number): boolean {
    if (this.dueOf(name) > now) return false
    this.clear(name)
    return true
  }
}
