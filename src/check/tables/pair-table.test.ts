import { expect, it } from 'vitest'
import { PairTable } from './pair-table.ts'

it('a table of pairs keeps its values when it grows, and has no others', () => {
  const table = new PairTable()
  for (let a = 0; a < 100; a++) for (let b = 0; b < 100; b++) table.set(a, b, 100 * a + b)
  for (let a = 0; a < 100; a++) {
    for (let b = 0; b < 100; b++) expect(table.get(a, b)).toBe(100 * a + b)
  }
  expect(table.get(100, 0)).toBe(-1)
  expect(table.get(0, 100)).toBe(-1)
})
