/** Defines latency distributions over whole microseconds, draws from them, and computes their upper bounds. */
import { exp, ln, normalQuantile } from '../../core/math/deterministic-math.ts'
import type { Random } from '../../core/random.ts'

export type Latency =
  | { readonly kind: 'constant'; readonly us: number }
  | { readonly kind: 'uniform'; readonly minUs: number; readonly maxUs: number }
  /** `minUs` plus an exponential time of mean `meanUs`. */
  | { readonly kind: 'exponential'; readonly minUs: number; readonly meanUs: number }
  /** exp of a normal variable: half of the messages take longer than `medianUs`. */
  | { readonly kind: 'lognormal'; readonly medianUs: number; readonly sigma: number }

export function draw(latency: Latency, random: Random): number {
  switch (latency.kind) {
    case 'constant':
      return latency.us
    case 'uniform':
      return latency.minUs + random.below(latency.maxUs - latency.minUs + 1)
    case 'exponential':
      return latency.minUs + Math.round(-latency.meanUs * ln(1 - random.unit()))
    case 'lognormal': {
      const p = (1 + random.below(0xffffffff)) / 0x100000001
      return Math.round(latency.medianUs * exp(latency.sigma * normalQuantile(p)))
    }
  }
}

/** Tm: the longest time that a message takes or, where there is none, what all but one in a thousand stay below. */
export function boundUs(latency: Latency): number {
  switch (latency.kind) {
    case 'constant':
      return latency.us
    case 'uniform':
      return latency.maxUs
    case 'exponential':
      return latency.minUs + Math.ceil(-latency.meanUs * ln(0.001))
    case 'lognormal':
      return Math.ceil(latency.medianUs * exp(latency.sigma * normalQuantile(0.999)))
  }
}
