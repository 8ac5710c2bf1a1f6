/** Sleeps until a time has passed or a signal is aborted, in Node.js and in a browser. */
import type { Clock } from './monotonic.ts'
import { clearTimeout, setTimeout } from './native-timers.ts'

export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    // Timers count whole milliseconds and may fire up to one early.
    const timer = setTimeout(done, ms === 0 ? 0 : Math.ceil(ms) + 1)
    signal?.addEventListener('abort', done)
  })
}

/** The same on a clock of the caller's, which a test can move by hand. */
export async function sleepOn(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done)
  })
}
