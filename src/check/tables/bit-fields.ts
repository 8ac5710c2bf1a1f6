/** Packs a row of integers into 32-bit words, each into a bit field of its own width, and unpacks it. */

export class BitFields {
  readonly words: number
  private readonly widths: Uint8Array

  /** `widths`: at most 31 bits each. */
  constructor(widths: readonly number[]) {
    this.widths = Uint8Array.from(widths)
    this.words = Math.ceil(widths.reduce((sum, width) => sum + width, 0) / 32)
  }

  pack(numbers: Int32Array, words: Int32Array): void {
    const { widths } = this
    let word = 0
    let used = 0
    let at = 0
    for (let i = 0; i < widths.length; i++) {
      const number = numbers[i]
      word |= number << used
      used += widths[i]
      if (used < 32) continue
      words[at++] = word
      used -= 32
      word = used === 0 ? 0 : number >>> (widths[i] - used)
    }
    if (used > 0) words[at] = word
  }

  unpack(words: Int32Array, numbers: Int32Array): void {
    const { widths } = this
    let used = 0
    let at = 0
    for (let i = 0; i < widths.length; i++) {
      let number = words[at] >>> used
      used += widths[i]
      if (used >= 32) {
        at += 1
        used -= 32
        if (used > 0) number |= words[at] << (widths[i] - used)
      }
      numbers[i] = number & ((1 << widths[i]) - 1)
    }
  }
}
