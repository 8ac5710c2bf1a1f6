/** Calls a function at the first SIGINT, SIGTERM or SIGHUP, and exits the process at a second one. */
import { monotonic } from '../../clock/monotonic.ts'

/**
 * Shells, supervisors and `timeout` may signal a process and its group, so that it receives one order to stop
 * twice. Only a signal that comes later than this is a second order.
 */
const SAME_ORDER_MS = 500

export function onStop(end: (signal: NodeJS.Signals) => void): void {
  let orderedAt: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const now = monotonic.now()
      if (orderedAt === undefined) {
        orderedAt = now
        end(signal)
      } else if (now - orderedAt > SAME_ORDER_MS) process.exit(130)
    })
  }
}
