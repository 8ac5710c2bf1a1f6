/**
 * The set of visited states: packed records of one length, numbered in the order of insertion, and an open-addressing
 * table of their numbers. The table consists of parts; a record belongs to one of them by its hash, so that threads
 * which work on different parts never meet.
 */
import { assert } from '../../core/assert.ts'
import { GrowingMemory } from './growing-memory.ts'
import { hashWords } from './hash-words.ts'

/** A slot holds the number of a record plus one, and above it some bits of its hash; 0: free. */
const NUMBER_BITS = 27
export const NUMBER_MASK = 2 ** NUMBER_BITS - 1
export const MAX_RECORDS = NUMBER_MASK - 1
/** A part has at least so many slots: with fewer, chance could fill one part before the others. */
const MIN_PART_BITS = 10
const MAX_PARTS_BITS = 6
const MIN_SLOT_BITS = 10

export class StateTable {
  readonly records: GrowingMemory
  readonly slots: GrowingMemory
  /** The number of words of a record. */
  length: number
  size = 0
  // The number of slots, and of those of a part:
  slotBits!: number
  slotMask!: number
  partBits!: number
  partMask!: number

  constructor(length: number, records = new GrowingMemory(), slots = new GrowingMemory()) {
    this.length = length
    this.records = records
    this.slots = slots
    slots.reserveWords(1 << MIN_SLOT_BITS)
    this.setSlotBits(MIN_SLOT_BITS)
  }

  get bytes(): number {
    return 4 * (this.size * this.length + 2 ** this.slotBits)
  }

  /** Makes room for records up to this number. Returns whether the slots must be filled again: call `clearSlots`. */
  reserve(count: number): boolean {
    assert(count <= MAX_RECORDS, 'the table holds at most 134 million records')
    this.records.reserveWords(count * this.length)
    return 4 * count > 3 * 2 ** this.slotBits
  }

  /** Makes room for twice as many slots, until there are enough, and empties them. */
  clearSlots(count: number): void {
    this.slots.words.fill(0, 0, 2 ** this.slotBits)
    while (4 * count > 3 * 2 ** this.slotBits) this.setSlotBits(this.slotBits + 1)
    this.slots.reserveWords(2 ** this.slotBits)
  }

  /** Adopts what another thread has changed. */
  adopt(size: number, length: number, slotBits: number): void {
    this.size = size
    this.length = length
    this.setSlotBits(slotBits)
    this.records.refresh()
    this.slots.refresh()
  }

  /** Adds a record that is not in the table. */
  add(record: Int32Array): number {
    if (this.reserve(this.size + 1)) {
      this.clearSlots(this.size + 1)
      this.fillSlots(0, 1)
    }
    const hash = hashWords(record, 0, this.length)
    this.slots.words[this.slotOf(hash, record)] = (hash & ~NUMBER_MASK) | (this.size + 1)
    this.write(this.size, record, 0)
    return this.size++
  }

  /** The number of a record, or -1. */
  find(record: Int32Array): number {
    const entry = this.slots.words[this.slotOf(hashWords(record, 0, this.length), record)]
    return (entry & NUMBER_MASK) - 1
  }

  read(number: number, into: Int32Array): void {
    const { length } = this
    const { words } = this.records
    const at = number * length
    for (let i = 0; i < length; i++) into[i] = words[at + i]
  }

  write(number: number, from: Int32Array, place: number): void {
    const { length } = this
    const { words } = this.records
    const at = number * length
    for (let i = 0; i < length; i++) words[at + i] = from[place + i]
  }

  /** Changes every record to a longer one. `change` rewrites the one in `record`. The slots are empty afterwards. */
  rewrite(length: number, record: Int32Array, change: () => void): void {
    const before = this.length
    assert(length >= before, 'records only become longer')
    this.records.reserveWords(this.size * length)
    const { words } = this.records
    // From the last one on: a record moves to where only records were that have moved.
    for (let number = this.size - 1; number >= 0; number--) {
      for (let i = 0; i < before; i++) record[i] = words[number * before + i]
      change()
      for (let i = 0; i < length; i++) words[number * length + i] = record[i]
    }
    this.length = length
    this.clearSlots(this.size)
  }

  /** Fills the empty slots of every part that this thread of several works on. */
  fillSlots(thread: number, threads: number): void {
    const { length, slotMask, partBits, partMask, size } = this
    const { words } = this.records
    const slots = this.slots.words
    for (let number = 0; number < size; number++) {
      const hash = hashWords(words, number * length, length)
      let slot = hash & slotMask
      if ((slot >>> partBits) % threads !== thread) continue
      while (slots[slot] !== 0) slot = (slot & ~partMask) | ((slot + 1) & partMask)
      slots[slot] = (hash & ~NUMBER_MASK) | (number + 1)
    }
  }

  /** The slot that holds a record, or the free one where it belongs. */
  private slotOf(hash: number, record: Int32Array): number {
    const { slotMask, partMask } = this
    const slots = this.slots.words
    const tag = hash & ~NUMBER_MASK
    let slot = hash & slotMask
    for (;;) {
      const entry = slots[slot]
      if (entry === 0) return slot
      const number = (entry & NUMBER_MASK) - 1
      if ((entry & ~NUMBER_MASK) === tag && this.equals(number, record)) return slot
      slot = (slot & ~partMask) | ((slot + 1) & partMask)
    }
  }

  private setSlotBits(bits: number): void {
    this.slotBits = bits
    this.slotMask = 2 ** bits - 1
    this.partBits = bits - Math.min(MAX_PARTS_BITS, Math.max(0, bits - MIN_PART_BITS))
    this.partMask = 2 ** this.partBits - 1
  }

  private equals(number: number, record: Int32Array): boolean {
    const { length } = this
    const { words } = this.records
    const at = number * length
    for (let i = 0; i < length; i++) if (words[at + i] !== record[i]) return false
    return true
  }
}
