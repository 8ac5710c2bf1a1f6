/** NodeSet against a plain set. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvariantError } from './assert.ts'
import { NodeSet } from './node-set.ts'

const member = fc.oneof(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 2000 }))

const operation = fc.oneof(
  fc.record({ verb: fc.constantFrom('add', 'delete', 'has'), id: member }),
  fc.record({ verb: fc.constantFrom('clear', 'copy'), id: fc.constant(1) }),
)

/** A set, or the language's own as its naive twin. */
interface SetLike extends Iterable<number> {
  readonly size: number
  has(id: number): boolean
  add(id: number): unknown
  delete(id: number): boolean
  clear(): void
}

/** Carries out operations and returns everything that was to be seen on the way. */
function run<S extends SetLike>(
  operations: readonly { verb: string; id: number }[],
  empty: S,
  copy: (set: S) => S,
): unknown[] {
  let set = empty
  return operations.map(({ verb, id }) => {
    const before = set.has(id)
    if (verb === 'copy') set = copy(set)
    else if (verb === 'clear') set.clear()
    else if (verb === 'add') set.add(id)
    else if (verb === 'delete') return [set.delete(id), set.size, ascending(set)]
    return [before, set.has(id), set.size]
  })
}

function ascending(ids: Iterable<number>): number[] {
  return [...ids].sort((a, b) => a - b)
}

describe('NodeSet', () => {
  test('does what a naive set does', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const ours = run(operations, new NodeSet(), (set) => set.copy())
        expect(ours).toEqual(run(operations, new Set<number>(), (set) => new Set(set)))
      }),
    )
  })

  test('is walked in ascending order, says whether it changed, and knows its strongest', () => {
    fc.assert(
      fc.property(fc.array(member), (ids) => {
        const set = new NodeSet()
        expect(ids.map((id) => set.add(id))).toEqual(ids.map((id, i) => ids.indexOf(id) === i))
        expect([...set]).toEqual(ascending(new Set(ids)))
        expect(set.max).toBe(Math.max(0, ...ids))
      }),
    )
  })

  test('equals a set with the same members, whatever was in it before', () => {
    const members = fc.uniqueArray(member, { maxLength: 40 })
    fc.assert(
      fc.property(members, members, (ids, others) => {
        const set = NodeSet.of(...ids)
        const twin = NodeSet.of(...others, ...ids)
        for (const id of others) if (!ids.includes(id)) twin.delete(id)
        expect(set.equals(twin) && twin.equals(set)).toBe(true)
        const other = NodeSet.of(...others)
        const same = ascending(ids).join() === ascending(others).join()
        expect(set.equals(other)).toBe(same)
      }),
    )
  })

  test('a copy is independent of its original', () => {
    const set = NodeSet.of(1, 31, 32, 1000)
    const copy = set.copy()
    copy.add(5)
    copy.delete(1000)
    expect([...set]).toEqual([1, 31, 32, 1000])
    expect([...copy]).toEqual([1, 5, 31, 32])
  })

  test('members up to 31 come and go as bits', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 31 })), (ids) => {
        const set = NodeSet.of(...ids)
        const copy = new NodeSet()
        copy.setBits(set.bits)
        expect([copy.equals(set), copy.size]).toEqual([true, ids.length])
      }),
    )
  })

  test('setBits forgets members beyond 31', () => {
    const set = NodeSet.of(3, 700)
    set.setBits(1 << 4)
    expect([...set]).toEqual([4])
  })

  test('NONE and numbers that are no members are never in it', () => {
    const set = NodeSet.of(1, 31, 32)
    for (const id of [0, -1, -31, -32]) expect(set.has(id), `has ${id}`).toBe(false)
    for (const id of [0, -1, NaN]) expect(() => set.add(id)).toThrow(InvariantError)
  })
})
