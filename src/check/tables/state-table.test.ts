import { expect, it } from 'vitest'
import { StateTable } from './state-table.ts'

it('a table numbers states in the order of insertion and finds them after they were rewritten', () => {
  const table = new StateTable(2)
  const words = new Int32Array(3)
  const write = (i: number): Int32Array => {
    words[0] = i
    words[1] = -i
    return words
  }
  const numbers = (): number[] => Array.from({ length: 40_000 }, (_, i) => table.add(write(i)))
  const inOrder = Array.from({ length: 40_000 }, (_, i) => i)
  expect(numbers()).toEqual(inOrder)
  expect(table.added).toBe(true)
  table.rewrite(3, words, () => (words[2] = 7))
  expect(table.size).toBe(40_000)
  expect(numbers()).toEqual(inOrder)
  expect(table.added).toBe(false)
  expect(table.find(write(50_000))).toBe(-1)
  table.read(39_999, words)
  expect([...words]).toEqual([39_999, -39_999, 7])
})
