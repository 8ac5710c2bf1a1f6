/**
 * Decides when a connection is silent: something was sent, and nothing has arrived since. A cut network closes no
 * connection, and TCP waits longer and longer before it sends again, so a healed link would stay dead.
 *
 * Silence is counted in ticks, not in time: a process that was stopped counts one tick, however long it was stopped.
 */

/**
 * Ticks in a silence, and the least time between two. Each one wakes the process, so they are few: heartbeats that are
 * answered come more often than two of them, and a peer that sends those is never asked.
 */
const TICKS = 2
const LEAST_TICK_MS = 100
/** At this tick the peer is asked to answer, since what was sent may need no answer; at the next one it is given up. */
const ASK_AT = 2

export function tickOf(silenceMs: number): number {
  return Math.max(LEAST_TICK_MS, silenceMs / TICKS)
}

export class Silence {
  private isAwaited = false
  private ticks = 0

  sent(): void {
    if (this.isAwaited) return
    this.isAwaited = true
    this.ticks = 0
  }

  received(): void {
    this.isAwaited = false
  }

  /** What to do at the next tick. */
  tick(): 'nothing' | 'ask' | 'close' {
    if (!this.isAwaited) return 'nothing'
    this.ticks += 1
    if (this.ticks === ASK_AT) return 'ask'
    return this.ticks < ASK_AT ? 'nothing' : 'close'
  }
}
