/** Parses and writes durations with a unit (`1.5s`) as integer microseconds, the unit of virtual time. */

const UNITS: Readonly<Record<string, number>> = { us: 1, ms: 1000, s: 1_000_000 }

/** `100ms`, `1.5s`, `20us` in microseconds; undefined for any other text, such as a number without a unit. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+)(\.\d+)?(us|ms|s)$/u.exec(text)
  if (match === null) return undefined
  const unit = UNITS[match[3]]
  // Both parts separately: the product of a large number and a fraction is not exact.
  const us = Number(match[1]) * unit + Math.round(Number(match[2] ?? 0) * unit)
  return Number.isSafeInteger(us) ? us : undefined
}

/** The shortest exact form: `100ms`, `1.5s`, `20us`. */
export function showDuration(us: number): string {
  if (us === 0) return '0ms'
  if (us % 1_000_000 === 0) return `${us / 1_000_000}s`
  if (us < 1000) return `${us}us`
  const fraction = us % 1000 === 0 ? '' : String((us % 1000) / 1000).slice(1)
  return `${Math.floor(us / 1000)}${fraction}ms`
}
