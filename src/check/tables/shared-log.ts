/**
 * Gives the tables of several threads the same records with the same numbers: a log of all records in shared memory.
 * A thread that meets a new record first appends what the others have added since, in the order of the log; if the
 * record is still new, it adds it to the log. Records are met often and added rarely, so the lock is seldom held.
 */
import { assert } from '../../core/assert.ts'
import type { GrowingMemory } from './growing-memory.ts'
import type { RecordLog, WordTable } from './word-table.ts'

const LOCK = 0
const END = 1
const HEADER = 2
const LENGTH_SHIFT = 4

export class SharedLog implements RecordLog {
  private readonly memory: GrowingMemory
  private readonly tables: readonly WordTable[]
  private position = HEADER

  /** `tables`: in all threads in the same order; a record mentions only records of earlier tables. */
  constructor(memory: GrowingMemory, tables: readonly WordTable[]) {
    assert(tables.length <= 2 ** LENGTH_SHIFT, 'the log has room for 16 tables')
    this.memory = memory
    this.tables = tables
  }

  /** Fills the log with the records of this thread, the first. */
  begin(): void {
    this.memory.words[END] = HEADER
    for (const table of this.tables) {
      for (let number = 0; number < table.size; number++) {
        const words = table.get(number)
        this.write(table, words, words.length)
      }
    }
    this.attach()
  }

  attach(): void {
    for (const table of this.tables) table.log = this
  }

  detach(): void {
    for (const table of this.tables) table.log = null
  }

  add(table: WordTable, words: Int32Array, length: number): number {
    this.lock()
    this.readNews()
    let number = table.find(words, length)
    if (number < 0) {
      this.write(table, words, length)
      number = table.append(words, length)
    }
    this.unlock()
    return number
  }

  /** Appends to the tables what other threads have added. */
  catchUp(): void {
    if (Atomics.load(this.memory.words, END) === this.position) return
    this.lock()
    this.readNews()
    this.unlock()
  }

  private readNews(): void {
    const { memory, tables } = this
    memory.refresh()
    const { words } = memory
    while (this.position < words[END]) {
      const head = words[this.position]
      const length = head >>> LENGTH_SHIFT
      const record = words.slice(this.position + 1, this.position + 1 + length)
      const table = tables[head & (2 ** LENGTH_SHIFT - 1)]
      if (table.find(record, length) < 0) table.append(record, length)
      this.position += 1 + length
    }
  }

  private write(table: WordTable, words: Int32Array, length: number): void {
    const { memory, tables } = this
    const at = memory.words[END]
    memory.reserveWords(at + 1 + length)
    memory.words[at] = tables.indexOf(table) | (length << LENGTH_SHIFT)
    for (let i = 0; i < length; i++) memory.words[at + 1 + i] = words[i]
    this.position = at + 1 + length
    Atomics.store(memory.words, END, this.position)
  }

  private lock(): void {
    const { words } = this.memory
    while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0) Atomics.wait(words, LOCK, 1, 1)
  }

  private unlock(): void {
    const { words } = this.memory
    Atomics.store(words, LOCK, 0)
    Atomics.notify(words, LOCK, 1)
  }
}
