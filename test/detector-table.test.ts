/** The measurements of docs/detectors.md at a small scale, and what 000 §2.2 states about the methods. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { measure, type Effort, type Measured } from '../scripts/tables/detector-measure.ts'
import {
  detectors,
  eventuallyPerfect,
  heartbeat,
  heartbeatDetector,
  phi,
  ping,
  token,
} from '../src/detectors/index.ts'

const LITTLE: Effort = {
  members: 6,
  crashes: 10,
  steadySeconds: 4,
  hostileSeconds: 20,
  losses: [0, 0.2],
}
const measured = new Map(
  [ping, heartbeat, token, phi, 'perfect' as const].map((d) => [d, measure(d, LITTLE)]),
)
const of = (detector: Measured) => measured.get(detector)!

describe('the measurements', () => {
  test('are the same every time', () => {
    expect(measure(token, LITTLE)).toEqual(of(token))
  })

  test('find what is known of the perfect detector', () => {
    expect(of('perfect')).toEqual({
      name: 'perfect',
      detection: { meanMs: 20, p99Ms: 20, maxMs: 20 },
      jittered: { meanMs: 20, p99Ms: 20, maxMs: 20 },
      upMs: 20,
      downMs: 20,
      starRate: 0,
      meshRate: 0,
      falseAlarms: [0, 0],
    })
  })

  test('have a row for every detector in the documentation', () => {
    const page = readFileSync(new URL('../docs/detectors.md', import.meta.url), 'utf8')
    for (const { name } of detectors) expect(page.split(`| \`${name}\``).length - 1).toBe(2)
  })
})

describe('000 §2.2', () => {
  test('ping: two messages a period, and "if a reply is not received in the expected time" To', () => {
    expect(of(ping).starRate).toBe(20)
    expect(of(ping).downMs).toBeCloseTo(12.5, 1)
    expect(of(ping).detection.maxMs).toBeLessThan(100 + 12.6)
  })

  test('beats: "This uses fewer messages and reduces the latency of the FD."', () => {
    expect(of(heartbeat).starRate).toBeCloseTo(12, 0)
    expect(of(heartbeat).meshRate).toBeLessThan(of(ping).meshRate)
    expect(of(heartbeat).jittered.meanMs).toBeLessThan(of(ping).jittered.meanMs)
  })

  test('token: "fewer messages will be used if multiple nodes are being monitored by multiple nodes"', () => {
    expect(of(token).meshRate).toBeLessThan(of(heartbeat).meshRate / 5)
  })

  test('token: "though at the expense of increased detection latency"', () => {
    expect(of(token).detection.meanMs).toBeGreaterThan(of(ping).detection.meanMs)
    expect(of(token).detection.meanMs).toBeGreaterThan(of(heartbeat).detection.meanMs)
  })
})

describe('where messages are lost', () => {
  test('eventually-perfect: mistakes become rarer; those of fixed time-outs do not', () => {
    const rate = (detector: Measured, hostileSeconds: number): number => {
      const effort = { ...LITTLE, crashes: 1, steadySeconds: 1, hostileSeconds, losses: [0.2] }
      return measure(detector, effort).falseAlarms[0]
    }
    expect(rate(eventuallyPerfect, 200)).toBeLessThan(rate(eventuallyPerfect, 20) / 3)
    expect(rate(heartbeat, 200)).toBeGreaterThan(rate(heartbeat, 20) / 3)
  })

  test('phi adapts: it errs less than beats, and no more than beats that may be missed', () => {
    expect(of(heartbeat).falseAlarms[1]).toBeGreaterThan(10 * of(phi).falseAlarms[1])
    const patient = measure(heartbeatDetector({ misses: 3 }), LITTLE)
    expect(of(phi).falseAlarms[1]).toBeLessThan(2 * patient.falseAlarms[1])
    expect(of(phi).detection.meanMs).toBeLessThan(patient.detection.meanMs)
  })
})
