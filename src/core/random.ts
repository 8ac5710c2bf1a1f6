/** Seeded random numbers: xoshiro128++ seeded through splitmix32, in integer arithmetic, the same on every machine. */
import { assert } from './assert.ts'
import { nodesTo } from './node-id.ts'

export class Random {
  private a = 0
  private b = 0
  private c = 0
  private d = 0

  constructor(seed: number) {
    let x = seed | 0
    const next = (): number => {
      x = (x + 0x9e3779b9) | 0
      let z = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
      z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
      return z ^ (z >>> 16)
    }
    this.a = next()
    this.b = next()
    x ^= Math.floor(seed / 0x100000000) // seeds have up to 53 bits
    this.c = next()
    this.d = next() | 1 // never all zero
  }

  /** 32 random bits, as an unsigned integer. */
  bits(): number {
    const sum = (this.a + this.d) | 0
    const result = (((sum << 7) | (sum >>> 25)) + this.a) | 0
    const t = this.b << 9
    this.c ^= this.a
    this.d ^= this.b
    this.b ^= this.c
    this.a ^= this.d
    this.c ^= t
    this.d = (this.d << 11) | (this.d >>> 21)
    return result >>> 0
  }

  /** An integer 0 ≤ k < n, uniformly distributed; n up to 2⁵³. */
  below(n: number): number {
    assert(n >= 1, 'there is no integer below 0')
    if (n > 0x200000) return this.belowLarge(n)
    // The high word of a 32-bit fraction times n; low words that would favour some k are drawn again.
    for (;;) {
      const product = this.bits() * n
      const k = Math.floor(product / 0x100000000)
      const rest = product - k * 0x100000000
      if (rest >= n || rest >= 0x100000000 % n) return k
    }
  }

  private belowLarge(n: number): number {
    const limit = 0x20000000000000 - (0x20000000000000 % n)
    for (;;) {
      const x = (this.bits() >>> 11) * 0x100000000 + this.bits()
      if (x < limit) return x % n
    }
  }

  /** A number in [0, 1) with 53 random bits. */
  unit(): number {
    return ((this.bits() >>> 5) * 0x4000000 + (this.bits() >>> 6)) / 0x20000000000000
  }

  /** Whether an event of this probability happens. Draws nothing for 0 and 1. */
  chance(probability: number): boolean {
    if (probability <= 0) return false
    return probability >= 1 || this.unit() < probability
  }

  /** The numbers 1 to n in random order. */
  permutation(n: number): number[] {
    const order = nodesTo(n)
    for (let i = n - 1; i > 0; i--) {
      const j = this.below(i + 1)
      ;[order[i], order[j]] = [order[j], order[i]]
    }
    return order
  }
}
