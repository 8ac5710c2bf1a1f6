/** A watch that outlives its connection. */
import { sleep } from '../clock/sleep.ts'

/** How long to wait before the connection is made again, drawn anew each time, up to the second. */
const PAUSE_MS: readonly [number, number] = [20, 1000]

/**
 * Runs `session`, which resolves or rejects when its connection is lost and calls `live` once it stands,
 * again and again until the signal is aborted. Waits between two, ever longer, with full jitter.
 */
export function keepWatching(
  signal: AbortSignal,
  session: (live: () => void) => Promise<void>,
): void {
  void (async () => {
    const [least, most] = PAUSE_MS
    let limitMs = least
    while (!signal.aborted) {
      try {
        await session(() => (limitMs = least))
      } catch {
        // Whoever calls the engine hears why it cannot be reached.
      }
      await sleep(Math.random() * limitMs, signal)
      limitMs = Math.min(2 * limitMs, most)
    }
  })()
}

/** Resolves when the signal is aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
