/** Measures the processor time of a function: median and spread over several runs. */
export interface Timing {
  readonly medianMs: number
  /** (slowest − fastest) / median: how far the repeats disagree. */
  readonly spread: number
}

/**
 * Times `work` over `repeats` runs, after one that warms up and is not counted. It is the processor time
 * of this process, not the wall's: machines are shared, and a neighbour must not slow the figure.
 */
export function measure(work: () => void, repeats = 5): Timing {
  work()
  const times = Array.from({ length: repeats }, () => {
    const start = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return summarize(times)
}

export function summarize(timesMs: readonly number[]): Timing {
  if (timesMs.length === 0) throw new RangeError('a measurement needs at least one repeat')
  const sorted = timesMs.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  const medianMs = sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
  const range = sorted[sorted.length - 1] - sorted[0]
  return { medianMs, spread: medianMs === 0 ? 0 : range / medianMs }
}
