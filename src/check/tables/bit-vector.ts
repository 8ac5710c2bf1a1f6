/** A growing array of bits, which threads may set at once. */
import { GrowingMemory } from './growing-memory.ts'

export class BitVector {
  private readonly memory: GrowingMemory

  constructor(memory = new GrowingMemory()) {
    this.memory = memory
  }

  reserve(length: number): void {
    this.memory.reserveWords((length >>> 5) + 1)
  }

  set(i: number): void {
    Atomics.or(this.memory.words, i >>> 5, 1 << (i & 31))
  }

  has(i: number): boolean {
    return ((this.memory.words[i >>> 5] >>> (i & 31)) & 1) === 1
  }
}
