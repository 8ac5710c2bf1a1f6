/** NodeArray against a plain map. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NodeArray } from './node-array.ts'

const entry = fc.tuple(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: -3, max: 3 }))

function arrayOf(entries: readonly (readonly [number, number])[]): NodeArray {
  const array = new NodeArray()
  for (const [id, value] of entries) array.set(id, value)
  return array
}

describe('NodeArray', () => {
  test('holds what was set last, and 0 for everybody else', () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const array = arrayOf(entries)
        const naive = new Map(entries)
        const everyone = Array.from({ length: 2001 }, (_, i) => i + 1)
        expect(everyone.filter((id) => array.get(id) !== (naive.get(id) ?? 0))).toEqual([])
      }),
    )
  })

  test('equals an array with the same numbers, whatever was in it before', () => {
    fc.assert(
      fc.property(fc.array(entry), fc.array(entry), (entries, others) => {
        const array = arrayOf(entries)
        const twin = arrayOf(others)
        for (const [id] of others) twin.set(id, 0)
        for (const [id, value] of entries) twin.set(id, value)
        expect(array.equals(twin) && twin.equals(array)).toBe(true)
        array.set(7, array.get(7) + 1)
        expect(array.equals(twin) || twin.equals(array)).toBe(false)
      }),
    )
  })

  test('a copy is independent of its original', () => {
    const array = arrayOf([[3, 5]])
    const copy = array.copy()
    copy.set(3, 6)
    copy.set(100, 1)
    expect([array.get(3), array.get(100)]).toEqual([5, 0])
    copy.clear()
    expect([copy.get(3), copy.get(100), copy.length]).toEqual([0, 0, 0])
  })

  test('zeroes cost nothing', () => {
    const array = arrayOf([[1_000_000, 0]])
    expect(array.length).toBe(0)
  })
})
