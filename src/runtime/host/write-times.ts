/**
 * Measures how long durable writes take, and reports a disk that is too slow for the lease.
 *
 * A leader's lease runs from the moment at which it asked for votes. Its voters write, it writes, and they write again
 * before they answer its first heartbeat: three writes in a row must fit into the lease, besides the messages.
 */
import type { Clock } from '../../clock/monotonic.ts'
import { StoreError } from '../../stores/store.ts'

/** Slower than this part of a lease, a write delays elections. */
const SLOW = 1 / 8
/** A busy machine interrupts a quick write for less. */
const LEAST_SLOW_MS = 100
/** Slower than this part, no member can lead: see above. */
export const TOO_SLOW = 0.3

const MEMORY_MS = 600_000
const REPORT_EVERY_MS = 60_000

export class WriteTimes {
  private readonly clock: Clock
  private readonly leaseMs: number
  private readonly place: string
  private readonly report: (error: Error) => void
  private slowest = { ms: 0, atMs: -Infinity }
  private reportedAt = -Infinity
  /** Whether the last write was slow: a single one may have been interrupted. */
  private wasSlow = false

  constructor(clock: Clock, leaseMs: number, place: string, report: (error: Error) => void) {
    this.clock = clock
    this.leaseMs = leaseMs
    this.place = place
    this.report = report
  }

  /** The slowest write of the last ten minutes; 0 where there was none. */
  get slowestMs(): number {
    const { ms, atMs } = this.slowest
    return this.clock.now() - atMs > MEMORY_MS ? 0 : ms
  }

  measure(write: () => void): void {
    const before = this.clock.now()
    write()
    const atMs = this.clock.now()
    const ms = atMs - before
    if (ms >= this.slowestMs) this.slowest = { ms, atMs }
    const isAgain = this.wasSlow
    this.wasSlow = isSlow(ms, this.leaseMs)
    if (!this.wasSlow || !isAgain || atMs - this.reportedAt < REPORT_EVERY_MS) return
    this.reportedAt = atMs
    this.report(new StoreError(`${this.place}: ${slowText(ms, this.leaseMs)}`))
  }
}

function isSlow(ms: number, leaseMs: number): boolean {
  return ms >= Math.max(LEAST_SLOW_MS, leaseMs * SLOW)
}

/** What follows from the time of a write, for an operator; empty where it is short. */
export function slowText(ms: number, leaseMs: number): string {
  if (!isSlow(ms, leaseMs)) return ''
  const limitMs = Math.round(leaseMs * TOO_SLOW)
  const effect = ms > limitMs ? 'no member can lead' : 'elections are slow'
  return (
    `a durable write took ${Math.round(ms)} ms, and with a lease of ${Math.round(leaseMs)} ms ${effect} ` +
    `(the limit is ${limitMs} ms): move the state to a faster disk, or use a longer lease`
  )
}
