/**
 * The packed form of a record: every field in as few bits as its range needs for n members, fields
 * side by side in 32-bit words. The checker stores, compares and hashes these words; ids and counters
 * are found by their slots, so that it can relabel and shift them in place.
 */
import { assert, unreachable } from './assert.ts'
import type { NodeArray } from './node-array.ts'
import type { NodeSet } from './node-set.ts'
import {
  initial,
  type Field,
  type Fields,
  type RecordOf,
  type RecordSchema,
  type Role,
  type Shape,
  type UnionOf,
  type UnionSchema,
} from './schema.ts'

export interface LayoutLimits {
  readonly members: number
  /** Bits for an id after relabelling, and for a counter after shifting. */
  readonly idBits: number
  readonly counterBits: number
}

/** Where a field lives, or a field of one member: `bits` bits at `shift` in word `word`. */
export interface Slot {
  readonly name: string
  readonly role: Role
  readonly shape: Shape
  readonly stride: number
  readonly word: number
  readonly shift: number
  readonly bits: number
}

/** A value does not fit: the search must say "incomplete", never wrap around. */
export class LayoutOverflow extends Error {
  override readonly name = 'LayoutOverflow'
}

type Loose = Record<string, unknown>

export class Layout<F extends Fields = Fields> {
  readonly words: number
  readonly slots: readonly Slot[]
  /** Observers and sources. */
  private readonly outside: RecordSchema<F>['entries']

  constructor(schema: RecordSchema<F>, limits: LayoutLimits) {
    assert(limits.members <= 31, 'packed states hold at most 31 members')
    assert(Math.max(limits.idBits, limits.counterBits) <= 32, 'a packed field has at most 32 bits')
    this.outside = schema.entries.filter(({ field }) => isOutside(field.role))
    const slots: Slot[] = []
    let word = 0
    let shift = 0
    const place = (name: string, field: Field): void => {
      const bits = bitsOf(field, limits)
      if (shift + bits > 32) {
        word += 1
        shift = 0
      }
      const { role, shape, stride } = field
      slots.push({ name, role, shape, stride, word, shift, bits })
      shift += bits
    }
    for (const { name, field } of schema.entries) {
      if (isOutside(field.role)) continue
      const copies = field.shape.type === 'array' ? limits.members : 1
      for (let i = 0; i < copies; i++) place(name, field)
    }
    this.slots = slots
    this.words = slots.length === 0 ? 0 : word + 1
  }

  /** Observers and sources stay out: they are no part of a state's identity. */
  encode(value: RecordOf<F>, into: Int32Array, at: number): void {
    into.fill(0, at, at + this.words)
    let member = 0
    let previous = ''
    for (let i = 0; i < this.slots.length; i++) {
      const slot = this.slots[i]
      member = slot.name === previous ? member + 1 : 1
      previous = slot.name
      const bits = toBits(slot.shape, (value as Loose)[slot.name], member)
      if (!(bits >= 0 && bits < 2 ** slot.bits)) {
        throw new LayoutOverflow(`${slot.name} = ${bits} needs more than ${slot.bits} bits`)
      }
      into[at + slot.word] |= bits << slot.shift
    }
  }

  /** Decodes into an existing record; observers are as at first start, sources become `fresh`. */
  decode(from: Int32Array, at: number, into: RecordOf<F>, fresh = 0): void {
    const target = into as Loose
    for (let i = 0; i < this.outside.length; i++) {
      const { name, field } = this.outside[i]
      target[name] = field.role === 'source' ? fresh : initial(field.shape)
    }
    let member = 0
    let previous = ''
    for (let i = 0; i < this.slots.length; i++) {
      const slot = this.slots[i]
      member = slot.name === previous ? member + 1 : 1
      previous = slot.name
      const bits = readSlot(from, at, slot)
      fromBits(slot.shape, bits, target, slot.name, member)
    }
  }
}

/** Messages: the variant's number, then its fields; all variants have the same number of words. */
export class UnionLayout<V extends Readonly<Record<string, Fields>>> {
  readonly words: number
  readonly variants: readonly Layout[]
  private readonly schema: UnionSchema<V>

  constructor(schema: UnionSchema<V>, limits: LayoutLimits) {
    this.schema = schema
    this.variants = schema.types.map((type) => new Layout(schema.variant(type), limits))
    this.words = 1 + Math.max(0, ...this.variants.map((layout) => layout.words))
  }

  encode(message: UnionOf<V>, into: Int32Array, at: number): void {
    const variant = this.schema.types.indexOf(message.type)
    into.fill(0, at, at + this.words)
    into[at] = variant
    this.variants[variant].encode(message, into, at + 1)
  }

  decode(from: Int32Array, at: number): UnionOf<V> {
    const variant = from[at]
    const type = this.schema.types[variant]
    const message: Loose = { type, ...this.schema.variant(type).init() }
    this.variants[variant].decode(from, at + 1, message)
    return message as UnionOf<V>
  }
}

export function readSlot(from: Int32Array, at: number, slot: Slot): number {
  const word = from[at + slot.word] >>> slot.shift
  return slot.bits === 32 ? word : word & (2 ** slot.bits - 1)
}

export function writeSlot(into: Int32Array, at: number, slot: Slot, bits: number): void {
  const mask = slot.bits === 32 ? -1 : 2 ** slot.bits - 1
  const word = into[at + slot.word]
  into[at + slot.word] = (word & ~(mask << slot.shift)) | (bits << slot.shift)
}

function isOutside(role: Role): boolean {
  return role === 'observer' || role === 'source'
}

function bitsOf(field: Field, limits: LayoutLimits): number {
  if (field.role === 'id') return limits.idBits
  if (field.role === 'counter') return limits.counterBits
  const { shape } = field
  switch (shape.type) {
    case 'oneOf':
      return width(shape.names.length)
    case 'node':
      return width(limits.members + 1)
    case 'flag':
      return 1
    case 'set':
      return limits.members
    case 'int':
    case 'array':
      return width(shape.max - shape.min + 1)
    default:
      return unreachable(shape)
  }
}

/** How many bits tell so many values apart. */
function width(values: number): number {
  assert(values <= 2 ** 32, 'a packed field has at most 32 bits: give it a smaller range')
  return values <= 1 ? 0 : 32 - Math.clz32(values - 1)
}

function toBits(shape: Shape, value: unknown, member: number): number {
  switch (shape.type) {
    case 'oneOf':
      return shape.names.indexOf(value as string)
    case 'node':
      return value as number
    case 'flag':
      return value === true ? 1 : 0
    case 'int':
      return (value as number) - shape.min
    case 'set':
      return (value as NodeSet).max > 31 ? NaN : (value as NodeSet).bits >>> 1
    case 'array':
      return (value as NodeArray).get(member) - shape.min
    default:
      return unreachable(shape)
  }
}

function fromBits(shape: Shape, bits: number, into: Loose, name: string, member: number): void {
  switch (shape.type) {
    case 'oneOf':
      into[name] = shape.names[bits]
      return
    case 'node':
      into[name] = bits
      return
    case 'flag':
      into[name] = bits === 1
      return
    case 'int':
      into[name] = bits + shape.min
      return
    case 'set':
      ;(into[name] as NodeSet).setBits(bits << 1)
      return
    case 'array':
      ;(into[name] as NodeArray).set(member, bits + shape.min)
      return
    default:
      return unreachable(shape)
  }
}
