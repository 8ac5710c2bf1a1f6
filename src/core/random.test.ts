/** The random generator: pinned sequences and uniform draws. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Random } from './random.ts'

const seed = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })

function take(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => random.bits())
}

/** Σ (seen − expected)² / expected over equally likely values. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

describe('Random', () => {
  test('a seed gives these numbers and no others: every recorded run depends on them', () => {
    expect(take(new Random(1), 4)).toMatchInlineSnapshot(`
      [
        3187778163,
        3899520863,
        270678034,
        2950105546,
      ]
    `)
    expect(take(new Random(0), 2)).toMatchInlineSnapshot(`
      [
        4226848253,
        3853465007,
      ]
    `)
    expect(new Random(2).unit()).toMatchInlineSnapshot(`0.7907260024765249`)
    expect(new Random(3).below(1_000_000)).toMatchInlineSnapshot(`594573`)
    expect(new Random(3).below(1e15)).toMatchInlineSnapshot(`355439833075737`)
  })

  test('seeds that differ only beyond 32 bits differ in what they give', () => {
    const first = [1, 2 ** 32, 2 ** 32 + 1, 2 ** 33, 5 * 2 ** 32 + 4, 0].map((s) =>
      take(new Random(s), 2).join(),
    )
    expect(new Set(first).size).toBe(first.length)
    expect(new Set(first.map((pair) => pair.split(',')[0])).size).toBe(first.length)
  })

  test.each([2, 3, 6, 10, 1000])('below(%i) is uniform', (n) => {
    const random = new Random(7)
    const counts = new Array<number>(n).fill(0)
    for (let i = 0; i < 200 * n; i++) counts[random.below(n)] += 1
    // Mean n − 1, deviation √(2(n − 1)): five deviations are never reached by chance.
    expect(Math.abs(chiSquare(counts) - (n - 1))).toBeLessThan(5 * Math.sqrt(2 * (n - 1)))
  })

  test.each([0x200000, 3 * 2 ** 30, 2 ** 33 + 1, 2 ** 53])(
    'below(%i) is uniform in its top and in its lowest bits',
    (n) => {
      const random = new Random(11)
      const [top, bottom] = [new Array<number>(16).fill(0), new Array<number>(16).fill(0)]
      for (let i = 0; i < 16_000; i++) {
        const k = random.below(n)
        top[Math.floor((k / n) * 16)] += 1
        bottom[k % 16] += 1
      }
      for (const counts of [top, bottom]) expect(chiSquare(counts)).toBeLessThan(15 + 5 * 5.5)
    },
  )

  test('below stays below, and is whole', () => {
    fc.assert(
      fc.property(seed, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (s, n) => {
        const random = new Random(s)
        const drawn = Array.from({ length: 20 }, () => random.below(n))
        expect(drawn.filter((k) => !(Number.isSafeInteger(k) && k >= 0 && k < n))).toEqual([])
      }),
    )
    expect(new Random(1).below(1)).toBe(0)
  })

  test('unit is uniform in [0, 1)', () => {
    const random = new Random(13)
    const counts = new Array<number>(20).fill(0)
    for (let i = 0; i < 20_000; i++) counts[Math.floor(random.unit() * 20)] += 1
    expect(counts).toHaveLength(20)
    expect(chiSquare(counts)).toBeLessThan(19 + 5 * Math.sqrt(38))
  })

  test('chance happens as often as it says, and certainty draws nothing', () => {
    const random = new Random(17)
    let happened = 0
    for (let i = 0; i < 20_000; i++) if (random.chance(0.3)) happened += 1
    expect(happened / 20_000).toBeCloseTo(0.3, 1)
    expect([random.chance(0), random.chance(1), random.chance(-1), random.chance(2)]).toEqual([
      false,
      true,
      false,
      true,
    ])
    const untouched = new Random(17)
    for (let i = 0; i < 20_000; i++) untouched.unit()
    expect(take(random, 4)).toEqual(take(untouched, 4))
  })
})
