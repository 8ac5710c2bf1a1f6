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
  /** How late the latest timer was in the worst of the last seconds. */
  lagMs(): number
}

/** How long a lag is remembered. */
const LAG_MEMORY_MS = 10_000
let worst = { ms: 0, at: 0 }

function remember(lateMs: number): void {
  const now = monotonic.now()
  if (lateMs > worst.ms || now - worst.at > LAG_MEMORY_MS) worst = { ms: lateMs, at: now }
}

export const monotonic: Clock = {
  // Read as it is, for processes compare it: an offset to a faster clock would be wrong by whatever
  // time passed between the two readings that it was made from.
  now: () => {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1000 + nanoseconds / 1e6
  },
  after(ms, action) {
    const due = monotonic.now() + ms
    let cancelled = false
    const run = (): void => {
      if (!cancelled) action()
    }
    let timer: NodeJS.Timeout
    const arm = (leftMs: number): void => {
      timer = setTimeout(expired, Math.min(Math.ceil(leftMs), LONGEST_MS))
    }
    const expired = (): void => {
      const lateMs = monotonic.now() - due
      if (lateMs >= 0) remember(lateMs)
      if (lateMs < 0) arm(-lateMs)
      else if (lateMs < LATE_MS) run()
      else setImmediate(() => setImmediate(run))
    }
    arm(ms)
    return () => {
      cancelled = true
      clearTimeout(timer)
    }
  },
  lagMs: () => (monotonic.now() - worst.at > LAG_MEMORY_MS ? 0 : worst.ms),
}

/** The moment as programs compare it across processes of one machine: nanoseconds of CLOCK_MONOTONIC. */
export function stamp(): string {
  return process.hrtime.bigint().toString()
}

/** Resolves after so long, or when the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
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
