/**
 * Reads the machine's monotonic clock, arms timers on it, and measures the lag of the event loop. CLOCK_MONOTONIC
 * cannot be set, and it runs on while a process is stopped.
 *
 * A timer that fires late shows that the event loop was stalled. libuv runs timers before it reads sockets, so
 * a late time-out would judge peers before their frames are read. A late timer therefore waits for two turns of
 * the event loop: what arrived in the meantime is handled first.
 */
import { clearTimeout, setImmediate, setTimeout } from './native-timers.ts'

/** A timer that is later than this waits until the sockets have been read. A busy machine is often a little late. */
const LATE_MS = 10

/** Node's timers hold 31 bits. */
const LONGEST_MS = 0x7fffffff

/** How long a lag is remembered. */
const LAG_MEMORY_MS = 10_000

/** As it is now: see native-timers.ts. */
const { hrtime } = process

export type Cancel = () => void

export interface Timer {
  /** When the timer fires; Infinity: never. It keeps its value until it is set again. */
  due: number
  set(due: number): void
  stop(): void
}

export interface Clock {
  /** Milliseconds of CLOCK_MONOTONIC. */
  now(): number
  /** Calls the action once, after at least `ms`, unless the returned function is called before. */
  after(ms: number, action: () => void): Cancel
  /** Makes a timer that calls the action once for each time that it is set. */
  timer(action: () => void): Timer
}

let worstLag = { ms: 0, at: 0 }

/** Timers that are set again and again rarely fire: a later due time leaves Node's timer armed as it is. */
class NodeTimer implements Timer {
  due = Infinity
  /** When Node's timer fires; Infinity while none is armed. */
  private armedFor = Infinity
  private timer: NodeJS.Timeout | undefined
  private readonly action: () => void

  constructor(action: () => void) {
    this.action = action
  }

  set(due: number): void {
    this.due = due
    if (this.armedFor <= due) return
    if (this.armedFor < Infinity) clearTimeout(this.timer)
    this.arm(monotonic.now())
  }

  stop(): void {
    this.due = Infinity
    this.armedFor = Infinity
    clearTimeout(this.timer)
  }

  private arm(now: number): void {
    this.armedFor = this.due
    // libuv counts whole milliseconds. Rounded in any other way, a timer fires early and has to be armed again.
    const ms = Math.ceil(this.due) - Math.floor(now)
    this.timer = setTimeout(this.fired, Math.min(ms, LONGEST_MS))
  }

  private readonly fired = (): void => {
    const now = monotonic.now()
    const lateMs = now - this.armedFor
    if (this.due < Infinity && lateMs >= 0) recordLag(lateMs, now)
    if (this.due > now || lateMs < LATE_MS) this.act()
    else setImmediate(() => setImmediate(this.act))
  }

  private readonly act = (): void => {
    this.armedFor = Infinity
    if (this.due === Infinity) return
    const now = monotonic.now()
    if (this.due > now) this.arm(now)
    else this.action()
  }
}

function recordLag(ms: number, at: number): void {
  if (ms > worstLag.ms || at - worstLag.at > LAG_MEMORY_MS) worstLag = { ms, at }
}

export const monotonic: Clock = {
  // No offset to a faster clock: processes compare these values.
  now: () => {
    const time = hrtime()
    return time[0] * 1000 + time[1] / 1e6
  },
  after(ms, action) {
    const timer = new NodeTimer(action)
    timer.set(monotonic.now() + ms)
    return () => timer.stop()
  },
  timer: (action) => new NodeTimer(action),
}

/** How late the latest timer of the last seconds was, in milliseconds. */
export function eventLoopLagMs(): number {
  return monotonic.now() - worstLag.at > LAG_MEMORY_MS ? 0 : worstLag.ms
}

/** A moment that processes of one machine can compare: nanoseconds of CLOCK_MONOTONIC, in decimal. */
export function timestamp(ms?: number): string {
  return (ms === undefined ? hrtime.bigint() : BigInt(Math.round(ms * 1e6))).toString()
}
