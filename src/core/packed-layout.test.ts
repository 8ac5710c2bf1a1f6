import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  messageArbitrary,
  sampleArbitrary,
  type Limits,
} from '../../test/support/random-schemas.ts'
import { InvariantError } from './assert.ts'
import { Layout, LayoutOverflow, readSlot, UnionLayout, writeSlot } from './packed-layout.ts'
import { NodeSet } from './node-set.ts'
import {
  counter,
  flag,
  id,
  int,
  node,
  nodeSet,
  observer,
  oneOf,
  perNode,
  record,
  source,
  stable,
  union,
  type RecordSchema,
} from './schema.ts'

const plain = (id: number): number => id
const ROOM: Limits = { numbersBelow: 2 ** 20, intsWithin: 2 ** 30 }
const limits = (members: number) => ({ members, idBits: 20, counterBits: 20 })

/** Words with something on either side, which nobody may touch. */
function buffer(words: number): Int32Array {
  const buffer = new Int32Array(words + 2)
  buffer[0] = 0x5a5a5a5a
  buffer[words + 1] = 0x5a5a5a5a
  return buffer
}

const misfits: readonly [string, RecordSchema, Record<string, unknown>, number][] = [
  ['an id', record({ x: id }), { x: 8 }, 3],
  ['a counter', record({ x: counter() }), { x: 8 }, 3],
  ['a whole word', record({ x: counter() }), { x: 2 ** 32 }, 32],
  ['a negative id', record({ x: id }), { x: -1 }, 32],
  ['no number', record({ x: counter() }), { x: NaN }, 3],
  ['a member', record({ x: node }), { x: 8 }, 3],
  ['an integer below', record({ x: int(3, 5) }), { x: 2 }, 3],
  ['an integer above', record({ x: int(3, 5) }), { x: 7 }, 3],
  ['a stranger in a set', record({ x: nodeSet }), { x: NodeSet.of(6) }, 3],
  ['a distant stranger in a set', record({ x: nodeSet }), { x: NodeSet.of(40) }, 3],
  ['an unknown name', record({ x: oneOf('a') }), { x: 'b' }, 3],
]

describe('a packed record', () => {
  test('comes back as it was, but for observers and sources', () => {
    fc.assert(
      fc.property(sampleArbitrary(31, ROOM), fc.nat(100), ({ schema, members, a, b }, fresh) => {
        const layout = new Layout(schema, limits(members))
        const packed = buffer(layout.words)
        packed.fill(-1, 1, layout.words + 1)
        layout.encode(a, packed, 1)
        expect([packed[0], packed[layout.words + 1]]).toEqual([0x5a5a5a5a, 0x5a5a5a5a])
        layout.decode(packed, 1, b, fresh)
        const first = schema.init() as Record<string, unknown>
        const expected = schema.copy(a) as Record<string, unknown>
        for (const { name, field } of schema.entries) {
          if (field.role === 'observer') expected[name] = first[name]
          if (field.role === 'source') expected[name] = fresh
        }
        expect(schema.show(b, plain)).toBe(schema.show(expected, plain))
      }),
      { numRuns: 400 },
    )
  })

  test('is the same words exactly if what is packed is equal', () => {
    fc.assert(
      fc.property(sampleArbitrary(31, ROOM), ({ schema, members, a, b }) => {
        const layout = new Layout(schema, limits(members))
        const [x, y] = [a, b].map((value) => {
          const words = new Int32Array(layout.words)
          layout.encode(value, words, 0)
          return words.join()
        })
        const outside = schema.entries.filter(
          ({ field: { role } }) => role === 'observer' || role === 'source',
        )
        for (const { name } of outside) a[name] = b[name]
        expect(x === y).toBe(schema.equal(a, b))
      }),
      { numRuns: 400 },
    )
  })

  test('takes no more bits than the ranges need', () => {
    const schema = record({
      status: oneOf('a', 'b', 'c'), // 2
      only: oneOf('x'), // 0
      leader: node, // 5: 0..31
      down: flag, // 1
      small: int(-1, 2), // 2
      one: int(7, 7), // 0
      elid: id, // 3
      term: counter(), // 4
      seen: observer(int(0, 1e9)),
      next: source,
      acks: nodeSet, // 31
      votes: perNode(0, 1), // 31 × 1
    })
    const layout = new Layout(schema, { members: 31, idBits: 3, counterBits: 4 })
    expect(layout.words).toBe(3)
    expect(layout.slots.filter(({ name }) => name === 'votes')).toHaveLength(31)
    expect(new Set(layout.slots.map(({ name }) => name)).has('seen')).toBe(false)
    expect(new Layout(record({ only: observer(flag) }), limits(3)).words).toBe(0)
  })

  test('a whole word holds the whole range of a word', () => {
    const schema = record({ x: int(-(2 ** 31), 2 ** 31 - 1), y: int(0, 2 ** 32 - 1) })
    const layout = new Layout(schema, limits(3))
    for (const x of [-(2 ** 31), -1, 0, 2 ** 31 - 1]) {
      for (const y of [0, 2 ** 31, 2 ** 32 - 1]) {
        const words = new Int32Array(layout.words)
        const back = schema.init()
        layout.encode({ x, y }, words, 0)
        layout.decode(words, 0, back)
        expect(back).toEqual({ x, y })
      }
    }
  })

  test.each(misfits)(
    '%s that does not fit is an overflow, never another value',
    (_, schema, value, bits) => {
      const limits = { members: 5, idBits: bits, counterBits: bits }
      const layout = new Layout(schema, limits)
      expect(() => layout.encode(value, new Int32Array(1), 0)).toThrow(LayoutOverflow)
    },
  )

  test('an overflow leaves words and a member beyond 31 no room', () => {
    expect(() => new Layout(record({}), limits(32))).toThrow(InvariantError)
    expect(() => new Layout(record({ x: int(0, 2 ** 32) }), limits(3))).toThrow(InvariantError)
    const wide = { members: 3, idBits: 33, counterBits: 33 }
    expect(() => new Layout(record({ x: id }), wide)).toThrow(InvariantError)
  })

  test('an observer is as at the first start after decoding, whatever its kind', () => {
    const schema = record({
      a: observer(nodeSet),
      b: observer(flag),
      c: observer(oneOf('x', 'y')),
      d: observer(perNode(0, 5)),
      e: observer(int(2, 5)),
      f: stable(observer(node)),
    })
    const value = schema.init()
    value.a.add(1)
    value.b = true
    value.c = 'y'
    value.d.set(1, 5)
    value.e = 5
    value.f = 2
    const layout = new Layout(schema, limits(3))
    layout.decode(new Int32Array(0), 0, value)
    expect(schema.show(value, plain)).toBe(schema.show(schema.init(), plain))
    value.a.add(2)
    value.d.set(1, 2)
    expect(schema.show(schema.init(), plain)).toBe('a={} b=false c=x d=[] e=2 f=-')
  })
})

describe('slots', () => {
  test('are read and written in place, and nothing beside them changes', () => {
    fc.assert(
      fc.property(sampleArbitrary(31, ROOM), ({ schema, members, a, b }) => {
        const layout = new Layout(schema, limits(members))
        const [from, to] = [new Int32Array(layout.words + 1), new Int32Array(layout.words + 1)]
        layout.encode(a, from, 1)
        layout.encode(b, to, 1)
        for (const slot of layout.slots) writeSlot(to, 1, slot, readSlot(from, 1, slot))
        expect(to).toEqual(from)
      }),
    )
  })

  test('writing one slot changes that one alone', () => {
    const layout = new Layout(record({ a: id, b: counter(), c: id, d: flag }), {
      members: 3,
      idBits: 32,
      counterBits: 7,
    })
    const words = new Int32Array(layout.words)
    layout.slots.forEach((slot, i) => writeSlot(words, 0, slot, slot.bits === 1 ? 1 : i + 1))
    writeSlot(words, 0, layout.slots[1], 127)
    expect(layout.slots.map((slot) => readSlot(words, 0, slot))).toEqual([1, 127, 3, 1])
    writeSlot(words, 0, layout.slots[0], 2 ** 32 - 1)
    expect(layout.slots.map((slot) => readSlot(words, 0, slot))).toEqual([2 ** 32 - 1, 127, 3, 1])
  })
})

describe('a packed message', () => {
  test('comes back as it was, in as many words as the largest of its union', () => {
    fc.assert(
      fc.property(messageArbitrary(31, ROOM), ({ schema, members, message }) => {
        const layout = new UnionLayout(schema, limits(members))
        const words = buffer(layout.words)
        layout.encode(message, words, 1)
        expect([words[0], words[layout.words + 1]]).toEqual([0x5a5a5a5a, 0x5a5a5a5a])
        const back = layout.decode(words, 1)
        expect(back.type).toBe(message.type)
        const again = buffer(layout.words)
        layout.encode(back, again, 1)
        expect(again).toEqual(words)
      }),
    )
  })

  test('messages of different types are different words', () => {
    const schema = union({ a: { x: id }, b: { x: id } })
    const layout = new UnionLayout(schema, limits(3))
    const packed = (['a', 'b'] as const).map((type) => {
      const words = new Int32Array(layout.words)
      layout.encode({ type, x: 1 }, words, 0)
      return words.join()
    })
    expect(packed[0]).not.toBe(packed[1])
  })
})
