/** Growing arrays of 32-bit integers and of bits, stored in chunks so that growing copies nothing. */
export class IntColumn {
  private readonly chunks: Int32Array[] = []
  private readonly bits: number
  private readonly mask: number
  private count = 0

  constructor(bits = 18) {
    this.bits = bits
    this.mask = 2 ** bits - 1
  }

  get length(): number {
    return this.count
  }

  get bytes(): number {
    return 4 * this.chunks.length * 2 ** this.bits
  }

  get(i: number): number {
    return this.chunks[i >>> this.bits][i & this.mask]
  }

  set(i: number, value: number): void {
    this.chunks[i >>> this.bits][i & this.mask] = value
  }

  push(value: number): void {
    const at = this.count & this.mask
    if (at === 0) this.chunks.push(new Int32Array(2 ** this.bits))
    this.chunks[this.count >>> this.bits][at] = value
    this.count += 1
  }
}

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
