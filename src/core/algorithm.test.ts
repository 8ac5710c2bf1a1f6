/** Tests how people see a term. */
import { expect, test } from 'vitest'
import { termText } from './algorithm.ts'

test('a term that names its leader is a count and a member, any other a number', () => {
  const nameOf = (id: number): string => ['', 'a', 'b', 'c', 'd', 'e'][id]
  expect(termText(1029, 1024, nameOf)).toBe('1·e')
  expect(termText(7 * 1024 + 2, 1024, nameOf)).toBe('7·b')
  expect(termText(0, 1024, nameOf)).toBe('0')
  expect(termText(1029, 1, nameOf)).toBe('1029')
})
