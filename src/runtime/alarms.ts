/**
 * The armed timers of one life, by name.
 *
 * Most are moved on again and again and hardly ever fire. One that moves to a later moment leaves the
 * clock's timer as it is: when that comes, it is armed again for what is left.
 */
import type { Cancel, Clock } from './clock.ts'

interface Alarm {
  /** Infinity: nothing is to happen. */
  due: number
  /** When the clock's timer comes; Infinity while there is none. */
  comesAt: number
  cancel: Cancel
}

export class Alarms {
  private readonly clock: Clock
  private readonly ring: (name: string) => void
  private readonly alarms = new Map<string, Alarm>()

  constructor(clock: Clock, ring: (name: string) => void) {
    this.clock = clock
    this.ring = ring
  }

  /** Arms a timer, again if it is armed. `from` is when the time began to run. */
  set(name: string, from: number, minMs: number, maxMs = minMs): void {
    let alarm = this.alarms.get(name)
    if (alarm === undefined) {
      alarm = { due: Infinity, comesAt: Infinity, cancel: () => undefined }
      this.alarms.set(name, alarm)
    }
    alarm.due = from + minMs + (maxMs > minMs ? Math.random() * (maxMs - minMs) : 0)
    if (alarm.comesAt > alarm.due) this.arm(name, alarm)
  }

  clear(name: string): void {
    const alarm = this.alarms.get(name)
    if (alarm !== undefined) alarm.due = Infinity
  }

  clearAll(): void {
    for (const { cancel } of this.alarms.values()) cancel()
    this.alarms.clear()
  }

  dueOf(name: string): number {
    return this.alarms.get(name)?.due ?? Infinity
  }

  /** When the next one is due. */
  get nextDue(): number {
    let next = Infinity
    for (const { due } of this.alarms.values()) if (due < next) next = due
    return next
  }

  /** Whether it is armed and due; then it is armed no longer. */
  take(name: string, now: number): boolean {
    if (this.dueOf(name) > now) return false
    this.clear(name)
    return true
  }

  private arm(name: string, alarm: Alarm): void {
    alarm.cancel()
    alarm.comesAt = alarm.due
    const leftMs = Math.max(0, alarm.due - this.clock.now())
    alarm.cancel = this.clock.after(leftMs, () => {
      alarm.comesAt = Infinity
      if (alarm.due === Infinity) return
      if (alarm.due > this.clock.now()) this.arm(name, alarm)
      else this.ring(name)
    })
  }
}
