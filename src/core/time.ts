/** Virtual time is integer microseconds; people write and read it with a unit. */

const UNITS: Readonly<Record<string, number>> = { us: 1, ms: 1000, s: 1_000_000 }

/** `100ms`, `1.5s`, `20us` in microseconds; undefined where it is none: a bare number has no unit. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(us|ms|s)$/u.exec(text)
  if (match === null) return undefined
  const us = Number(match[1]) * UNITS[match[2]]
  return Number.isSafeInteger(Math.round(us)) ? Math.round(us) : undefined
}

/** The shortest exact form: `100ms`, `1.5s`, `20us`. */
export function showDuration(us: number): string {
  if (us === 0) return '0ms'
  if (us % 1_000_000 === 0) return `${us / 1_000_000}s`
  return us < 1000 ? `${us}us` : `${us / 1000}ms`
}
