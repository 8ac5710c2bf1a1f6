/** What a process that serves does when it is told to stop. */
import { monotonic } from '../../clock/monotonic.ts'

/**
 * Some tell a process and its group, so that it hears the same word twice (timeout, a shell, a supervisor):
 * only who says it again after a moment insists.
 */
const MOMENT_MS = 500

/** Calls `end` at the first signal to stop; who insists is not kept waiting. */
export function onStop(end: (signal: NodeJS.Signals) => void): void {
  let askedAt: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const now = monotonic.now()
      if (askedAt === undefined) {
        askedAt = now
        end(signal)
      } else if (now - askedAt > MOMENT_MS) process.exit(130)
    })
  }
}
