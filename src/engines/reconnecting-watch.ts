/** Runs a watch of an engine again and again, with a growing random delay, whenever its connection is lost. */
import { sleep } from '../clock/sleep.ts'
import { changesTo, type Register, type Watcher } from './engine.ts'

const MIN_DELAY_MS = 20
const MAX_DELAY_MS = 1000

/**
 * Runs `session` again and again until the signal is aborted, with a growing delay and full jitter in between. A
 * session reports registers, calls `connected` once its watch is active, and resolves or rejects when its connection
 * is lost.
 */
export function keepWatching(
  watcher: Watcher,
  signal: AbortSignal,
  session: (report: (register: Register) => void, connected: () => void) => Promise<void>,
): void {
  const report = changesTo(watcher, signal)
  void (async () => {
    let limitMs = MIN_DELAY_MS
    while (!signal.aborted) {
      try {
        await session(report, () => (limitMs = MIN_DELAY_MS))
      } catch {
        // The calls of the engine report the error.
      }
      await sleep(Math.random() * limitMs, signal)
      limitMs = Math.min(2 * limitMs, MAX_DELAY_MS)
    }
  })()
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
