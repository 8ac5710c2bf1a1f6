/** Schemas: copy, equality, hash, JSON and text of random states and messages. */
import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  messageArbitrary,
  sampleArbitrary,
  type Value,
} from '../../test/support/random/random-schemas.ts'
import { InvariantError } from './assert.ts'
import { Labels } from './group.ts'
import { Hasher } from './hash.ts'
import { NodeArray, type ReadonlyNodeArray } from './node-array.ts'
import { NodeSet, type ReadonlyNodeSet } from './node-set.ts'
import {
  CodecError,
  counter,
  flag,
  id,
  int,
  node,
  nodeSet,
  numberedMembers,
  observer,
  oneOf,
  perNode,
  record,
  source,
  stable,
  union,
  type Infer,
  type RecordSchema,
} from './schema.ts'

const plain = (id: number): number => id

function digest(schema: RecordSchema, value: Value): string {
  const hasher = new Hasher()
  schema.hash(value, hasher)
  return hasher.digest()
}

/** Equality that knows nothing of the schema's own. */
function naiveEqual(schema: RecordSchema, a: Value, b: Value): boolean {
  return schema.show(a, plain) === schema.show(b, plain)
}

/** Changes every collection in place. */
function disturb(value: Value): void {
  for (const leaf of Object.values(value)) {
    if (leaf instanceof NodeSet) {
      if (!leaf.add(7)) leaf.delete(7)
    } else if (leaf instanceof NodeArray) leaf.set(7, leaf.get(7) + 1)
  }
}

describe('a record', () => {
  const sample = sampleArbitrary(2000)

  test('its copy is equal and shares nothing with it', () => {
    fc.assert(
      fc.property(sample, ({ schema, a }) => {
        const copy = schema.copy(a) as Value
        expect(schema.equal(copy, a) && naiveEqual(schema, copy, a)).toBe(true)
        const shown = schema.show(a, plain)
        disturb(copy)
        expect(schema.show(a, plain)).toBe(shown)
      }),
    )
  })

  test('is equal to another when every field is, and then only has the same hash', () => {
    fc.assert(
      fc.property(sample, ({ schema, a, b }) => {
        const same = naiveEqual(schema, a, b)
        expect(schema.equal(a, b)).toBe(same)
        expect(digest(schema, a) === digest(schema, b)).toBe(same)
        expect(schema.differences(a, b, plain).length === 0).toBe(same)
      }),
      { numRuns: 400 },
    )
  })

  test('sets beyond 31 members that lie side by side do not run into each other in the hash', () => {
    const schema = record({ acks: nodeSet, down: nodeSet })
    const a = { acks: NodeSet.of(32), down: NodeSet.of(1) }
    const b = { acks: new NodeSet(), down: NodeSet.of(65) }
    expect(digest(schema, a)).not.toBe(digest(schema, b))
  })

  test('what a set once held does not show in its hash', () => {
    const schema = record({ acks: nodeSet })
    const acks = NodeSet.of(1, 500)
    acks.delete(500)
    expect(digest(schema, { acks })).toBe(digest(schema, { acks: NodeSet.of(1) }))
  })

  test('comes back from its JSON form', () => {
    fc.assert(
      fc.property(sample, ({ schema, members, a }) => {
        const codec = numberedMembers(members)
        const wire: unknown = JSON.parse(JSON.stringify(schema.toJson(a, codec)))
        const back = schema.fromJson(wire, codec)
        expect(schema.equal(back, a)).toBe(true)
        expect(digest(schema, back)).toBe(digest(schema, a))
      }),
    )
  })

  test('a crash leaves exactly the stable fields', () => {
    fc.assert(
      fc.property(sample, ({ schema, a }) => {
        const left = schema.afterCrash(a) as Value
        const [first, kept] = [schema.init() as Value, schema.copy(a) as Value]
        for (const { name, field } of schema.entries) if (!field.stable) kept[name] = first[name]
        expect(naiveEqual(schema, left, kept)).toBe(true)
        expect(schema.stableEqual(left, a)).toBe(true)
        const shown = schema.show(a, plain)
        disturb(left)
        expect(schema.show(a, plain)).toBe(shown)
      }),
    )
  })

  test('stableEqual looks at nothing but stable fields', () => {
    const schema = record({ term: stable(counter()), status: oneOf('a', 'b') })
    const s = schema.init()
    expect(schema.stableEqual(s, { ...s, status: 'b' })).toBe(true)
    expect(schema.stableEqual(s, { ...s, term: 1 })).toBe(false)
  })

  test('guardedEqual looks at nothing but stable fields that guards read', () => {
    const schema = record({ term: stable(observer(counter())), incarn: stable(counter()), x: flag })
    const s = schema.init()
    expect(schema.guardedEqual(s, { ...s, term: 1, x: true })).toBe(true)
    expect(schema.guardedEqual(s, { ...s, incarn: 1 })).toBe(false)
  })

  test('begins within the range of its fields', () => {
    const schema = record({
      status: oneOf('Norm', 'Elec'),
      leader: node,
      term: counter(),
      above: int(3, 5),
      below: int(-5, -3),
      around: int(-5, 5),
      down: flag,
      acks: nodeSet,
      votes: perNode(0, 3),
    })
    expect(schema.show(schema.init(), plain)).toBe(
      'status=Norm leader=- term=0 above=3 below=-5 around=0 down=false acks={} votes=[]',
    )
  })

  test('two first states share no collection', () => {
    const schema = record({ acks: nodeSet, votes: perNode(0, 3) })
    const s = schema.init()
    s.acks.add(1)
    s.votes.set(1, 1)
    expect(schema.show(schema.init(), plain)).toBe('acks={} votes=[]')
  })

  test('a number for each member must be able to be 0: that is what it begins as', () => {
    expect(() => perNode(1, 5)).toThrow(InvariantError)
    expect(() => perNode(-5, -1)).toThrow(InvariantError)
    expect(() => int(2, 1)).toThrow(InvariantError)
  })

  test('differences are shown under the labels that people use', () => {
    const schema = record({ leader: node, acks: nodeSet, term: counter() })
    const before = schema.init()
    const after = { leader: 5, acks: NodeSet.of(1, 5), term: 0 }
    const labels = new Labels(5, 'lowest')
    expect(schema.differences(before, after, (id) => labels.of(id))).toEqual([
      { field: 'leader', before: '-', after: '1' },
      { field: 'acks', before: '{}', after: '{5,1}' },
    ])
  })
})

describe('malformed JSON', () => {
  const schema = record({
    status: oneOf('Norm', 'Elec'),
    leader: node,
    term: counter(),
    small: int(-1, 3),
    down: flag,
    acks: nodeSet,
    votes: perNode(0, 3),
  })
  const codec = numberedMembers(5)
  const good = {
    status: 'Norm',
    leader: null,
    term: 0,
    small: 0,
    down: false,
    acks: [1],
    votes: [[1, 2]],
  }
  const many = Array.from({ length: 100_000 }, () => 1)
  const wrong: Readonly<Record<keyof typeof good, readonly unknown[]>> = {
    status: ['norm', '', 0, null, undefined, ['Norm'], 'constructor', '__proto__'],
    leader: [undefined, 0, -1, 6, 1.5, '1', NaN, Infinity, [], {}, true, 2 ** 53],
    term: [undefined, null, -1, 1.5, '1', NaN, Infinity, 2 ** 53, [], {}, true],
    small: [undefined, null, -2, 4, 0.5, '0', NaN, -Infinity, 1e300],
    down: [undefined, null, 0, 1, 'true', []],
    acks: [undefined, null, 1, '1,2', {}, [0], [6], [1.5], ['1'], [null], [[1]], many, [1, 1]],
    votes: [
      undefined,
      null,
      {},
      [1],
      [[]],
      [[1]],
      [[1, 4]],
      [[1, -1]],
      [[1, '2']],
      [[0, 1]],
      [[6, 1]],
      [['1', 1]],
      [[1, 1, 1]],
      [null],
      [{ 0: 1, 1: 1 }],
      [
        [1, 1],
        [1, 2],
      ],
      many,
    ],
  }

  test('what is right is read', () => {
    expect(schema.show(schema.fromJson(good, codec), plain)).toBe(
      'status=Norm leader=- term=0 small=0 down=false acks={1} votes=[1:2]',
    )
  })

  test.each(Object.entries(wrong))('%s is refused by its name', (name, values) => {
    for (const value of values) {
      const read = () => schema.fromJson({ ...good, [name]: value }, codec, 'frame')
      expect(read, `${name} = ${String(value).slice(0, 30)}`).toThrow(CodecError)
      expect(read).toThrow(new RegExp(`^frame\\.${name}: must `, 'u'))
    }
  })

  test('a field that is missing is refused, and one that is only inherited is missing', () => {
    for (const name of Object.keys(good)) {
      const { [name as 'term']: _, ...rest } = good
      expect(() => schema.fromJson(rest, codec)).toThrow(`state.${name}: must`)
      expect(() => schema.fromJson(Object.create(good) as unknown, codec)).toThrow(CodecError)
    }
  })

  test.each([undefined, null, 1, 'x', true, [], [good]])('%j is no record', (json) => {
    expect(() => schema.fromJson(json, codec, 'frame')).toThrow('frame: must be an object')
  })

  test('keys that would change a prototype change nothing', () => {
    const json: unknown = JSON.parse(
      `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},${JSON.stringify(good).slice(1)}`,
    )
    const value = schema.fromJson(json, codec)
    expect(Object.keys(value)).toEqual(Object.keys(good))
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('whatever it is, it is a CodecError and nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(good)), (json, name) => {
        for (const given of [json, { ...good, [name]: json }]) {
          try {
            schema.fromJson(given, codec)
          } catch (error) {
            if (!(error instanceof CodecError)) throw error
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  test('members may be written by name', () => {
    const names = ['', 'a', 'b']
    const named = {
      members: 2,
      write: (id: number): string => names[id],
      read: (text: unknown): number | undefined => {
        const found = names.indexOf(String(text))
        return found > 0 ? found : undefined
      },
    }
    const value = { leader: 2, acks: NodeSet.of(1, 2) }
    const written = record({ leader: node, acks: nodeSet })
    expect(written.toJson(value, named)).toEqual({ leader: 'b', acks: ['a', 'b'] })
    expect(written.equal(written.fromJson({ leader: 'b', acks: ['b', 'a'] }, named), value)).toBe(
      true,
    )
    expect(() => written.fromJson({ leader: 'c', acks: [] }, named)).toThrow(CodecError)
  })
})

describe('a union', () => {
  const sample = messageArbitrary(2000)

  test('comes back from its JSON form', () => {
    fc.assert(
      fc.property(sample, ({ schema, members, message }) => {
        const codec = numberedMembers(members)
        const wire: unknown = JSON.parse(JSON.stringify(schema.toJson(message, codec)))
        expect(schema.equal(schema.fromJson(wire, codec), message)).toBe(true)
      }),
    )
  })

  test('comes back from what is shown of it, under either labels', () => {
    fc.assert(
      fc.property(
        sample,
        fc.constantFrom('highest', 'lowest'),
        ({ schema, members, message }, strongest) => {
          const labels = new Labels(members, strongest)
          const label = (id: number): number => labels.of(id)
          const back = schema.parse(schema.show(message, label), label)
          expect(schema.equal(back, message)).toBe(true)
        },
      ),
    )
  })

  const messages = union({
    ok: {},
    claim: { term: counter(), leader: node, acks: nodeSet, votes: perNode(0, 9), sure: flag },
  })
  const shown = 'claim{term=3 leader=2 acks={1,2} votes=[1:5] sure=true}'

  test('is shown as a person would write it', () => {
    expect(messages.show({ type: 'ok' }, plain)).toBe('ok')
    expect(messages.show(messages.parse(shown, plain), plain)).toBe(shown)
  })

  test.each([
    '',
    'okay',
    'ok{term=1}',
    'claim',
    'claim{}',
    'claim{term=3}',
    shown.slice(0, -1),
    `${shown} `,
    shown.replace('sure=true', 'sure=yes'),
    shown.replace('sure=true', 'sure'),
    shown.replace('term=3', 'term='),
    shown.replace('term=3', 'term=3.5'),
    shown.replace('term=3', 'term=-1'),
    shown.replace('term=3', 'term=0x3'),
    shown.replace('term=3', 'term=3 term=4'),
    shown.replace('leader=2', 'leader='),
    shown.replace('leader=2', 'leader=x'),
    shown.replace('leader=2', 'leader=0'),
    shown.replace('leader=2', 'leader=-1'),
    shown.replace('leader=2', 'leader=1.5'),
    shown.replace('{1,2}', '1,2'),
    shown.replace('{1,2}', '{1,x}'),
    shown.replace('{1,2}', '{1,,2}'),
    shown.replace('{1,2}', '{1,1}'),
    shown.replace('[1:5]', '[1]'),
    shown.replace('[1:5]', '{1:5}'),
    shown.replace('[1:5]', '[1:5:6]'),
    shown.replace('[1:5]', '[1:10]'),
    shown.replace('sure=true', 'sure=true more=1'),
  ])('"%s" is refused', (text) => {
    expect(() => messages.parse(text, plain)).toThrow(CodecError)
  })

  test('a label without a member is refused', () => {
    const labels = new Labels(3, 'lowest')
    expect(() =>
      messages.parse(shown.replace('leader=2', 'leader=4'), (l) => labels.of(l)),
    ).toThrow(CodecError)
  })

  test.each([undefined, null, 1, 'ok', [], {}, { type: 'no' }, { type: 1 }, { type: 'toString' }])(
    '%j is no message',
    (json) => {
      expect(() => messages.fromJson(json, numberedMembers(3))).toThrow(
        'message.type: must be one of ok, claim',
      )
    },
  )

  test('messages of different types differ, in the hash too', () => {
    const pair = union({ a: { x: id }, b: { x: id } })
    const digests = (['a', 'b'] as const).map((type) => {
      const hasher = new Hasher()
      pair.hash({ type, x: 1 }, hasher)
      return hasher.digest()
    })
    expect(digests[0]).not.toBe(digests[1])
    expect(pair.equal({ type: 'a', x: 1 }, { type: 'b', x: 1 })).toBe(false)
  })

  test('no field of a message may be called type', () => {
    expect(() => union({ a: { type: id } })).toThrow(InvariantError)
  })
})

describe('the types of a schema', () => {
  const state = record({
    status: oneOf('Norm', 'Elec'),
    leader: node,
    term: stable(counter()),
    elid: id,
    next: source,
    seen: observer(flag),
    acks: nodeSet,
    votes: perNode(0, 3),
  })
  const messages = union({
    ok: {},
    claim: { term: counter(), acks: nodeSet, votes: perNode(0, 1) },
  })

  test('a state is a record that handlers may change', () => {
    expectTypeOf<Infer<typeof state>>().toEqualTypeOf<{
      status: 'Norm' | 'Elec'
      leader: number
      term: number
      elid: number
      next: number
      seen: boolean
      acks: NodeSet
      votes: NodeArray
    }>()
  })

  test('a message is discriminated by its type and read-only', () => {
    type Message = Infer<typeof messages>
    expectTypeOf<Message['type']>().toEqualTypeOf<'ok' | 'claim'>()
    type Claim = Extract<Message, { type: 'claim' }>
    expectTypeOf<Claim['term']>().toEqualTypeOf<number>()
    expectTypeOf<Claim['acks']>().toEqualTypeOf<ReadonlyNodeSet>()
    expectTypeOf<Claim['votes']>().toEqualTypeOf<ReadonlyNodeArray>()
    expectTypeOf<{ type: 'claim'; term: number }>().not.toExtend<Message>()
    const claim = { type: 'claim', term: 1 } as Claim
    // @ts-expect-error: a message is immutable
    claim.term = 2
    expect(claim.term).toBe(2)
  })
})
