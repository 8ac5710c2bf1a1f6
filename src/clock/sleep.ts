/** Sleeps until a time has passed or a signal is aborted, in Node.js and in a browser. */
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
