/**
 * A set of records of 32-bit words, each with a number: 0, 1, 2, … in the order in which they came. An
 * open-addressing table over typed arrays; a record costs its words, four bytes of address and six or
 * so of table, and no object.
 */
import { assert } from '../../core/assert.ts'
import { Column } from './int-column.ts'

/** A slot holds the number of a record plus one, and above it a few bits of its hash. */
const NUMBER_BITS = 27
const NUMBER_MASK = 2 ** NUMBER_BITS - 1

export class WordTable {
  /** Whether the last `add` met a record that was not there. */
  added = false
  private slots: Int32Array
  private mask: number
  private count = 0
  private readonly chunks: Int32Array[] = []
  private readonly chunkBits: number
  private readonly chunkMask: number
  private readonly addresses: Column
  /** Where the next record goes. */
  private end = 0

  constructor(chunkBits = 12) {
    this.chunkBits = chunkBits
    this.chunkMask = 2 ** chunkBits - 1
    this.chunks.push(new Int32Array(2 ** chunkBits))
    this.addresses = new Column(chunkBits)
    this.slots = new Int32Array(1 << 10)
    this.mask = this.slots.length - 1
  }

  get size(): number {
    return this.count
  }

  get bytes(): number {
    return 4 * (this.slots.length + this.chunks.length * 2 ** this.chunkBits) + this.addresses.bytes
  }

  /**
   * The number of the record words[0..length), new or known. The low byte of the first word is its
   * length: so records of different lengths differ.
   */
  add(words: Int32Array, length: number): number {
    const hash = hashOf(words, 0, length)
    const slot = this.slotOf(hash, words, length)
    const entry = this.slots[slot]
    this.added = entry === 0
    if (!this.added) return (entry & NUMBER_MASK) - 1
    this.slots[slot] = (hash & ~NUMBER_MASK) | (this.count + 1)
    return this.append(words, length)
  }

  /** The number of a record, or -1. */
  find(words: Int32Array, length: number): number {
    const entry = this.slots[this.slotOf(hashOf(words, 0, length), words, length)]
    return entry === 0 ? -1 : (entry & NUMBER_MASK) - 1
  }

  /** A record, as it lies in the table. */
  get(number: number): Int32Array {
    const address = this.addresses.get(number) >>> 0
    const chunk = this.chunks[address >>> this.chunkBits]
    const at = address & this.chunkMask
    return chunk.subarray(at, at + (chunk[at] & 0xff))
  }

  /** Copies the first words of a record. */
  read(number: number, into: Int32Array, length: number): void {
    const address = this.addresses.get(number) >>> 0
    const chunk = this.chunks[address >>> this.chunkBits]
    const at = address & this.chunkMask
    for (let i = 0; i < length; i++) into[i] = chunk[at + i]
  }

  /** The slot of a record: where it is, or where it would go. */
  private slotOf(hash: number, words: Int32Array, length: number): number {
    const tag = hash & ~NUMBER_MASK
    let slot = hash & this.mask
    for (;;) {
      const entry = this.slots[slot]
      if (entry === 0) return slot
      if ((entry & ~NUMBER_MASK) === tag) {
        if (this.equals((entry & NUMBER_MASK) - 1, words, length)) return slot
      }
      slot = (slot + 1) & this.mask
    }
  }

  private equals(number: number, words: Int32Array, length: number): boolean {
    const address = this.addresses.get(number) >>> 0
    const chunk = this.chunks[address >>> this.chunkBits]
    const at = address & this.chunkMask
    for (let i = 0; i < length; i++) if (chunk[at + i] !== words[i]) return false
    return true
  }

  private append(words: Int32Array, length: number): number {
    const number = this.count++
    assert(this.count < NUMBER_MASK, 'the table holds at most 134 million records')
    let chunk = this.end >>> this.chunkBits
    if ((this.end & this.chunkMask) + length > this.chunkMask) {
      chunk += 1
      this.end = chunk * 2 ** this.chunkBits
      this.chunks.push(new Int32Array(2 ** this.chunkBits))
    }
    const to = this.chunks[chunk]
    const at = this.end & this.chunkMask
    for (let i = 0; i < length; i++) to[at + i] = words[i]
    this.addresses.push(this.end | 0)
    this.end += length
    if (4 * this.count > 3 * this.slots.length) this.grow()
    return number
  }

  private grow(): void {
    const old = this.slots
    this.slots = new Int32Array(2 * old.length)
    this.mask = this.slots.length - 1
    for (let i = 0; i < old.length; i++) {
      const entry = old[i]
      if (entry === 0) continue
      let slot = this.rehash((entry & NUMBER_MASK) - 1) & this.mask
      while (this.slots[slot] !== 0) slot = (slot + 1) & this.mask
      this.slots[slot] = entry
    }
  }

  private rehash(number: number): number {
    const address = this.addresses.get(number) >>> 0
    const at = address & this.chunkMask
    const chunk = this.chunks[address >>> this.chunkBits]
    return hashOf(chunk, at, chunk[at] & 0xff)
  }
}

function hashOf(words: Int32Array, from: number, length: number): number {
  let h = length
  for (let i = from; i < from + length; i++) {
    h = Math.imul(h ^ words[i], 0x9e3779b1)
    h ^= h >>> 15
  }
  h = Math.imul(h, 0x85ebca6b)
  return h ^ (h >>> 13)
}
