/** Order of strength, ring order and labels of a group. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvariantError } from './assert.ts'
import { Group, Labels, orderByStrength, MemberRange, partsOf, type Timing } from './group.ts'
import { majority } from './quorum.ts'

const timing: Timing = { messageMs: 1, processingMs: 0, detectionMs: 3, watchMs: 30, periodMs: 10 }
const members = fc.integer({ min: 1, max: 60 })

/** A random ring of everybody. */
const ring = members.chain((n) =>
  fc.shuffledSubarray(
    Array.from({ length: n }, (_, i) => i + 1),
    { minLength: n, maxLength: n },
  ),
)

describe('MemberRange', () => {
  test('is the consecutive members from first to last', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), (first, last) => {
        const range = new MemberRange(first, last)
        const naive = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)
        expect([...range]).toEqual(naive)
        expect(range.length).toBe(naive.length)
        const had = Array.from({ length: 63 }, (_, id) => id).filter((id) => range.has(id))
        expect(had).toEqual(naive)
      }),
    )
  })

  test('can be walked more than once, and by two at a time', () => {
    const range = new MemberRange(1, 3)
    const pairs: string[] = []
    for (const a of range) for (const b of range) pairs.push(`${a}${b}`)
    expect(pairs).toEqual(['11', '12', '13', '21', '22', '23', '31', '32', '33'])
  })
})

describe('Group', () => {
  test('superiors outrank a member, it outranks its juniors, and there are no others', () => {
    fc.assert(
      fc.property(members, (n) => {
        const group = new Group(n, timing)
        for (const me of group.everyone) {
          const [superiors, juniors] = [[...group.superiors(me)], [...group.juniors(me)]]
          expect([...juniors, me, ...superiors]).toEqual([...group.everyone])
          const right =
            superiors.every((id) => group.outranks(id, me)) &&
            juniors.every((id) => group.outranks(me, id)) &&
            !group.outranks(me, me)
          expect(right).toBe(true)
        }
        expect(group.superiors(group.strongest).length).toBe(0)
      }),
    )
  })

  test('successor walks the ring in its order', () => {
    fc.assert(
      fc.property(ring, (order) => {
        const group = new Group(order.length, timing, order)
        order.forEach((me, place) => {
          const round = order.map((_, k) => group.successor(me, k + 1))
          expect(round).toEqual([...order.slice(place + 1), ...order.slice(0, place + 1)])
          expect(group.successor(me, 2 * order.length + 1)).toBe(round[0])
        })
      }),
      { numRuns: 30 },
    )
  })

  test('without a ring order the ring is 1, 2, …, n, 1', () => {
    const group = new Group(3, timing)
    expect([1, 2, 3].map((me) => group.successor(me))).toEqual([2, 3, 1])
    expect(group.successor(2, 2)).toBe(1)
    expect(group.successor(2, 3)).toBe(2)
  })

  test('refuses a number of members or a ring that is none', () => {
    for (const n of [0, -1, 1.5, NaN]) expect(() => new Group(n, timing)).toThrow(InvariantError)
    for (const order of [[], [1, 2], [1, 2, 2], [1, 2, 4], [0, 1, 2], [1, 2, 3, 3]]) {
      expect(() => new Group(3, timing, order), `ring ${order.join()}`).toThrow(InvariantError)
    }
  })
})

describe('orderByStrength', () => {
  test('the higher priority is the stronger', () => {
    const candidates = [
      { name: 'a', priority: 3 },
      { name: 'b', priority: -1 },
      { name: 'c', priority: 2 },
    ]
    expect(orderByStrength(candidates)).toEqual(['b', 'c', 'a'])
  })

  test('ties go to the larger name by code unit, whatever the locale says', () => {
    const names = ['ä', 'z', 'Z', 'a', 'node-10', 'node-9', '\u{1F600}', '\uFFFD', '']
    const ranked = orderByStrength(names.map((name) => ({ name, priority: 0 })))
    expect(ranked).toEqual(['', 'Z', 'a', 'node-10', 'node-9', 'z', 'ä', '\u{1F600}', '\uFFFD'])
  })

  test('does not depend on the order in which candidates are listed', () => {
    const candidates = fc.uniqueArray(
      fc.record({ name: fc.string(), priority: fc.integer({ min: -2, max: 2 }) }),
      { selector: ({ name }) => name },
    )
    fc.assert(
      fc.property(candidates, (list) => {
        const before = structuredClone(list)
        expect(orderByStrength([...list].reverse())).toEqual(orderByStrength(list))
        expect(list).toEqual(before)
      }),
    )
  })
})

describe('Labels', () => {
  test('are their own inverse, and NONE has none', () => {
    fc.assert(
      fc.property(members, fc.constantFrom('highest', 'lowest'), (n, strongest) => {
        const labels = new Labels(n, strongest)
        const ids = Array.from({ length: n + 1 }, (_, id) => id)
        expect(ids.map((id) => labels.of(labels.of(id)))).toEqual(ids)
        expect(labels.of(0)).toBe(0)
        expect(labels.of(n)).toBe(strongest === 'highest' ? n : 1)
      }),
    )
  })
})

describe('majority', () => {
  test('any two sets of that size share a member, and of one less need not', () => {
    for (let n = 1; n <= 100; n++) {
      expect(2 * majority(n)).toBeGreaterThan(n)
      expect(2 * (majority(n) - 1)).toBeLessThanOrEqual(n)
    }
  })
})

describe('the parts of a network', () => {
  const IDS = [1, 2, 3, 4]

  test('a whole network is one part', () => {
    expect(partsOf(IDS, () => true)).toEqual([IDS])
    expect(partsOf([], () => true)).toEqual([])
  })

  test('a cut network falls into the groups that the cut separates', () => {
    const isOdd = (id: number): boolean => id % 2 === 1
    expect(partsOf(IDS, (a, b) => isOdd(a) === isOdd(b))).toEqual([
      [1, 3],
      [2, 4],
    ])
  })

  test('members that reach different peers belong to no part', () => {
    // 1 and 2 do not reach each other, and both reach 3; 4 is alone.
    const reaches = (a: number, b: number): boolean => a !== 4 && b !== 4 && a + b !== 3
    expect(partsOf(IDS, reaches)).toEqual([[4]])
  })

  test('a link that is cut one way joins nobody, and leaves no part', () => {
    expect(partsOf(IDS, (a, b) => a < 3 === b < 3 || (a === 1 && b === 4))).toEqual([[3, 4]])
  })
})
