/** Counts the messages of a run by type and purpose, as they are sent. */
import type { Algorithm, Purpose } from '../../core/algorithm.ts'
import type { Part } from './step.ts'

interface Counter {
  readonly purpose: Purpose | 'election' | 'detector'
  count: number
  /** How many of them were sent to members that were down. */
  attempts: number
}

export class MessageCounts {
  total = 0
  private readonly algorithm: Algorithm
  private readonly counters = new Map<string, Counter>()
  /** The type that was counted last: a broadcast counts the same one again and again. */
  private lastKey = ''
  private last: Counter | null = null

  constructor(algorithm: Algorithm) {
    this.algorithm = algorithm
  }

  /** Counts a message; returns whether a run that waits for quiet must wait for it. */
  count(type: string, part: Part, receiverUp: boolean): boolean {
    const key = part === 'election' ? type : `detector.${type}`
    if (this.last === null || key !== this.lastKey) this.last = this.find(key, type, part)
    this.lastKey = key
    this.total += 1
    this.last.count += 1
    const { purpose } = this.last
    if (purpose === 'detector' || purpose === 'heartbeat') return false
    if (!receiverUp) this.last.attempts += 1
    return receiverUp
  }

  sumOf(purpose: Counter['purpose']): number {
    let sum = 0
    for (const counter of this.counters.values())
      if (counter.purpose === purpose) sum += counter.count
    return sum
  }

  get attempts(): number {
    let sum = 0
    for (const counter of this.counters.values()) sum += counter.attempts
    return sum
  }

  /** Counts by type, sorted; `election (attempt)` counts those that were sent to members that were down. */
  get byType(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const [type, { count, attempts }] of [...this.counters].sort(([a], [b]) =>
      a < b ? -1 : 1,
    )) {
      counts[type] = count
      if (attempts > 0) counts[`${type} (attempt)`] = attempts
    }
    return counts
  }

  private find(key: string, type: string, part: Part): Counter {
    let counter = this.counters.get(key)
    if (counter === undefined) {
      const purpose = part === 'detector' ? part : (this.algorithm.purposes[type] ?? 'election')
      counter = { purpose, count: 0, attempts: 0 }
      this.counters.set(key, counter)
    }
    return counter
  }
}
