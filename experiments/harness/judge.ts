/** Computes the verdict on a claim, from its figures (measured, published, by formula) or from a fact; compares floats. */
import type { Verdict } from './claim.ts'

export interface Case {
  readonly measured: number
  readonly published: number
  readonly formula: number
}

/** Equal but for the last digits of a float. */
export function same(a: number, b: number, tolerance = 1e-9): boolean {
  return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b))
}

/** `corrected`: what it is called when not the published but our formula was measured, in every case. */
export function judge(
  cases: readonly Case[],
  corrected: Verdict = 'holds with a correction',
  tolerance = 1e-9,
): Verdict {
  if (cases.every((c) => same(c.measured, c.published, tolerance))) return 'holds'
  if (cases.every((c) => same(c.measured, c.formula, tolerance))) return corrected
  return 'unexplained'
}

/** A statement that is true or not, where we know which of the two it should be. */
export function judgeFact(
  claimed: boolean,
  expected: boolean,
  otherwise: Verdict = 'does not hold',
): Verdict {
  if (claimed !== expected) return 'unexplained'
  return claimed ? 'holds' : otherwise
}
