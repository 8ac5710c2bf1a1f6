/** A hash map from pairs of integers to non-negative integers: open addressing over one typed array. */

/** A slot has three words: the pair, and its value plus one. */
const SLOT = 3

export class PairTable {
  private slots = new Int32Array(SLOT << 10)
  private mask = (1 << 10) - 1
  private count = 0

  get bytes(): number {
    return 4 * this.slots.length
  }

  /** The value of a pair, or -1. */
  get(a: number, b: number): number {
    const { slots, mask } = this
    let slot = hashOf(a, b) & mask
    for (;;) {
      const at = SLOT * slot
      const value = slots[at + 2]
      if (value === 0 || (slots[at] === a && slots[at + 1] === b)) return value - 1
      slot = (slot + 1) & mask
    }
  }

  /** Adds a pair that is not in the table yet. */
  set(a: number, b: number, value: number): void {
    this.count += 1
    if (3 * this.count > 2 * this.mask) this.grow()
    this.put(a, b, value + 1)
  }

  private put(a: number, b: number, value: number): void {
    const { slots, mask } = this
    let slot = hashOf(a, b) & mask
    while (slots[SLOT * slot + 2] !== 0) slot = (slot + 1) & mask
    slots[SLOT * slot] = a
    slots[SLOT * slot + 1] = b
    slots[SLOT * slot + 2] = value
  }

  private grow(): void {
    const old = this.slots
    this.slots = new Int32Array(2 * old.length)
    this.mask = 2 * this.mask + 1
    for (let at = 0; at < old.length; at += SLOT) {
      if (old[at + 2] !== 0) this.put(old[at], old[at + 1], old[at + 2])
    }
  }
}

function hashOf(a: number, b: number): number {
  const h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)
  return h ^ (h >>> 15)
}
