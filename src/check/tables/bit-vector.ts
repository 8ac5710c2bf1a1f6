/** A growing array of booleans, one bit each. */
import { IntColumn } from './int-column.ts'

export class BitVector {
  private readonly words = new IntColumn(12)

  set(i: number): void {
    while (this.words.length <= i >>> 5) this.words.push(0)
    this.words.set(i >>> 5, this.words.get(i >>> 5) | (1 << (i & 31)))
  }

  has(i: number): boolean {
    return i >>> 5 < this.words.length && ((this.words.get(i >>> 5) >>> (i & 31)) & 1) === 1
  }
}
