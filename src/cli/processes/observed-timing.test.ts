import { expect, test } from 'vitest'
import { leastDetectionMs } from './observed-timing.ts'

test.each([
  ['a quiet machine', { lateMs: 2, writeMs: 5 }, 50],
  ['late timers', { lateMs: 410, writeMs: 5 }, 1250],
  ['a slow disk', { lateMs: 2, writeMs: 500 }, 1250],
])('%s needs the detection time that its slowest part allows', (_, observed, expected) => {
  expect(leastDetectionMs(observed)).toBe(expected)
})
