import { expect, it } from 'vitest'
import { WordTable } from './word-table.ts'

it('a table numbers records in the order in which they come, and finds them again after it grew', () => {
  const table = new WordTable(8)
  const record = (i: number): Int32Array =>
    Int32Array.from(i % 2 === 0 ? [2 | (i << 8), i] : [3 | (i << 8), i, -i])
  for (let i = 0; i < 5000; i++) {
    expect(table.add(record(i), 2 + (i % 2))).toBe(i)
    expect(table.added).toBe(true)
  }
  for (let i = 0; i < 5000; i++) expect(table.add(record(i), 2 + (i % 2))).toBe(i)
  expect(table.added).toBe(false)
  expect(table.find(record(6000), 2)).toBe(-1)
  const words = new Int32Array(3)
  table.read(4999, words, 3)
  expect([...words]).toEqual([...record(4999)])
})
