/** The set of visited states: packed records, numbered in the order of insertion, in an open-addressing table. */
import { assert } from '../../core/assert.ts'
import { hashWords } from './hash-words.ts'

/** A slot holds the number of a record plus one, and above it some bits of its hash. */
const NUMBER_BITS = 27
const NUMBER_MASK = 2 ** NUMBER_BITS - 1
const CHUNK_BITS = 14
const CHUNK_MASK = 2 ** CHUNK_BITS - 1

export class StateTable {
  /** Whether the last `add` inserted a new record. */
  added = false
  private words: number
  private slots = new Int32Array(1 << 10)
  private mask = (1 << 10) - 1
  private count = 0
  private chunks: Int32Array[] = []

  constructor(words: number) {
    this.words = words
  }

  get size(): number {
    return this.count
  }

  get bytes(): number {
    return 4 * (this.slots.length + this.chunks.length * 2 ** CHUNK_BITS * this.words)
  }

  add(record: Int32Array): number {
    const hash = hashWords(record, 0, this.words)
    const slot = this.slotOf(hash, record)
    const entry = this.slots[slot]
    this.added = entry === 0
    if (entry !== 0) return (entry & NUMBER_MASK) - 1
    this.slots[slot] = (hash & ~NUMBER_MASK) | (this.count + 1)
    this.append(record)
    if (4 * this.count > 3 * this.slots.length) this.index(2 * this.slots.length)
    return this.count - 1
  }

  /** The number of a record, or -1. */
  find(record: Int32Array): number {
    const entry = this.slots[this.slotOf(hashWords(record, 0, this.words), record)]
    return entry === 0 ? -1 : (entry & NUMBER_MASK) - 1
  }

  read(number: number, into: Int32Array): void {
    const chunk = this.chunks[number >>> CHUNK_BITS]
    const at = (number & CHUNK_MASK) * this.words
    for (let i = 0; i < this.words; i++) into[i] = chunk[at + i]
  }

  /** Changes every record, and their length. `change` rewrites the one in `record`. */
  rewrite(words: number, record: Int32Array, change: () => void): void {
    const old = this.chunks
    const before = this.words
    const { count } = this
    this.chunks = []
    this.words = words
    this.count = 0
    for (let number = 0; number < count; number++) {
      const at = (number & CHUNK_MASK) * before
      for (let i = 0; i < before; i++) record[i] = old[number >>> CHUNK_BITS][at + i]
      change()
      this.append(record)
    }
    this.index(this.slots.length)
  }

  /** The slot that holds a record, or the free one where it belongs. */
  private slotOf(hash: number, record: Int32Array): number {
    const { slots, mask } = this
    const tag = hash & ~NUMBER_MASK
    let slot = hash & mask
    for (;;) {
      const entry = slots[slot]
      if (entry === 0) return slot
      if ((entry & ~NUMBER_MASK) === tag && this.equals((entry & NUMBER_MASK) - 1, record))
        return slot
      slot = (slot + 1) & mask
    }
  }

  private equals(number: number, record: Int32Array): boolean {
    const chunk = this.chunks[number >>> CHUNK_BITS]
    const at = (number & CHUNK_MASK) * this.words
    for (let i = 0; i < this.words; i++) if (chunk[at + i] !== record[i]) return false
    return true
  }

  private append(record: Int32Array): void {
    assert(this.count < NUMBER_MASK, 'the table holds at most 134 million records')
    const place = this.count & CHUNK_MASK
    if (place === 0) this.chunks.push(new Int32Array(this.words << CHUNK_BITS))
    const chunk = this.chunks[this.count >>> CHUNK_BITS]
    for (let i = 0; i < this.words; i++) chunk[place * this.words + i] = record[i]
    this.count += 1
  }

  /** Rebuilds the slots. It reads the records in order, so only the slots are accessed at random. */
  private index(size: number): void {
    const slots = new Int32Array(size)
    const mask = size - 1
    for (let number = 0; number < this.count; number++) {
      const chunk = this.chunks[number >>> CHUNK_BITS]
      const hash = hashWords(chunk, (number & CHUNK_MASK) * this.words, this.words)
      let slot = hash & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = (hash & ~NUMBER_MASK) | (number + 1)
    }
    this.slots = slots
    this.mask = mask
  }
}
