import { expect, test } from 'vitest'
import { printable } from './printable.ts'

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
