/** Computes statistics of many runs (mean and share with 95 % intervals, quantile, exponent of growth) and formats numbers. */

export interface Estimate {
  readonly mean: number
  /** Half the width of the interval. */
  readonly margin: number
}

const Z = 1.96

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export function estimate(values: readonly number[]): Estimate {
  const m = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - m) ** 2, 0)
  const deviation = Math.sqrt(squares / Math.max(1, values.length - 1))
  return { mean: m, margin: (Z * deviation) / Math.sqrt(values.length) }
}

export interface Share {
  readonly share: number
  readonly low: number
  readonly high: number
}

/** Wilson's interval: good for shares near 0 and 1, too. */
export function share(hits: number, of: number): Share {
  const p = hits / of
  const centre = (p + Z ** 2 / (2 * of)) / (1 + Z ** 2 / of)
  const half = (Z / (1 + Z ** 2 / of)) * Math.sqrt((p * (1 - p)) / of + Z ** 2 / (4 * of ** 2))
  return { share: p, low: Math.max(0, centre - half), high: Math.min(1, centre + half) }
}

/** The value that a share of all values does not exceed. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)]
}

/** The exponent b of y = a·x^b, by least squares on logarithms. */
export function exponent(points: readonly (readonly [x: number, y: number])[]): number {
  const xs = points.map(([x]) => Math.log(x))
  const ys = points.map(([, y]) => Math.log(y))
  const [mx, my] = [mean(xs), mean(ys)]
  const above = xs.reduce((sum, x, i) => sum + (x - mx) * (ys[i] - my), 0)
  return above / xs.reduce((sum, x) => sum + (x - mx) ** 2, 0)
}

// Texts.

/** Three significant digits, four from 100, and whole numbers from 1,000. */
export function brief(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const size = Math.abs(value)
  if (size >= 1000) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(size >= 100 ? 4 : 3)))
}

/** A time that may never come. */
export function shownTime(value: number, unit = ' Tm'): string {
  return Number.isNaN(value) ? 'no end' : brief(value) + unit
}

/** How much less; a mean within its margin is no measured difference. */
export function shownGain(gain: Estimate, unit = ''): string {
  const shown = shownEstimate(gain, unit)
  return Math.abs(gain.mean) > gain.margin ? `${shown} less` : `no measured difference (${shown})`
}

export function shownEstimate({ mean: value, margin }: Estimate, unit = ''): string {
  return `${brief(value)} ± ${brief(Number(margin.toPrecision(2)))}${unit}`
}

export function shownShare({ share: p, low, high }: Share): string {
  const percent = (x: number): string => (100 * x).toFixed(x > 0 && x < 0.1 ? 2 : 1)
  return `${percent(p)} % (${percent(low)} to ${percent(high)} %)`
}
