import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { WriteTimes } from './write-times.ts'

test('a second slow write in a row is reported, once a minute, and the slowest is remembered for ten minutes', () => {
  const clock = new ManualClock()
  const told: string[] = []
  const writes = new WriteTimes(clock, 2000, 'p.state', ({ message }) => told.push(message))
  const write = (ms: number): void => writes.measure(() => clock.advance(ms))
  expect(writes.slowestMs).toBe(0)
  write(5)
  write(249)
  write(300)
  write(5)
  expect(told).toEqual([])
  write(300)
  write(310)
  write(700)
  expect(told).toEqual([expect.stringMatching(/^p\.state: a durable write took 310 ms.* are slow/)])
  clock.advance(60_000)
  write(700)
  expect(told[1]).toMatch(/took 700 ms.* no member can lead \(the limit is 600 ms\)/)
  write(20)
  expect(writes.slowestMs).toBe(700)
  clock.advance(600_000)
  expect(writes.slowestMs).toBe(0)
})
