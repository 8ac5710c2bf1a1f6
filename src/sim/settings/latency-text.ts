/**
 * Parses and writes numbers, ranges and latency distributions as settings have them: `1ms..5ms`, `lognormal:3ms,0.5`.
 */
import { parseDuration, showDuration } from '../../core/time.ts'
import type { Latency } from '../network/latency.ts'

export function showLatency(latency: Latency): string {
  switch (latency.kind) {
    case 'constant':
      return showDuration(latency.us)
    case 'uniform':
      return `${showDuration(latency.minUs)}..${showDuration(latency.maxUs)}`
    case 'exponential':
      return `exponential:${showDuration(latency.minUs)}+${showDuration(latency.meanUs)}`
    case 'lognormal':
      return `lognormal:${showDuration(latency.medianUs)},${latency.sigma}`
  }
}

export function parseLatency(text: string): Latency | undefined {
  const [kind, rest, ...more] = text.includes(':') ? text.split(':') : ['uniform', text]
  if (more.length > 0) return undefined
  if (kind === 'lognormal') {
    const [median, sigmaText, ...others] = rest.split(',')
    const [medianUs, sigma] = [parseDuration(median), parseNumber(sigmaText ?? '')]
    const right = medianUs !== undefined && sigma > 0 && sigma <= 5 && others.length === 0
    return right ? { kind, medianUs, sigma } : undefined
  }
  const parts = rest.split(kind === 'exponential' ? '+' : '..')
  const [first, second] = parts.map((part) => parseDuration(part))
  if (first === undefined || parts.length > 2) return undefined
  if (kind === 'exponential') {
    return second === undefined ? undefined : { kind, minUs: first, meanUs: second }
  }
  if (kind !== 'uniform' || text.includes(':')) return undefined
  if (parts.length === 1) return { kind: 'constant', us: first }
  return second === undefined || second < first ? undefined : { kind, minUs: first, maxUs: second }
}

export function showRange(minUs: number, maxUs: number): string {
  return minUs === maxUs ? showDuration(minUs) : `${showDuration(minUs)}..${showDuration(maxUs)}`
}

export function parseRange(text: string): { minUs: number; maxUs: number } | undefined {
  const ends = text.split('..')
  const [minUs, maxUs] = [parseDuration(ends[0]), parseDuration(ends.at(-1)!)]
  if (ends.length > 2 || minUs === undefined || maxUs === undefined) return undefined
  return minUs <= maxUs ? { minUs, maxUs } : undefined
}

/** A decimal number; NaN for any other text, such as an empty or a hexadecimal one. */
export function parseNumber(text: string): number {
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/u.test(text) ? Number(text) : NaN
}
