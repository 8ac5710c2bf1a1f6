/** A numbered set of records of 32-bit words, of any length: an open-addressing table over typed arrays. */
import { hashWords } from './hash-words.ts'

/** Numbers the new records of a table that has the same contents in several threads. */
export interface RecordLog {
  add(table: WordTable, words: Int32Array, length: number): number
}

export class WordTable {
  added = false
  /** All records, one after the other: record i is words[starts[i]] … words[starts[i + 1] − 1]. */
  words = new Int32Array(1 << 12)
  log: RecordLog | null = null
  private starts = new Int32Array(1 << 9)
  private count = 0
  /** A slot holds the number of a record plus one; 0: free. */
  private slots = new Int32Array(1 << 10)
  private readonly onAdd: (number: number) => void

  /** `onAdd` is called with the number of each new record. */
  constructor(onAdd: (number: number) => void = () => {}) {
    this.onAdd = onAdd
  }

  get size(): number {
    return this.count
  }

  get bytes(): number {
    return 4 * (this.slots.length + this.words.length + this.starts.length)
  }

  /** The number of the record words[0..length), new or known. */
  add(words: Int32Array, length: number): number {
    const known = this.find(words, length)
    this.added = known < 0
    if (known >= 0) return known
    return this.log === null ? this.append(words, length) : this.log.add(this, words, length)
  }

  /** The number of a record, or -1. */
  find(words: Int32Array, length: number): number {
    return this.slots[this.slotOf(words, length)] - 1
  }

  get(number: number): Int32Array {
    return this.words.subarray(this.starts[number], this.starts[number + 1])
  }

  /** Adds a record that is not in the table. */
  append(words: Int32Array, length: number): number {
    const number = this.count
    this.slots[this.slotOf(words, length)] = number + 1
    const at = this.starts[number]
    while (at + length > this.words.length) this.words = doubled(this.words)
    for (let i = 0; i < length; i++) this.words[at + i] = words[i]
    this.count += 1
    if (this.count === this.starts.length) this.starts = doubled(this.starts)
    this.starts[this.count] = at + length
    if (4 * this.count > 3 * this.slots.length) this.grow()
    this.onAdd(number)
    return number
  }

  private slotOf(words: Int32Array, length: number): number {
    const mask = this.slots.length - 1
    let slot = hashWords(words, 0, length) & mask
    while (this.slots[slot] !== 0 && !this.equals(this.slots[slot] - 1, words, length)) {
      slot = (slot + 1) & mask
    }
    return slot
  }

  private equals(number: number, words: Int32Array, length: number): boolean {
    const at = this.starts[number]
    if (this.starts[number + 1] - at !== length) return false
    for (let i = 0; i < length; i++) if (this.words[at + i] !== words[i]) return false
    return true
  }

  private grow(): void {
    const slots = new Int32Array(2 * this.slots.length)
    const mask = slots.length - 1
    for (let number = 0; number < this.count; number++) {
      const at = this.starts[number]
      let slot = hashWords(this.words, at, this.starts[number + 1] - at) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = number + 1
    }
    this.slots = slots
  }
}

export function doubled(old: Int32Array): Int32Array<ArrayBuffer> {
  const array = new Int32Array(2 * old.length)
  array.set(old)
  return array
}
