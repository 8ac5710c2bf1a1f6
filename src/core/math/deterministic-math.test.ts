/** The deterministic functions against Math, and their exact bits. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvariantError } from '../assert.ts'
import { exp, ln, normalQuantile, sqrt } from './deterministic-math.ts'

/** Relative; absolute where the truth is 0. */
function error(ours: number, platform: number): number {
  return Math.abs(ours - platform) / (platform === 0 ? 1 : Math.abs(platform))
}

const positive = fc
  .double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true })
  .filter((x) => x > 0)
const nearOne = fc.double({ min: 0.5, max: 2, noNaN: true })

describe('deterministic mathematics', () => {
  test('ln agrees with the platform', () => {
    fc.assert(
      fc.property(fc.oneof(positive, nearOne), (x) => error(ln(x), Math.log(x)) < 1e-12),
      { numRuns: 2000 },
    )
    expect(ln(1)).toBe(0)
  })

  test('exp agrees with the platform', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -700, max: 700, noNaN: true }),
        (x) => error(exp(x), Math.exp(x)) < 1e-12,
      ),
      { numRuns: 2000 },
    )
    expect(exp(0)).toBe(1)
  })

  test('exp beyond what a number holds is 0 or Infinity, at once', () => {
    expect([exp(1000), exp(1e300), exp(Infinity)]).toEqual([Infinity, Infinity, Infinity])
    expect([exp(-1000), exp(-1e300), exp(-Infinity)]).toEqual([0, 0, 0])
  })

  test('sqrt agrees with the platform', () => {
    const x = fc.oneof(
      nearOne,
      fc.double({ min: 1e-300, max: 1e300, noNaN: true }),
      fc.nat(1_000_000),
    )
    fc.assert(
      fc.property(x, (value) => error(sqrt(value), Math.sqrt(value)) < 1e-12),
      { numRuns: 2000 },
    )
    expect(sqrt(0)).toBe(0)
  })

  test('what has no logarithm is refused, not computed for ever', () => {
    for (const x of [0, -1, -Infinity, Infinity, NaN]) {
      expect(() => ln(x), `ln ${x}`).toThrow(InvariantError)
    }
  })

  test.each([
    [0.5, 0],
    [0.841344746068543, 1],
    [0.975, 1.959963984540054],
    [0.99, 2.326347874040841],
    [0.999, 3.090232306167813],
    [1 - 1e-9, 5.997807015],
    [0.02, -2.053748910631823],
    [0.025, -1.959963984540054],
    [1e-10, -6.361340902],
  ])('normalQuantile(%d) is %d', (p, quantile) => {
    expect(Math.abs(normalQuantile(p) - quantile)).toBeLessThan(1e-8)
  })

  test('normalQuantile is odd around one half and rises', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 0.5, noNaN: true }), (p) => {
        expect(normalQuantile(1 - p)).toBeCloseTo(-normalQuantile(p), 6)
        expect(normalQuantile(p * 0.999)).toBeLessThan(normalQuantile(p))
      }),
    )
  })
})
