/** The armed timers of one life, by name. */
import type { Cancel, Clock } from './clock.ts'

interface Alarm {
  readonly due: number
  readonly cancel: Cancel
}

export class Alarms {
  private readonly clock: Clock
  private readonly ring: (name: string) => void
  private readonly armed = new Map<string, Alarm>()

  constructor(clock: Clock, ring: (name: string) => void) {
    this.clock = clock
    this.ring = ring
  }

  /** Arms a timer, again if it is armed. `from` is when the time began to run. */
  set(name: string, from: number, minMs: number, maxMs = minMs): void {
    this.clear(name)
    const due = from + minMs + Math.random() * (maxMs - minMs)
    const cancel = this.clock.after(Math.max(0, due - this.clock.now()), () => this.ring(name))
    this.armed.set(name, { due, cancel })
  }

  clear(name: string): void {
    this.armed.get(name)?.cancel()
    this.armed.delete(name)
  }

  clearAll(): void {
    for (const { cancel } of this.armed.values()) cancel()
    this.armed.clear()
  }

  dueOf(name: string): number {
    return this.armed.get(name)?.due ?? Infinity
  }

  /** Whether it is armed and due; then it is armed no longer. */
  take(name: string, now: number): boolean {
    if (this.dueOf(name) > now) return false
    this.clear(name)
    return true
  }
}
