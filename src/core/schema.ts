/**
 * Schemas of states and messages: an algorithm declares the kinds of their fields once, and the schema derives type,
 * copy, equality, hash, validated JSON for wire and disk, and text for traces.
 *
 * There is no nesting: a value is a flat record of numbers, strings, booleans, and sets and arrays of members.
 */
import { BellwetherError } from './errors/bellwether-error.ts'
import { assert } from './assert.ts'
import type { Hasher } from './hash.ts'
import { NodeArray, type ReadonlyNodeArray } from './node-array.ts'
import { NONE, type NodeId } from './node-id.ts'
import { NodeSet, type ReadonlyNodeSet } from './node-set.ts'

/** How the checker treats a field; see the constructors below. */
export type Role = 'plain' | 'id' | 'source' | 'counter' | 'observer'

export type Shape =
  | { readonly type: 'oneOf'; readonly names: readonly string[] }
  | { readonly type: 'node' }
  | { readonly type: 'int'; readonly min: number; readonly max: number }
  | { readonly type: 'flag' }
  | { readonly type: 'text'; readonly maxLength: number }
  | { readonly type: 'set' }
  | { readonly type: 'array'; readonly min: number; readonly max: number }

/** One field. The type parameter is only for inference. */
export interface Field<T = unknown> {
  readonly shape: Shape
  readonly role: Role
  readonly stable: boolean
  /** Counters only: the checker shifts them by multiples of this. */
  readonly stride: number
  /** Counters only: 0 means none. The checker does not shift it. */
  readonly orNone: boolean
  /** Not written while it has its initial value, which it has where it is missing: an earlier version does not know it. */
  readonly optional: boolean
  readonly _type?: T
}

export type Fields = Readonly<Record<string, Field>>
type ValueOf<F> = F extends Field<infer T> ? T : never
export type RecordOf<F extends Fields> = { -readonly [K in keyof F]: ValueOf<F[K]> }
type FrozenLeaf<T> = T extends NodeSet
  ? ReadonlyNodeSet
  : T extends NodeArray
    ? ReadonlyNodeArray
    : T
type Frozen<T> = { readonly [K in keyof T]: FrozenLeaf<T[K]> }
export type UnionOf<V extends Readonly<Record<string, Fields>>> = {
  [K in keyof V & string]: { readonly type: K } & Frozen<RecordOf<V[K]>>
}[keyof V & string]
export type Infer<S> =
  S extends RecordSchema<infer F>
    ? RecordOf<F>
    : S extends UnionSchema<infer V>
      ? UnionOf<V>
      : never

const MAX = Number.MAX_SAFE_INTEGER

function field<T>(shape: Shape, role: Role = 'plain', stride = 1): Field<T> {
  return { shape, role, stable: false, stride, orNone: false, optional: false }
}

/** One of a few names; initially the first. */
export function oneOf<const N extends readonly string[]>(...names: N): Field<N[number]> {
  return field({ type: 'oneOf', names })
}

export const node: Field<NodeId> = field({ type: 'node' })

export const flag: Field<boolean> = field({ type: 'flag' })

/** Text that is only compared for equality; initially empty. The checker takes no other. */
export function text(maxLength: number): Field<string> {
  return field({ type: 'text', maxLength })
}

/** An integer in min..max; initially 0, or min where 0 is outside the range. */
export function int(min: number, max: number): Field<number> {
  assert(min <= max, `there is no integer from ${min} to ${max}`)
  return field({ type: 'int', min, max })
}

export const nodeSet: Field<NodeSet> = field({ type: 'set' })

/** A number in min..max for each member; initially 0. */
export function perNode(min: number, max: number): Field<NodeArray> {
  assert(
    min <= 0 && max >= 0,
    `a number for each member is 0 initially, which is not in ${min}..${max}`,
  )
  return field({ type: 'array', min, max })
}

/** A number that is only compared for equality, such as an election's; 0 is none. The checker renames it. */
export const id: Field<number> = field({ type: 'int', min: 0, max: MAX }, 'id')

/** A number from which fresh ids are made. No guard reads it; the checker verifies that the ids are fresh. */
export const source: Field<number> = field({ type: 'int', min: 0, max: MAX }, 'source')

/** A number that is only compared, maximised and incremented (by `stride`). The checker shifts it. */
export function counter(stride = 1): Field<number> {
  return field({ type: 'int', min: 0, max: MAX }, 'counter', stride)
}

/** The stride of counters that the checker never shifts: larger than any counter. */
export const UNSHIFTED = 2 ** 30

/** A counter whose 0 means none, and is never incremented. */
export function orNone(of: Field<number>): Field<number> {
  return { ...of, orNone: true }
}

/** A field that no guard reads. It is there for observers, and is not part of a state's identity. */
export function observer<T>(of: Field<T>): Field<T> {
  return { ...of, role: 'observer' }
}

/** A field that survives a crash. The host makes it durable before a message of the step leaves. */
export function stable<T>(of: Field<T>): Field<T> {
  return { ...of, stable: true }
}

/** A field that is left out while it has its initial value, on the wire, on the disk and in traces. */
export function optional<T>(of: Field<T>): Field<T> {
  return { ...of, optional: true }
}

interface Entry {
  readonly name: string
  readonly field: Field
}

type Loose = Record<string, unknown>

/** Malformed data: names the field that is wrong, and the values that it may have. */
export class CodecError extends BellwetherError {
  override readonly name = 'CodecError'
  readonly code = 'codec'
  readonly path: string

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`)
    this.path = path
  }
}

/** How members are written outside a process: as numbers on the wire, as names on the disk. */
export interface MemberCodec {
  readonly members: number
  write(id: NodeId): string | number
  read(written: unknown): NodeId | undefined
}

export function numberedMembers(members: number): MemberCodec {
  return {
    members,
    write: (id) => id,
    read: (written) =>
      typeof written === 'number' && Number.isInteger(written) && written >= 0 && written <= members
        ? written
        : undefined,
  }
}

/** The label of a member, and the member of a label: its own inverse. */
export type Label = (id: NodeId) => number

export interface Difference {
  readonly field: string
  readonly before: string
  readonly after: string
}

function areEqualIn(entries: readonly Entry[], a: Loose, b: Loose): boolean {
  for (let i = 0; i < entries.length; i++) {
    const { name } = entries[i]
    if (!equalLeaf(a[name], b[name])) return false
  }
  return true
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export class RecordSchema<F extends Fields = Fields> {
  readonly fields: F
  readonly entries: readonly Entry[]
  /** An initial state, and those of its fields that no two states may share. A world may make a million states. */
  private readonly first: Loose
  private readonly own: readonly Entry[]
  private readonly stable: readonly Entry[]
  private readonly guarded: readonly Entry[]

  constructor(fields: F) {
    this.fields = fields
    this.entries = Object.entries(fields).map(([name, field]) => ({ name, field }))
    this.own = this.entries.filter(({ field: { shape } }) => ['set', 'array'].includes(shape.type))
    this.stable = this.entries.filter(({ field }) => field.stable)
    this.guarded = this.stable.filter(({ field }) => field.role !== 'observer')
    this.first = {}
    for (const { name, field } of this.entries) this.first[name] = initial(field.shape)
  }

  init(): RecordOf<F> {
    const value: Loose = { ...this.first }
    for (let i = 0; i < this.own.length; i++) {
      const { name, field } = this.own[i]
      value[name] = initial(field.shape)
    }
    return value as RecordOf<F>
  }

  copy(from: RecordOf<F>): RecordOf<F> {
    const value: Loose = {}
    for (const { name } of this.entries) value[name] = copyLeaf((from as Loose)[name])
    return value as RecordOf<F>
  }

  /** A state after a crash: stable fields keep their values, the others have their initial ones. */
  afterCrash(from: RecordOf<F>): RecordOf<F> {
    const value: Loose = {}
    for (const { name, field } of this.entries) {
      value[name] = field.stable ? copyLeaf((from as Loose)[name]) : initial(field.shape)
    }
    return value as RecordOf<F>
  }

  /** The state of a member that has lost its stable fields, but for what fresh ids are made from: hosts draw that at random. */
  forgotten(from: RecordOf<F>): RecordOf<F> {
    const value: Loose = this.init()
    for (const { name, field } of this.entries) {
      if (field.role === 'source') value[name] = (from as Loose)[name]
    }
    return value as RecordOf<F>
  }

  equal(a: RecordOf<F>, b: RecordOf<F>): boolean {
    return this.entries.every(({ name }) => equalLeaf((a as Loose)[name], (b as Loose)[name]))
  }

  stableEqual(a: RecordOf<F>, b: RecordOf<F>): boolean {
    return areEqualIn(this.stable, a, b)
  }

  /** Whether the stable fields that guards read are equal: no handler can tell the states apart after a crash. */
  guardedEqual(a: RecordOf<F>, b: RecordOf<F>): boolean {
    return areEqualIn(this.guarded, a, b)
  }

  hash(value: RecordOf<F>, hasher: Hasher): void {
    for (let i = 0; i < this.entries.length; i++) {
      const { name, field } = this.entries[i]
      hashLeaf(field.shape, (value as Loose)[name], hasher)
    }
  }

  toJson(value: RecordOf<F>, members: MemberCodec): { [key: string]: Json } {
    const json: { [key: string]: Json } = {}
    for (const { name, field } of this.entries) {
      const leaf = (value as Loose)[name]
      if (!isLeftOut(field, leaf)) json[name] = leafToJson(field.shape, leaf, members)
    }
    return json
  }

  /** Validates. Ignores unknown fields, which a newer version may send. */
  fromJson(json: unknown, members: MemberCodec, path = 'state'): RecordOf<F> {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      throw new CodecError(path, 'must be an object')
    }
    const value: Loose = {}
    for (const { name, field } of this.entries) {
      const isGiven = Object.hasOwn(json, name)
      value[name] =
        field.optional && !isGiven
          ? initial(field.shape)
          : leafFromJson(
              field.shape,
              isGiven ? (json as Loose)[name] : undefined,
              members,
              `${path}.${name}`,
            )
    }
    return value as RecordOf<F>
  }

  /** The form of traces: `term=3 acks={1,2}`. */
  show(value: RecordOf<F>, label: Label): string {
    return this.entries
      .filter(({ name, field }) => !isLeftOut(field, (value as Loose)[name]))
      .map(({ name, field }) => `${name}=${showLeaf(field.shape, (value as Loose)[name], label)}`)
      .join(' ')
  }

  differences(before: RecordOf<F>, after: RecordOf<F>, label: Label): Difference[] {
    return this.entries
      .filter(({ name }) => !equalLeaf((before as Loose)[name], (after as Loose)[name]))
      .map(({ name, field }) => ({
        field: name,
        before: showLeaf(field.shape, (before as Loose)[name], label),
        after: showLeaf(field.shape, (after as Loose)[name], label),
      }))
  }
}

type Variants = Readonly<Record<string, Fields>>

export class UnionSchema<V extends Variants = Variants> {
  readonly types: readonly (keyof V & string)[]
  readonly variants: ReadonlyMap<string, RecordSchema>

  constructor(variants: V) {
    this.types = Object.keys(variants)
    const clash = this.types.find((type) => Object.hasOwn(variants[type], 'type'))
    assert(clash === undefined, `message ${clash} has a field called type, which is reserved`)
    this.variants = new Map(this.types.map((type) => [type, new RecordSchema(variants[type])]))
  }

  variant(type: string): RecordSchema {
    const found = this.variants.get(type)
    if (found === undefined) throw new CodecError('type', `must be one of ${this.types.join(', ')}`)
    return found
  }

  equal(a: UnionOf<V>, b: UnionOf<V>): boolean {
    return a === b || (a.type === b.type && this.variant(a.type).equal(a, b))
  }

  hash(value: UnionOf<V>, hasher: Hasher): void {
    hasher.word(this.types.indexOf(value.type))
    this.variant(value.type).hash(value, hasher)
  }

  toJson(value: UnionOf<V>, members: MemberCodec): { [key: string]: Json } {
    return { type: value.type, ...this.variant(value.type).toJson(value, members) }
  }

  fromJson(json: unknown, members: MemberCodec, path = 'message'): UnionOf<V> {
    const type = typeof json === 'object' && json !== null ? (json as Loose)['type'] : undefined
    if (typeof type !== 'string' || !this.variants.has(type)) {
      throw new CodecError(`${path}.type`, `must be one of ${this.types.join(', ')}`)
    }
    return { type, ...this.variant(type).fromJson(json, members, path) } as UnionOf<V>
  }

  /** The form of traces: `coordinator{term=3}`, or `election` for a message without fields. */
  show(value: UnionOf<V>, label: Label): string {
    const fields = this.variant(value.type).show(value, label)
    return fields === '' ? value.type : `${value.type}{${fields}}`
  }

  parse(text: string, label: Label): UnionOf<V> {
    const match = /^([^{\s]+)(?:\{(.+)\})?$/u.exec(text)
    if (match === null) throw new CodecError('message', `cannot read "${text}"`)
    const type = match[1]
    const value: Loose = { type }
    const { entries } = this.variant(type)
    const parts = match[2] === undefined ? [] : match[2].split(' ')
    const isShown = (name: string): boolean => parts.some((part) => part.startsWith(`${name}=`))
    const shown = entries.filter(({ name, field }) => !field.optional || isShown(name))
    if (parts.length !== shown.length) {
      const names = shown.map(({ name }) => name).join(', ') || 'nothing'
      throw new CodecError('message', `"${text}" must give ${names}`)
    }
    for (const { name, field } of entries) value[name] = initial(field.shape)
    shown.forEach(({ name, field }, i) => {
      const path = `message.${name}`
      if (!parts[i].startsWith(`${name}=`)) throw new CodecError(path, 'is missing or misplaced')
      value[name] = parseLeaf(field.shape, parts[i].slice(name.length + 1), label, path)
    })
    return value as UnionOf<V>
  }
}

export function record<F extends Fields>(fields: F): RecordSchema<F> {
  return new RecordSchema(fields)
}

export function union<V extends Readonly<Record<string, Fields>>>(variants: V): UnionSchema<V> {
  return new UnionSchema(variants)
}

export function initial(shape: Shape): unknown {
  switch (shape.type) {
    case 'oneOf':
      return shape.names[0]
    case 'node':
      return NONE
    case 'flag':
      return false
    case 'text':
      return ''
    case 'int':
      return shape.min <= 0 && shape.max >= 0 ? 0 : shape.min
    case 'set':
      return new NodeSet()
    case 'array':
      return new NodeArray()
  }
}

function isLeftOut({ optional: isOptional, shape }: Field, value: unknown): boolean {
  return isOptional && equalLeaf(value, initial(shape))
}

function copyLeaf(value: unknown): unknown {
  return value instanceof NodeSet || value instanceof NodeArray ? value.copy() : value
}

function equalLeaf(a: unknown, b: unknown): boolean {
  if (a instanceof NodeSet) return a.equals(b as NodeSet)
  if (a instanceof NodeArray) return a.equals(b as NodeArray)
  return a === b
}

function hashLeaf(shape: Shape, value: unknown, hasher: Hasher): void {
  switch (shape.type) {
    case 'oneOf':
      return hasher.word(shape.names.indexOf(value as string))
    case 'flag':
      return hasher.word(value === true ? 1 : 0)
    case 'node':
      return hasher.word(value as number)
    case 'int':
      return hasher.integer(value as number)
    case 'text':
      for (const letter of value as string) hasher.word(letter.codePointAt(0)!)
      return hasher.word(-1)
    case 'set':
      return hashSet(value as NodeSet, hasher)
    case 'array': {
      const array = value as NodeArray
      for (let i = 0; i < array.length; i++) {
        if (array.get(i) !== 0) {
          hasher.word(i)
          hasher.integer(array.get(i))
        }
      }
      return hasher.word(-1)
    }
  }
}

/** No member is 0, so bit 0 marks a set with further words; their number follows. */
function hashSet(set: NodeSet, hasher: Hasher): void {
  const { beyond } = set
  let words = beyond?.length ?? 0
  while (words > 0 && beyond![words - 1] === 0) words -= 1
  if (words === 0) return hasher.word(set.bits)
  hasher.word(set.bits | 1)
  hasher.word(words)
  for (let w = 0; w < words; w++) hasher.word(beyond![w])
}

function leafToJson(shape: Shape, value: unknown, members: MemberCodec): Json {
  switch (shape.type) {
    case 'node':
      return value === NONE ? null : members.write(value as NodeId)
    case 'set':
      return [...(value as NodeSet)].map((id) => members.write(id))
    case 'array':
      return [...(value as NodeArray)].map(([id, n]) => [members.write(id), n])
    case 'oneOf':
    case 'flag':
    case 'text':
    case 'int':
      return value as Json
  }
}

function leafFromJson(shape: Shape, json: unknown, members: MemberCodec, path: string): unknown {
  switch (shape.type) {
    case 'oneOf':
      if (typeof json === 'string' && shape.names.includes(json)) return json
      throw new CodecError(path, `must be one of ${shape.names.join(', ')}`)
    case 'flag':
      if (typeof json === 'boolean') return json
      throw new CodecError(path, 'must be true or false')
    case 'text':
      if (typeof json === 'string' && json.length <= shape.maxLength && isWellFormed(json)) {
        return json
      }
      throw new CodecError(path, `must be text of at most ${shape.maxLength} characters`)
    case 'node':
      return json === null ? NONE : readMember(json, members, path)
    case 'int':
      return readInt(json, shape, path)
    case 'set': {
      if (!Array.isArray(json) || json.length > members.members) {
        throw new CodecError(path, 'must be a list of members')
      }
      const set = new NodeSet()
      for (const entry of json) {
        if (!set.add(readMember(entry, members, path))) {
          throw new CodecError(path, 'must name each member once')
        }
      }
      return set
    }
    case 'array': {
      if (!Array.isArray(json) || json.length > members.members) {
        throw new CodecError(path, 'must be a list of [member, number]')
      }
      const array = new NodeArray()
      const named = new NodeSet()
      for (const entry of json as unknown[]) {
        if (!Array.isArray(entry) || entry.length !== 2) {
          throw new CodecError(path, 'must be a list of [member, number]')
        }
        const id = readMember(entry[0], members, path)
        if (!named.add(id)) throw new CodecError(path, 'must name each member once')
        array.set(id, readInt(entry[1], shape, path))
      }
      return array
    }
  }
}

/** Text of whole characters, which traces can write. */
function isWellFormed(json: string): boolean {
  return !/\p{Surrogate}/u.test(json)
}

function unescaped(shown: string): string | undefined {
  try {
    return decodeURIComponent(shown)
  } catch {
    return undefined
  }
}

function readMember(json: unknown, members: MemberCodec, path: string): NodeId {
  const id = members.read(json)
  if (id === undefined || id === NONE) throw new CodecError(path, 'must name a member')
  return id
}

function readInt(json: unknown, range: { min: number; max: number }, path: string): number {
  if (Number.isSafeInteger(json)) {
    const value = json as number
    if (value >= range.min && value <= range.max) return value
  }
  throw new CodecError(path, `must be an integer from ${range.min} to ${range.max}`)
}

function showLeaf(shape: Shape, value: unknown, label: Label): string {
  switch (shape.type) {
    case 'node':
      return value === NONE ? '-' : String(label(value as NodeId))
    case 'set':
      return `{${[...(value as NodeSet)].map(label).join(',')}}`
    case 'array':
      return `[${[...(value as NodeArray)].map(([id, n]) => `${label(id)}:${n}`).join(',')}]`
    case 'text':
      return encodeURIComponent(value as string)
    case 'oneOf':
    case 'flag':
    case 'int':
      return String(value)
  }
}

function parseLeaf(shape: Shape, shown: string, label: Label, path: string): unknown {
  const integer = (text: string | undefined): number =>
    text !== undefined && /^-?\d+$/u.test(text) ? Number(text) : NaN
  const anyone: MemberCodec = {
    ...numberedMembers(MAX),
    read: (n) => ((n as number) >= 1 && label(n as number) >= 1 ? label(n as number) : undefined),
  }
  const list = (form: RegExp): string[] | undefined =>
    form.test(shown) ? shown.slice(1, -1).split(',').filter(Boolean) : undefined
  const read = (json: unknown): unknown => leafFromJson(shape, json, anyone, path)
  switch (shape.type) {
    case 'oneOf':
      return read(shown)
    case 'flag':
      return read(shown === 'true' || (shown === 'false' ? false : shown))
    case 'text':
      return read(unescaped(shown))
    case 'node':
      return read(shown === '-' ? null : integer(shown))
    case 'int':
      return read(integer(shown))
    case 'set':
      return read(list(/^\{(?:\d+(?:,\d+)*)?\}$/u)?.map(integer))
    case 'array':
      return read(
        list(/^\[(?:\d+:-?\d+(?:,\d+:-?\d+)*)?\]$/u)?.map((pair) => pair.split(':').map(integer)),
      )
  }
}
