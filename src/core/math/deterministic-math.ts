/**
 * Computes logarithm, exponential, square root and normal quantile with the same bits on every machine. They use only
 * the four arithmetic operations, which IEEE 754 defines exactly, unlike the functions of Math.
 */
import { assert } from '../assert.ts'

const LN2 = 0.6931471805599453

export function ln(x: number): number {
  assert(x > 0 && x < Infinity, `${x} has no logarithm`)
  let exponent = 0
  let m = x
  while (m >= 1.5) {
    m /= 2
    exponent += 1
  }
  while (m < 0.75) {
    m *= 2
    exponent -= 1
  }
  // ln m = 2 artanh z, |z| ≤ 0.2: fourteen terms reach the last bit.
  const z = (m - 1) / (m + 1)
  const zz = z * z
  let sum = 0
  for (let k = 27; k >= 1; k -= 2) sum = sum * zz + 1 / k
  return exponent * LN2 + 2 * z * sum
}

export function exp(x: number): number {
  if (x > 710) return Infinity
  if (x < -746) return 0
  const k = Math.round(x / LN2)
  const r = x - k * LN2
  let sum = 1
  for (let i = 18; i >= 1; i--) sum = 1 + (r / i) * sum
  let scale = 1
  for (let i = Math.abs(k); i > 0; i--) scale *= 2
  return k < 0 ? sum / scale : sum * scale
}

/** Square root of x ≥ 0, by Newton's iteration. */
export function sqrt(x: number): number {
  if (x === 0) return 0
  let y = exp(ln(x) / 2)
  for (let i = 0; i < 3; i++) y = (y + x / y) / 2
  return y
}

/** Coefficients of Acklam's rational approximation, for the centre and the tails, largest power first. */
const CENTRE = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
  2.506628277459239,
]
const CENTRE_DIVISOR = [
  -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572,
  1,
]
const TAIL = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734,
  4.374664141464968, 2.938163982698783,
]
const TAIL_DIVISOR = [
  0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1,
]

/** The number below which a standard normal variable falls with probability p, 0 < p < 1; relative error below 1.2e-9. */
export function normalQuantile(p: number): number {
  if (p < 0.02425) return tail(sqrt(-2 * ln(p)))
  if (p > 1 - 0.02425) return -tail(sqrt(-2 * ln(1 - p)))
  const q = p - 0.5
  return (polynomial(q * q, CENTRE) * q) / polynomial(q * q, CENTRE_DIVISOR)
}

function tail(q: number): number {
  return polynomial(q, TAIL) / polynomial(q, TAIL_DIVISOR)
}

function polynomial(x: number, coefficients: readonly number[]): number {
  let sum = 0
  for (const coefficient of coefficients) sum = sum * x + coefficient
  return sum
}
