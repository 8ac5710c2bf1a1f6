/** fast-check arbitraries of schemas and their values, for tests of what is derived from a schema. */
import fc from 'fast-check'
import { NodeArray } from '../../../src/core/node-array.ts'
import { NodeSet } from '../../../src/core/node-set.ts'
import {
  counter,
  flag,
  id,
  int,
  node,
  nodeSet,
  observer,
  oneOf,
  optional,
  perNode,
  record,
  source,
  stable,
  text,
  union,
  type Field,
  type Fields,
  type RecordSchema,
  type Shape,
  type UnionSchema,
} from '../../../src/core/schema.ts'

export interface Limits {
  /** Values of ids, sources and counters stay below this. */
  readonly numbersBelow: number
  /** Bounds of plain integers stay within this. */
  readonly intsWithin: number
  /** Whether there are fields of text. */
  readonly texts?: boolean
}

const WIDE: Limits = {
  numbersBelow: Number.MAX_SAFE_INTEGER,
  intsWithin: Number.MAX_SAFE_INTEGER,
  texts: true,
}

export type Value = Record<string, unknown>

function fieldArbitrary({ intsWithin, texts = false }: Limits = WIDE): fc.Arbitrary<Field> {
  const bound = fc.oneof(
    fc.integer({ min: -5, max: 5 }),
    fc.integer({ min: -intsWithin, max: intsWithin }),
  )
  const range = fc.tuple(bound, bound).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
  const names = fc.uniqueArray(fc.constantFrom('Norm', 'Elec', 'Wait?', 'ä', 'x-1'), {
    minLength: 1,
  })
  const plain: fc.Arbitrary<Field> = fc.oneof(
    names.map((list) => oneOf(...list)),
    fc.constantFrom<Field[]>(node, flag, nodeSet, ...(texts ? [text(20)] : [])),
    range.map(([min, max]) => int(min, max)),
    range.map(([min, max]) => perNode(Math.min(0, min), Math.max(0, max))),
  )
  const numbers = fc.constantFrom<Field[]>(id, source, counter(), counter(1024))
  const bare = fc.oneof({ arbitrary: plain, weight: 3 }, numbers)
  return fc.oneof(
    { arbitrary: bare, weight: 3 },
    bare.map((of) => stable(of)),
    plain.map((of) => observer(of)),
    bare.map((of) => optional(of)),
  )
}

function fieldsArbitrary(limits: Limits = WIDE): fc.Arbitrary<Fields> {
  const name = fc.constantFrom('status', 'leader', 'term', 'acks', 'down', 'pend', 'k', 'toString')
  return fc.dictionary(name, fieldArbitrary(limits), { maxKeys: 8, noNullPrototype: true })
}

/** A value of a field in a group of so many members. */
function leafArbitrary(
  { shape, role }: Field,
  members: number,
  { numbersBelow }: Limits = WIDE,
): fc.Arbitrary<unknown> {
  const { min, max } = 'min' in shape ? shape : { min: 0, max: 0 }
  const number =
    role === 'plain' || role === 'observer'
      ? fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }))
      : fc.oneof(fc.nat(Math.min(5, numbersBelow - 1)), fc.integer({ min, max: numbersBelow - 1 }))
  return byShape(shape, number, members)
}

function byShape(
  shape: Shape,
  number: fc.Arbitrary<number>,
  members: number,
): fc.Arbitrary<unknown> {
  const member = fc.integer({ min: 1, max: members })
  switch (shape.type) {
    case 'oneOf':
      return fc.constantFrom(...shape.names)
    case 'flag':
      return fc.boolean()
    case 'text':
      return fc.string({ maxLength: shape.maxLength })
    case 'node':
      return fc.nat(members)
    case 'int':
      return number
    case 'set':
      return fc.array(member, { maxLength: 40 }).map((ids) => NodeSet.of(...ids))
    case 'array':
      return fc.array(fc.tuple(member, number), { maxLength: 40 }).map((entries) => {
        const array = new NodeArray()
        for (const [id, value] of entries) array.set(id, value)
        return array
      })
  }
}

function valueArbitrary(
  fields: Fields,
  members: number,
  limits: Limits = WIDE,
): fc.Arbitrary<Value> {
  return fc.record(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, leafArbitrary(field, members, limits)]),
    ),
  )
}

export interface Sample {
  readonly schema: RecordSchema
  readonly members: number
  readonly a: Value
  readonly b: Value
}

/** A schema, a number of members, and two values that are often alike. */
export function sampleArbitrary(mostMembers: number, limits: Limits = WIDE): fc.Arbitrary<Sample> {
  return fc
    .tuple(fieldsArbitrary(limits), fc.integer({ min: 1, max: mostMembers }))
    .chain(([fields, members]) => {
      const value = valueArbitrary(fields, members, limits)
      const schema = record(fields)
      const mixed = fc.tuple(value, value, fc.func(fc.boolean())).map(([a, other, swap]) => {
        const b = schema.copy(a) as Value
        for (const { name } of schema.entries) if (swap(name)) b[name] = other[name]
        return { schema, members, a, b: schema.copy(b) }
      })
      return mixed
    })
}

export interface MessageSample {
  readonly schema: UnionSchema
  readonly members: number
  readonly message: Value & { readonly type: string }
}

export function messageArbitrary(
  mostMembers: number,
  limits: Limits = WIDE,
): fc.Arbitrary<MessageSample> {
  const types = fc.constantFrom('election', 'ok', 'Norm?', 'coordinator')
  const variants = fc.dictionary(types, fieldsArbitrary(limits), {
    minKeys: 1,
    noNullPrototype: true,
  })
  return fc
    .tuple(variants, fc.integer({ min: 1, max: mostMembers }), fc.nat())
    .chain(([fields, members, pick]) => {
      const names = Object.keys(fields)
      const type = names[pick % names.length]
      return valueArbitrary(fields[type], members, limits).map((value) => ({
        schema: union(fields),
        members,
        message: { type, ...value },
      }))
    })
}
