/**
 * Notices time that the monotonic clock did not count: CLOCK_MONOTONIC stops while the machine is suspended, and all
 * clocks of a virtual machine stop while it is paused.
 *
 * CLOCK_REALTIME and CLOCK_BOOTTIME count a suspension, and a paused machine may have its wall clock set afterwards.
 * The difference between the wall clock and the monotonic clock changes at such a leap only, since both are slewed
 * alike. A person who sets the wall clock ahead cannot be told from a pause, so that counts too.
 *
 * No clock of a guest sees a pause after which the wall clock is not set. Only a fence that the resource checks
 * protects against it.
 */
import { openSync, readSync } from 'node:fs'

/** Smaller leaps are lost in the resolution of the clocks: Date.now has 1 ms, /proc/uptime 10 ms. */
const LEAST_MS = 30
/** How often /proc/uptime is read while the wall clock shows nothing. */
const UPTIME_EVERY_MS = 20
/** A sample that took longer was interrupted. */
const SAMPLE_MS = 2
/** How often it is taken again at once. */
const MOST_SAMPLES = 4

export interface TimeSources {
  /** CLOCK_MONOTONIC. */
  monotonicMs(): number
  /** CLOCK_REALTIME. */
  wallMs(): number
  /** CLOCK_BOOTTIME; undefined where the system does not show it. */
  uptimeMs(): number | undefined
}

export interface Leaps {
  /** How much time has passed, since the last call, that the monotonic clock did not count. Mostly 0. */
  take(): number
}

/** As they are now: see native-timers.ts. */
const { hrtime } = process
const dateNow = Date.now

const SYSTEM: TimeSources = {
  monotonicMs: () => {
    const time = hrtime()
    return time[0] * 1000 + time[1] / 1e6
  },
  wallMs: dateNow,
  uptimeMs: uptimeReader(),
}

export class ClockLeaps implements Leaps {
  private readonly sources: TimeSources
  /** The wall clock less the monotonic clock, and CLOCK_BOOTTIME less the monotonic clock, as seen last. */
  private wallOffset: number | undefined
  private uptimeOffset: number | undefined
  private uptimeReadAt = -Infinity

  constructor(sources: TimeSources = SYSTEM) {
    this.sources = sources
    this.take()
  }

  take(): number {
    const { wall, now, isInterrupted } = this.sample()
    if (isInterrupted && this.wallOffset !== undefined) return 0 // the next call samples again
    const byWall = wall - now - (this.wallOffset ?? wall - now)
    if (this.wallOffset === undefined || Math.abs(byWall) > LEAST_MS) this.wallOffset = wall - now
    const isDue = Math.abs(byWall) > LEAST_MS || now - this.uptimeReadAt >= UPTIME_EVERY_MS
    const leapMs = Math.max(byWall, isDue ? this.uptimeLeap(now) : 0)
    return leapMs > LEAST_MS ? leapMs : 0
  }

  private sample(): { wall: number; now: number; isInterrupted: boolean } {
    const { sources } = this
    for (let i = 1; ; i++) {
      const before = sources.monotonicMs()
      const wall = sources.wallMs()
      const now = sources.monotonicMs()
      const isInterrupted = now - before > SAMPLE_MS
      if (!isInterrupted || i === MOST_SAMPLES) return { wall, now, isInterrupted }
    }
  }

  private uptimeLeap(now: number): number {
    this.uptimeReadAt = now
    const uptime = this.sources.uptimeMs()
    if (uptime === undefined) return 0
    const offset = uptime - now
    const leap = offset - (this.uptimeOffset ?? offset)
    if (this.uptimeOffset === undefined || Math.abs(leap) > LEAST_MS) this.uptimeOffset = offset
    return leap
  }
}

/** Gives each reader the leaps since its own last call: one that a reader has seen, each of the others sees at its next call. */
export function sharedLeaps(source: Leaps): () => Leaps {
  let totalMs = 0
  return () => {
    let seenMs = totalMs
    return {
      take() {
        totalMs += source.take()
        const leapMs = totalMs - seenMs
        seenMs = totalMs
        return leapMs
      },
    }
  }
}

let ofThisProcess: (() => Leaps) | undefined

/** The leaps that this process sees, for one reader more. Made at the first call: a start reads no file. */
export function processLeaps(): Leaps {
  ofThisProcess ??= sharedLeaps(new ClockLeaps())
  return ofThisProcess()
}

/** The file is opened once: a read costs a microsecond or two. */
function uptimeReader(): () => number | undefined {
  const bytes = Buffer.alloc(64)
  let file: number | undefined | null
  return () => {
    try {
      file ??= file === null ? undefined : openSync('/proc/uptime', 'r')
      if (file === undefined) return undefined
      const length = readSync(file, bytes, 0, bytes.length, 0)
      return 1000 * Number.parseFloat(bytes.toString('latin1', 0, length))
    } catch {
      file = null
      return undefined
    }
  }
}
