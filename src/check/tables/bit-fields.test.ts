import { expect, it } from 'vitest'
import { BitFields } from './bit-fields.ts'

it('unpacked numbers equal the packed ones, whatever the widths of the fields', () => {
  for (let seed = 1; seed < 300; seed++) {
    const widths = Array.from(
      { length: 1 + (seed % 11) },
      (_, i) => 1 + ((seed * (7 + 4 * i)) % 31),
    )
    const numbers = Int32Array.from(widths, (width, i) =>
      i % 3 === 0 ? 2 ** width - 1 : Math.imul(seed + i, 0x9e3779b1) & (2 ** width - 1),
    )
    const fields = new BitFields(widths)
    const words = new Int32Array(fields.words)
    fields.pack(numbers, words)
    const again = new Int32Array(numbers.length)
    fields.unpack(words, again)
    expect(again).toEqual(numbers)
  }
})

it('bit fields leave no gaps between them', () => {
  expect(new BitFields([6, 15, 15, 15, 15, 15, 15]).words).toBe(3)
  expect(new BitFields([32 - 1, 1]).words).toBe(1)
})
