import { expect, test } from 'vitest'
import { StartupWait } from './startup-wait.ts'

const timing = { messageMs: 100, processingMs: 1, detectionMs: 1000, watchMs: 1000, periodMs: 300 }

test('a member starts at once when all are present; after a recovery, when its announcement has arrived', () => {
  expect(new StartupWait(5, timing, 50, false, true).startsAt(60, 5)).toBe(50)
  expect(new StartupWait(5, timing, 50, true, true).startsAt(60, 5)).toBe(150)
})

test('a member starts a message time after a majority is present', () => {
  const wait = new StartupWait(5, timing, 0, false, true)
  expect(wait.startsAt(10, 2)).toBe(1000)
  expect(wait.startsAt(200, 3)).toBe(300)
  expect(wait.startsAt(250, 4)).toBe(300)
  expect(wait.startsAt(260, 5)).toBe(0)
})

test('without a majority, a member starts after the detection time', () => {
  expect(new StartupWait(5, timing, 7, false, true).startsAt(900, 2)).toBe(1007)
})

test('on a ring, where only neighbours connect, a member does not wait', () => {
  expect(new StartupWait(5, timing, 7, false, false).startsAt(7, 1)).toBe(7)
})
