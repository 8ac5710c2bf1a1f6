/** Durations as text and back. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDuration, showDuration } from './time.ts'

describe('durations', () => {
  test('what is shown is read as it was, to the microsecond', () => {
    const us = fc.oneof(fc.nat(3000), fc.nat(10_000_000), fc.maxSafeNat())
    fc.assert(
      fc.property(us, (time) => {
        expect(parseDuration(showDuration(time))).toBe(time)
        expect(parseDuration(`${time}us`)).toBe(time)
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    [0, '0ms'],
    [20, '20us'],
    [999, '999us'],
    [1000, '1ms'],
    [1500, '1.5ms'],
    [100_000, '100ms'],
    [1_500_000, '1500ms'],
    [2_000_000, '2s'],
    [Number.MAX_SAFE_INTEGER, '9007199254740.991ms'],
  ])('%i µs is shown as %s', (us, text) => {
    expect(showDuration(us)).toBe(text)
  })

  test.each([
    ['1.5s', 1_500_000],
    ['0.25ms', 250],
    ['0s', 0],
    ['1.0000004s', 1_000_000],
    ['0.1s', 100_000],
  ])('%s is %i µs', (text, us) => {
    expect(parseDuration(text)).toBe(us)
  })

  test.each(['', '5', 'ms', '-1ms', '1.ms', '.5ms', '1e3ms', '1 ms', '1ms ', '1m', '1MS', 'NaNms'])(
    '"%s" is no duration',
    (text) => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )

  test('what is longer than a safe integer of microseconds is no duration', () => {
    expect(parseDuration('9007199255s')).toBeUndefined()
    expect(parseDuration(`${'9'.repeat(400)}s`)).toBeUndefined()
  })
})
