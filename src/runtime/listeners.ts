/** Stores the listeners of an election's events, and calls them after the step, in order. */
export type Listener<Event> = (event: Event) => void

export class Listeners<Events> {
  private readonly listeners = new Map<keyof Events, Set<Listener<never>>>()
  /** Lets overdue deadlines act; called before each listener. */
  private readonly check: () => void

  constructor(check: () => void) {
    this.check = check
  }

  add<K extends keyof Events>(event: K, listener: Listener<Events[K]>): void {
    const listeners = this.listeners.get(event) ?? new Set()
    this.listeners.set(event, listeners.add(listener))
  }

  delete<K extends keyof Events>(event: K, listener: Listener<Events[K]>): void {
    this.listeners.get(event)?.delete(listener)
  }

  has(event: keyof Events): boolean {
    return (this.listeners.get(event)?.size ?? 0) > 0
  }

  clear(): void {
    this.listeners.clear()
  }

  /** Listeners run after the step, in order. */
  emit<K extends keyof Events>(event: K, payload: Events[K]): void {
    for (const listener of this.listeners.get(event) ?? []) {
      queueMicrotask(() => {
        this.check()
        ;(listener as Listener<Events[K]>)(payload)
      })
    }
  }
}
