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
  const inOrder = Array.from({ length: 40_000 }, (_, i) => i)
  expect(inOrder.map((i) => table.add(write(i)))).toEqual(inOrder)
  expect(inOrder.map((i) => table.find(write(i)))).toEqual(inOrder)
  table.rewrite(3, words, () => (words[2] = 7))
  for (const thread of [0, 1, 2]) table.fillSlots(thread, 3)
  expect(table.size).toBe(40_000)
  words[2] = 7
  expect(inOrder.map((i) => table.find(write(i)))).toEqual(inOrder)
  expect(table.find(write(50_000))).toBe(-1)
  table.read(39_999, words)
  expect([...words]).toEqual([39_999, -39_999, 7])
})
