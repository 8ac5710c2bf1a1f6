/** Tests of the packed form of a record's plain fields. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sampleArbitrary, type Limits } from '../../test/support/random/random-schemas.ts'
import { InvariantError } from './assert.ts'
import { NodeSet } from './node-set.ts'
import { Layout, LayoutOverflow } from './packed-layout.ts'
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
  type RecordSchema,
} from './schema.ts'

const plain = (id: number): number => id
const ROOM: Limits = { numbersBelow: 2 ** 20, intsWithin: 2 ** 30 }

function plainFieldsOf(schema: RecordSchema): RecordSchema {
  const fields = schema.entries.filter(({ field }) => field.role === 'plain')
  return record(Object.fromEntries(fields.map(({ name, field }) => [name, field])))
}

const misfits: readonly [string, RecordSchema, Record<string, unknown>][] = [
  ['a whole word', record({ x: int(0, 2 ** 32 - 1) }), { x: 2 ** 32 }],
  ['no number', record({ x: int(0, 5) }), { x: NaN }],
  ['a member', record({ x: node }), { x: 8 }],
  ['an integer below', record({ x: int(3, 5) }), { x: 2 }],
  ['an integer above', record({ x: int(3, 5) }), { x: 7 }],
  ['a stranger in a set', record({ x: nodeSet }), { x: NodeSet.of(6) }],
  ['a distant stranger in a set', record({ x: nodeSet }), { x: NodeSet.of(40) }],
  ['an unknown name', record({ x: oneOf('a') }), { x: 'b' }],
]

describe('a packed record', () => {
  test('decodes to the value that was encoded, and leaves the words beside it alone', () => {
    fc.assert(
      fc.property(sampleArbitrary(31, ROOM), ({ schema, members, a, b }) => {
        const fields = plainFieldsOf(schema)
        const layout = new Layout(fields, members)
        const packed = new Int32Array(layout.words + 2).fill(0x5a5a5a5a)
        layout.encode(a, packed, 1)
        expect([packed[0], packed[layout.words + 1]]).toEqual([0x5a5a5a5a, 0x5a5a5a5a])
        layout.decode(packed, 1, b)
        expect(fields.show(b, plain)).toBe(fields.show(a, plain))
      }),
      { numRuns: 400 },
    )
  })

  test('has the same words exactly if its fields are equal', () => {
    fc.assert(
      fc.property(sampleArbitrary(31, ROOM), ({ schema, members, a, b }) => {
        const fields = plainFieldsOf(schema)
        const layout = new Layout(fields, members)
        const [x, y] = [a, b].map((value) => {
          const words = new Int32Array(layout.words)
          layout.encode(value, words, 0)
          return words.join()
        })
        expect(x === y).toBe(fields.equal(a, b))
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
      elid: int(0, 7), // 3
      term: int(0, 15), // 4
      acks: nodeSet, // 31
      votes: perNode(0, 1), // 31 × 1
    })
    expect(new Layout(schema, 31).words).toBe(3)
    expect(new Layout(record({}), 3).words).toBe(0)
  })

  test('a whole word holds the whole range of a word', () => {
    const schema = record({ x: int(-(2 ** 31), 2 ** 31 - 1), y: int(0, 2 ** 32 - 1) })
    const layout = new Layout(schema, 3)
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
    (_, schema, value) => {
      const layout = new Layout(schema, 5)
      expect(() => layout.encode(value, new Int32Array(1), 0)).toThrow(LayoutOverflow)
    },
  )

  test('refuses members beyond 31, fields wider than a word, and fields that are not plain', () => {
    expect(() => new Layout(record({}), 32)).toThrow(InvariantError)
    expect(() => new Layout(record({ x: int(0, 2 ** 32) }), 3)).toThrow(InvariantError)
    for (const x of [id, counter(), source, observer(flag)]) {
      expect(() => new Layout(record({ x }), 3)).toThrow(InvariantError)
    }
  })
})
