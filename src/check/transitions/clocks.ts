/**
 * Counts the ticks that the timers of a member have left. A tick is the longest time that a lease lasts on a clock that
 * drifts within the bound, measured by the fastest clock: one tick is enough to judge leases of any length
 * (docs/checker.md, "Clocks").
 */
import type { Algorithm } from '../../core/algorithm.ts'
import { assert } from '../../core/assert.ts'
import { ticksOf, withTicks, type LocalState } from '../state/local-states.ts'

/** The fastest clock runs this much faster than the slowest: the drift that leases allow for by default. */
const DRIFT = 1.1
/** A lease of four periods of the checker's timing, on the slowest clock. */
const TICK_MS = 440
const MAX_TICKS = 3

type Timed = Pick<LocalState, 'ticks' | 'timers'>

export class Clocks {
  readonly enabled: boolean
  /** For each timer: a lease, whose time-out may come early; a period that keeps no time bounds of messages. */
  private readonly isDeadline: readonly boolean[]
  private readonly isHold: readonly boolean[]

  constructor({ timers }: Algorithm, enabled: boolean) {
    const kinds = Object.values(timers)
    this.enabled = enabled
    this.isDeadline = kinds.map((kind) => kind.kind === 'period' && kind.deadline === true)
    this.isHold = kinds.map((kind) => kind.kind === 'period' && kind.hold === true)
  }

  /** A lease lasts as long as the slowest clock makes it last, any other time-out as short as the fastest does. */
  set(local: Timed, timer: number, ms: number): void {
    if (!this.enabled) return
    const ticks = this.isDeadline[timer]
      ? Math.ceil((ms * DRIFT) / TICK_MS - Number.EPSILON)
      : Math.min(1, Math.floor(ms / TICK_MS))
    assert(
      ticks <= MAX_TICKS,
      `a time-out of ${ms} ms is ${ticks} ticks; ${MAX_TICKS} are the most`,
    )
    local.ticks = withTicks(local.ticks, timer, ticks)
  }

  clear(local: Timed, timer: number): void {
    local.ticks = withTicks(local.ticks, timer, 0)
  }

  tick(local: Timed): void {
    for (let timer = 0; timer < this.isDeadline.length; timer++) {
      const left = ticksOf(local.ticks, timer)
      if (left > 0) local.ticks = withTicks(local.ticks, timer, left - 1)
    }
  }

  /** Whether a timer ends a lease or a bond: it waits for no message. */
  isTimed(timer: number): boolean {
    return this.enabled && (this.isDeadline[timer] || this.isHold[timer])
  }

  /** Whether a timer that is armed has not run its time. A lease may end all the same, if its clock is fast. */
  isRunning({ ticks }: Timed, timer: number): boolean {
    return ticksOf(ticks, timer) > 0
  }

  mayEndEarly(timer: number): boolean {
    return this.isDeadline[timer]
  }

  /** Whether a lease is over and its time-out was not processed yet. */
  isOverdue(local: Timed): boolean {
    return this.leaseLeft(local) === 0
  }

  /** The ticks until the first timer of a lease ends; Infinity: none is armed. */
  leaseLeft({ timers, ticks }: Timed): number {
    let least = Infinity
    for (let timer = 0; timer < this.isDeadline.length; timer++) {
      if (!this.isDeadline[timer] || ((timers >>> timer) & 1) === 0) continue
      least = Math.min(least, ticksOf(ticks, timer))
    }
    return least
  }
}
