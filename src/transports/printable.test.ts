import { expect, test } from 'vitest'
import type { Json } from '../core/schema.ts'
import { printable, printableJson } from './printable.ts'

test('characters that change a terminal or a line become escapes, and other text stays', () => {
  expect(printable('Zoë leads, 走')).toBe('Zoë leads, 走')
  expect(printable('a\nb leads\r\u001b[31m')).toBe('a\\u{a}b leads\\u{d}\\u{1b}[31m')
  expect(printable('\u009b31m\u007f\u2028\u202e\ud800')).toBe(
    '\\u{9b}31m\\u{7f}\\u{2028}\\u{202e}\\u{d800}',
  )
})

test('long text is cut', () => {
  expect(printable('x'.repeat(1000), 10)).toBe(`${'x'.repeat(10)}…`)
})

test('in JSON the names count too, and what is nested without end is left out', () => {
  const json = { 'a\u001b': ['\n', 1, null, { b: '\u202e' }] }
  expect(printableJson(json)).toEqual({ 'a\\u{1b}': ['\\u{a}', 1, null, { b: '\\u{202e}' }] })
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as Json
  expect(JSON.stringify(printableJson(deep))).toHaveLength(2 * 64 + 'null'.length)
})
