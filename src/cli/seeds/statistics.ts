/** Computes means with confidence intervals, quantiles, shares and histograms of samples. */

export interface Statistics {
  readonly n: number
  readonly mean: number
  /** The 95 % confidence interval of the mean. */
  readonly low: number
  readonly high: number
  readonly min: number
  readonly median: number
  readonly p95: number
  readonly max: number
}

/** The quantile of the normal distribution for 95 %. */
const Z = 1.96

/** NaN values are left out. */
export function statisticsOf(values: readonly number[]): Statistics {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b)
  const n = sorted.length
  const mean = sorted.reduce((sum, value) => sum + value, 0) / n
  const variance = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, n - 1)
  const half = Z * Math.sqrt(variance / n)
  const quantile = (p: number): number => sorted[Math.min(n - 1, Math.floor(p * n))]
  return {
    n,
    mean,
    low: mean - half,
    high: mean + half,
    min: sorted[0],
    median: quantile(0.5),
    p95: quantile(0.95),
    max: sorted[n - 1],
  }
}

/** A share with its 95 % interval by Wilson, which is right for shares near 0 and 1, too. */
export function shareOf(k: number, n: number): { share: number; low: number; high: number } {
  const [p, z2] = [k / n, Z * Z]
  const centre = (p + z2 / (2 * n)) / (1 + z2 / n)
  const half = (Z / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))
  return {
    share: p,
    low: k === 0 ? 0 : Math.max(0, centre - half),
    high: k === n ? 1 : Math.min(1, centre + half),
  }
}

export interface Bin {
  readonly from: number
  readonly to: number
  readonly count: number
}

/** Bins of equal width from the smallest value to the largest; one where all are equal. */
export function histogramOf(values: readonly number[], most: number): Bin[] {
  const known = values.filter((value) => !Number.isNaN(value))
  const { min, max } = statisticsOf(known)
  if (known.length === 0) return []
  if (min === max) return [{ from: min, to: max, count: known.length }]
  const width = (max - min) / most
  const counts = new Array<number>(most).fill(0)
  for (const value of known) counts[Math.min(most - 1, Math.floor((value - min) / width))] += 1
  return counts.map((count, i) => ({ from: min + i * width, to: min + (i + 1) * width, count }))
}
