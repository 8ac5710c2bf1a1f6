/** The suspicion φ of the phi detector. */
import { describe, expect, test } from 'vitest'
import { phiOf } from './phi.ts'

/** The naive twin: the tail of the normal distribution, summed up. */
function tail(y: number): number {
  const step = 1e-4
  let sum = 0
  for (let x = y + step / 2; x < y + 12; x += step) sum += Math.exp((-x * x) / 2) * step
  return sum / Math.sqrt(2 * Math.PI)
}

describe('phi', () => {
  test('is −log10 of the probability that a beat comes later', () => {
    for (let y = -3; y <= 3; y += 0.25) {
      expect(phiOf(100 + 25 * y, 100, 25)).toBeCloseTo(-Math.log10(tail(y)), 1)
    }
  })

  test('is log10 2 at the mean, and rises without end', () => {
    expect(phiOf(100, 100, 25)).toBeCloseTo(Math.log10(2), 9)
    let before = 0
    for (let x = 0; x < 10_000; x += 10) {
      const phi = phiOf(x, 100, 25)
      expect(phi).toBeGreaterThan(before)
      expect(phi).toBeLessThan(Infinity)
      before = phi
    }
  })
})
