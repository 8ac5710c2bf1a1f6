/**
 * The only place of the runtime that reads a clock or arms a timer. Everything is CLOCK_MONOTONIC: nobody
 * can set it, and it runs on while a process is stopped.
 *
 * A timer that comes late shows that the loop was stalled. libuv runs timers before it reads sockets, so
 * that a late time-out would judge peers by what has not been read yet. It lets the loop go round twice
 * first: whatever waited in the sockets is handled before the time-out acts.
 */

/** Later than this, a timer lets the sockets be read first. A busy machine is often a few late. */
const LATE_MS = 10

/** Node's timers hold 31 bits. */
const LONGEST_MS = 0x7fffffff

export interface Cancel {
  (): void
}

export interface Clock {
  /** Milliseconds of CLOCK_MONOTONIC. */
  now(): number
  /** Calls once, after at least so long; never after the returned function was called. */
  after(ms: number, action: () => void): Cancel
  /** Calls at whatever moment it is set to, once for each. */
  alarm(action: () => void): Timer
  /** How late the latest timer was in the worst of the last seconds. */
  lagMs(): number
}

/** How long a lag is remembered. */
const LAG_MEMORY_MS = 10_000
let worst = { ms: 0, at: 0 }

function remember(lateMs: number, now: number): void {
  if (lateMs > worst.ms || now - worst.at > LAG_MEMORY_MS) worst = { ms: lateMs, at: now }
}

/**
 * Most alarms are moved on again and again and hardly ever ring. One that moves to a later moment leaves
 * Node's timer as it is, which Node would let fire anyway: when that comes, it is armed for what is left.
 */
export class Timer {
  /** When it rings; Infinity: it does not. Its owner may ask how late it is until it sets it anew. */
  due = Infinity
  /** When Node's timer comes; Infinity while there is none. */
  private comesAt = Infinity
  private timer: NodeJS.Timeout | undefined
  private readonly action: () => void

  constructor(action: () => void) {
    this.action = action
  }

  set(due: number): void {
    this.due = due
    if (this.comesAt <= due) return
    if (this.comesAt < Infinity) clearTimeout(this.timer)
    this.arm(monotonic.now())
  }

  stop(): void {
    this.due = Infinity
    this.comesAt = Infinity
    clearTimeout(this.timer)
  }

  private arm(now: number): void {
    this.comesAt = this.due
    // libuv counts whole milliseconds. Rounded any other way a timer comes early, and has to come again.
    const ms = Math.ceil(this.due) - Math.floor(now)
    this.timer = setTimeout(this.come, Math.min(ms, LONGEST_MS))
  }

  private readonly come = (): void => {
    if (this.due === Infinity) {
      this.comesAt = Infinity
      return
    }
    const now = monotonic.now()
    const lateMs = now - this.comesAt
    if (lateMs >= 0) remember(lateMs, now)
    if (this.due > now) this.arm(now)
    else if (lateMs < LATE_MS) this.ring()
    else setImmediate(() => setImmediate(this.ring))
  }

  private readonly ring = (): void => {
    this.comesAt = Infinity
    if (this.due === Infinity) return
    const now = monotonic.now()
    if (this.due > now) this.arm(now)
    else this.action()
  }
}

export const monotonic: Clock = {
  // Read as it is, for processes compare it: an offset to a faster clock would be wrong by whatever
  // time passed between the two readings that it was made from.
  now: () => {
    const time = process.hrtime()
    return time[0] * 1000 + time[1] / 1e6
  },
  after(ms, action) {
    const alarm = new Timer(action)
    alarm.set(monotonic.now() + ms)
    return () => alarm.stop()
  },
  alarm: (action) => new Timer(action),
  lagMs: () => (monotonic.now() - worst.at > LAG_MEMORY_MS ? 0 : worst.ms),
}

/** The moment as programs compare it across processes of one machine: nanoseconds of CLOCK_MONOTONIC. */
export function timestamp(ms?: number): string {
  return (ms === undefined ? process.hrtime.bigint() : BigInt(Math.round(ms * 1e6))).toString()
}

/** Resolves after so long, or when the signal is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = monotonic.after(ms, done)
    signal?.addEventListener('abort', done)
  })
}
