/** What a process that serves does when it is told to stop. */

/** Calls `end` at the first signal to stop; the second one does not wait. */
export function onStop(end: (signal: NodeJS.Signals) => void): void {
  let asked = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(130)
      asked = true
      end(signal)
    })
  }
}
