/**
 * Computes a 64-bit hash that is the same on every machine, of numbers or of a text: two 32-bit lanes, in integer
 * arithmetic without BigInt. Not cryptographic.
 */

/** The first word of an integer that needs more than one. */
const LARGE = -0x80000000

export class Hasher {
  private a = 0x9e3779b9 | 0
  private b = 0x243f6a88 | 0

  reset(): this {
    this.a = 0x9e3779b9 | 0
    this.b = 0x243f6a88 | 0
    return this
  }

  word(x: number): void {
    const a = Math.imul(this.a ^ x, 0x85ebca6b)
    this.a = a ^ (a >>> 15)
    const b = Math.imul(this.b + x, 0xc2b2ae35)
    this.b = b ^ (b >>> 13) ^ this.a
  }

  /** A safe integer of any size: one word, or three, of which the first is LARGE. */
  integer(x: number): void {
    if (x === (x | 0) && x !== LARGE) return this.word(x)
    this.word(LARGE)
    this.word(x | 0)
    this.word(Math.floor(x / 0x100000000) | 0)
  }

  text(s: string): void {
    for (let i = 0; i < s.length; i++) this.word(s.charCodeAt(i))
    this.word(s.length)
  }

  get low(): number {
    return mix(this.a, this.b)
  }

  get high(): number {
    return mix(this.b ^ 0x5bd1e995, this.a)
  }

  /** Sixteen hexadecimal digits. */
  digest(): string {
    return hex(this.high) + hex(this.low)
  }
}

export function hashText(text: string): string {
  const hasher = new Hasher()
  hasher.text(text)
  return hasher.digest()
}

function mix(x: number, y: number): number {
  let h = Math.imul(x ^ (y >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15) ^ y, 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

function hex(word: number): string {
  return word.toString(16).padStart(8, '0')
}
