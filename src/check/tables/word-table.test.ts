import { expect, it } from 'vitest'
import { WordTable } from './word-table.ts'

it('a table numbers records in the order of insertion and finds them after it has grown', () => {
  const table = new WordTable()
  const record = (i: number): Int32Array => Int32Array.from(i % 2 === 0 ? [i, 0] : [i - 1, 0, -i])
  for (let i = 0; i < 5000; i++) {
    expect(table.add(record(i), 2 + (i % 2))).toBe(i)
    expect(table.added).toBe(true)
  }
  for (let i = 0; i < 5000; i++) expect(table.add(record(i), 2 + (i % 2))).toBe(i)
  expect(table.added).toBe(false)
  expect(table.size).toBe(5000)
  expect([...table.get(4998)]).toEqual([4998, 0])
  expect([...table.get(4999)]).toEqual([4998, 0, -4999])
})
