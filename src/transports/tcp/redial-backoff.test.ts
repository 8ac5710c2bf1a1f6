import { expect, test } from 'vitest'
import { limitsFor } from './endpoint-context.ts'
import { RedialBackoff } from './redial-backoff.ts'

test('each failed dial doubles the wait, up to its maximum, and a connection ends it', () => {
  const redial = new RedialBackoff(20, 100, () => 1)
  const waits = [1, 2, 3, 4].map(() => {
    redial.failed(0)
    return redial.waitMs(0)
  })
  expect(waits).toEqual([20, 40, 80, 100])
  redial.succeeded()
  expect(redial.waitMs(0)).toBe(0)
})

test('in a large group a refused dial is followed by a longer wait at once, and the next failure by an ordinary one', () => {
  const { refusedMs } = limitsFor(1500, 49)
  const redial = new RedialBackoff(20, 375, () => 1)
  redial.failed(0, refusedMs)
  expect(redial.waitMs(0)).toBe(1640)
  redial.failed(0)
  expect(redial.waitMs(0)).toBe(40)
})

test('in a group of up to nine members a refused dial waits no longer than another failed one', () => {
  expect(limitsFor(1500, 8).refusedMs).toBe(0)
})
