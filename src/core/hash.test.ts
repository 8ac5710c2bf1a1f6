/** The hash: pinned values, and no collisions among small states. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Hasher, hashText } from './hash.ts'

type Item = { readonly integer: number } | { readonly text: string }

function digest(words: readonly number[]): string {
  const hasher = new Hasher()
  for (const word of words) hasher.word(word)
  return hasher.digest()
}

function digestItems(items: readonly Item[]): string {
  const hasher = new Hasher()
  for (const item of items) {
    if ('integer' in item) hasher.integer(item.integer)
    else hasher.text(item.text)
  }
  return hasher.digest()
}

function bitsApart(a: string, b: string): number {
  const difference = BigInt(`0x${a}`) ^ BigInt(`0x${b}`)
  return difference.toString(2).replaceAll('0', '').length
}

describe('Hasher', () => {
  test('gives these digests and no others: pinned traces depend on them', () => {
    expect(hashText('')).toMatchInlineSnapshot(`"721bcf9e8dde4b90"`)
    expect(hashText('bellwether')).toMatchInlineSnapshot(`"8435d98599e0b5bf"`)
    expect(digest([1, 2, 3])).toMatchInlineSnapshot(`"936eb391f9b21459"`)
    expect(digestItems([{ integer: 2 ** 40 + 5 }])).toMatchInlineSnapshot(`"9189656b1db35076"`)
  })

  test('is sixteen hexadecimal digits made of high and low', () => {
    const hasher = new Hasher()
    hasher.word(42)
    expect(hasher.digest()).toMatch(/^[0-9a-f]{16}$/u)
    expect(hasher.digest()).toBe(
      hasher.high.toString(16).padStart(8, '0') + hasher.low.toString(16).padStart(8, '0'),
    )
    expect(hasher.reset().digest()).toBe(new Hasher().digest())
  })

  test('one bit changes about half of the digest', () => {
    let sum = 0
    let least = 64
    for (let word = 0; word < 8; word++) {
      for (let bit = 0; bit < 32; bit++) {
        const words = [3, 1, 4, 1, 5, 9, 2, 6]
        const before = digest(words)
        words[word] ^= 1 << bit
        const apart = bitsApart(before, digest(words))
        sum += apart
        least = Math.min(least, apart)
      }
    }
    expect(sum / 256).toBeGreaterThan(30)
    expect(sum / 256).toBeLessThan(34)
    expect(least).toBeGreaterThanOrEqual(12)
  })

  test('no two of a million small states collide', () => {
    const seen = new Set<number>()
    const hasher = new Hasher()
    // Six small fields, such as five members' status, leader and term have: 10⁶ states.
    for (let state = 0; state < 1_000_000; state++) {
      hasher.reset()
      for (let rest = state, k = 0; k < 6; k++, rest = Math.floor(rest / 10)) hasher.word(rest % 10)
      // 53 of the 64 bits fit a number: a collision of the digest is one of these.
      seen.add((hasher.high & 0x1fffff) * 0x100000000 + hasher.low)
    }
    expect(seen.size).toBe(1_000_000)
  })

  test('sequences of integers of any size collide only if they are equal', () => {
    const integer = fc.oneof(
      fc.integer({ min: -3, max: 3 }),
      fc.maxSafeInteger(),
      fc
        .tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }))
        .map(([high, low]) => high * 2 ** 32 + low),
    )
    fc.assert(
      fc.property(fc.array(integer), fc.array(integer), (a, b) => {
        const [x, y] = [a, b].map((list) => digestItems(list.map((n) => ({ integer: n }))))
        expect(x === y).toBe(a.length === b.length && a.every((n, i) => n === b[i]))
      }),
      { numRuns: 2000 },
    )
  })

  test('a large integer is not mistaken for two small ones', () => {
    const pairs = [
      [5 * 2 ** 32 + 7, 3],
      [7, 3 * 2 ** 32 + 5],
    ].map((list) => digestItems(list.map((integer) => ({ integer }))))
    expect(pairs[0]).not.toBe(pairs[1])
  })

  test('different texts have different hashes, also when they are concatenated', () => {
    expect(digestItems([{ text: 'ab' }, { text: 'c' }])).not.toBe(
      digestItems([{ text: 'a' }, { text: 'bc' }]),
    )
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => (hashText(a) === hashText(b)) === (a === b)),
    )
  })
})
