import { beforeEach, expect, test } from 'vitest'
import { ClockLeaps, sharedLeaps, type TimeSources } from './leaps.ts'

const DAY_MS = 86_400_000
let time: {
  monotonic: number
  wall: number
  uptime: number | undefined
  sampleMs: number
  isOneSample: boolean
}
let leaps: ClockLeaps
beforeEach(() => {
  time = {
    monotonic: 5000,
    wall: 20_000 * DAY_MS,
    uptime: 7 * DAY_MS,
    sampleMs: 0,
    isOneSample: false,
  }
  const sources: TimeSources = {
    monotonicMs: () => {
      const now = time.monotonic
      pass(time.sampleMs)
      if (time.isOneSample) time.sampleMs = 0
      return now
    },
    wallMs: () => Math.floor(time.wall),
    uptimeMs: () => time.uptime && Math.floor(time.uptime / 10) * 10,
  }
  leaps = new ClockLeaps(sources)
})

function pass(ms: number): void {
  time.monotonic += ms
  suspend(ms)
}

function suspend(ms: number): void {
  time.wall += ms
  if (time.uptime !== undefined) time.uptime += ms
}

test('clocks that run on show no leap', () => {
  for (let i = 0; i < 10_000; i++) {
    pass(0.37 * (i % 100))
    expect(leaps.take()).toBe(0)
  }
})

test('a suspension is seen at the next call, once, however short that follows', () => {
  pass(3)
  suspend(6000)
  expect(Math.abs(leaps.take() - 6000)).toBeLessThan(20)
  expect(leaps.take()).toBe(0)
})

test('a suspension is seen although the wall clock was set back, or where there is no /proc/uptime', () => {
  pass(25)
  suspend(6000)
  time.wall -= 6000
  expect(Math.abs(leaps.take() - 6000)).toBeLessThan(20)
  time.uptime = undefined
  pass(25)
  suspend(6000)
  expect(Math.abs(leaps.take() - 6000)).toBeLessThan(20)
})

test('a wall clock that is set ahead counts, one that is set back does not', () => {
  time.wall += 3000
  expect(leaps.take()).toBeCloseTo(3000, -1)
  time.wall -= 7000
  expect(leaps.take()).toBe(0)
  time.wall += 40
  expect(leaps.take()).toBeCloseTo(40, -1)
})

test('a process that was stopped between two readings sees no leap', () => {
  time.sampleMs = 500
  expect(leaps.take()).toBe(0)
  time.sampleMs = 0
  expect(leaps.take()).toBe(0)
  pass(100)
  suspend(1000)
  expect(leaps.take()).toBeCloseTo(1000, -2)
})

test('a suspension is seen although the sample was interrupted: it is taken again', () => {
  pass(100)
  suspend(6000)
  time.sampleMs = 5
  time.isOneSample = true
  expect(leaps.take()).toBeCloseTo(6000, -2)
})

test('a leap that one reader has seen, each other sees at its next call, although its own sample shows nothing', () => {
  const readers = sharedLeaps(leaps)
  const [host, port] = [readers(), readers()]
  pass(100)
  suspend(6000)
  const leapMs = host.take()
  expect(leapMs).toBeCloseTo(6000, -2)
  time.sampleMs = 500 // interrupted, each time
  expect([port.take(), port.take(), host.take()]).toEqual([leapMs, 0, 0])
  expect(readers().take()).toBe(0) // a later reader has not been there
})
