/** Polls a condition of a running cluster until it holds, and throws at a time limit. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves with the first value that is not undefined, null or false; rejects after `limitMs`, naming what it waited for. */
export async function until<T>(
  get: () => T | undefined | null | false,
  what: string | (() => string) = 'a condition',
  limitMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const value = get()
    if (value !== undefined && value !== null && value !== false) return value
    if (performance.now() > deadline) {
      throw new Error(`timed out waiting for ${typeof what === 'string' ? what : what()}`)
    }
    await sleep(2)
  }
}
