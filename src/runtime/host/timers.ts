/** The armed timers of one life, by name. */
import type { Timer, Clock } from '../../clock/monotonic.ts'

export class Timers<Name> {
  private readonly clock: Clock
  private readonly ring: (name: Name) => void
  private readonly alarms = new Map<Name, Timer>()

  constructor(clock: Clock, ring: (name: Name) => void) {
    this.clock = clock
    this.ring = ring
  }

  /** Arms a timer, again if it is armed. `from` is when the time began to run. */
  set(name: Name, from: number, minMs: number, maxMs = minMs): void {
    let alarm = this.alarms.get(name)
    if (alarm === undefined) {
      alarm = this.clock.timer(() => this.ring(name))
      this.alarms.set(name, alarm)
    }
    alarm.set(from + minMs + (maxMs > minMs ? Math.random() * (maxMs - minMs) : 0))
  }

  clear(name: Name): void {
    const alarm = this.alarms.get(name)
    if (alarm !== undefined) alarm.due = Infinity
  }

  clearAll(): void {
    for (const alarm of this.alarms.values()) alarm.stop()
    this.alarms.clear()
  }

  dueOf(name: Name): number {
    return this.alarms.get(name)?.due ?? Infinity
  }

  /** When the next one is due. */
  get nextDue(): number {
    let next = Infinity
    for (const { due } of this.alarms.values()) if (due < next) next = due
    return next
  }

  /** Whether it is armed and due; then it is armed no longer. */
  take(name: Name, now: number): boolean {
    if (this.dueOf(name) > now) return false
    this.clear(name)
    return true
  }
}
