/**
 * Packs records with plain fields into 32-bit words and unpacks them: each field takes as few bits as its range needs
 * for n members. The checker stores local states in this form.
 */
import { assert } from './assert.ts'
import type { NodeArray } from './node-array.ts'
import type { NodeSet } from './node-set.ts'
import type { Fields, RecordOf, RecordSchema, Shape } from './schema.ts'

/** Where a field, or one member's number in it, is stored: `bits` bits at `shift` in word `word`. */
interface Slot {
  readonly name: string
  readonly shape: Shape
  /** The place in a field that holds a number for each member; 1 in any other. */
  readonly member: number
  readonly word: number
  readonly shift: number
  readonly bits: number
}

/** A value does not fit. The check then ends as incomplete; it never continues with a wrong value. */
export class LayoutOverflow extends Error {
  override readonly name = 'LayoutOverflow'
}

type Loose = Record<string, unknown>

export class Layout<F extends Fields = Fields> {
  readonly words: number
  private readonly slots: readonly Slot[]

  constructor(schema: RecordSchema<F>, members: number) {
    assert(members <= 31, 'packed states hold at most 31 members')
    const slots: Slot[] = []
    let word = 0
    let shift = 0
    for (const { name, field } of schema.entries) {
      assert(field.role === 'plain', `${name} is not a plain field`)
      const { shape } = field
      const bits = bitsOf(shape, members)
      for (let member = 1; member <= (shape.type === 'array' ? members : 1); member++) {
        if (shift + bits > 32) {
          word += 1
          shift = 0
        }
        slots.push({ name, shape, member, word, shift, bits })
        shift += bits
      }
    }
    this.slots = slots
    this.words = slots.length === 0 ? 0 : word + 1
  }

  encode(value: RecordOf<F>, into: Int32Array, at: number): void {
    into.fill(0, at, at + this.words)
    for (let i = 0; i < this.slots.length; i++) {
      const slot = this.slots[i]
      const bits = toBits(slot.shape, (value as Loose)[slot.name], slot.member)
      if (!(bits >= 0 && bits < 2 ** slot.bits)) {
        throw new LayoutOverflow(`${slot.name} = ${bits} needs more than ${slot.bits} bits`)
      }
      into[at + slot.word] |= bits << slot.shift
    }
  }

  decode(from: Int32Array, at: number, into: RecordOf<F>): void {
    for (let i = 0; i < this.slots.length; i++) {
      const slot = this.slots[i]
      const word = from[at + slot.word] >>> slot.shift
      const bits = slot.bits === 32 ? word : word & (2 ** slot.bits - 1)
      fromBits(slot.shape, bits, into, slot.name, slot.member)
    }
  }
}

function bitsOf(shape: Shape, members: number): number {
  switch (shape.type) {
    case 'oneOf':
      return width(shape.names.length)
    case 'node':
      return width(members + 1)
    case 'flag':
      return 1
    case 'text':
      return 0
    case 'set':
      return members
    case 'int':
    case 'array':
      return width(shape.max - shape.min + 1)
  }
}

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
    case 'text':
      return value === '' ? 0 : NaN
    case 'int':
      return (value as number) - shape.min
    case 'set':
      return (value as NodeSet).max > 31 ? NaN : (value as NodeSet).bits >>> 1
    case 'array':
      return (value as NodeArray).get(member) - shape.min
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
    case 'text':
      into[name] = ''
      return
    case 'int':
      into[name] = bits + shape.min
      return
    case 'set':
      ;(into[name] as NodeSet).setBits(bits << 1)
      return
    case 'array':
      ;(into[name] as NodeArray).set(member, bits + shape.min)
  }
}
