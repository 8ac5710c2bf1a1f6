/** What every registered algorithm owes its hosts, judged by the promises that it declares. */
import { describe, expect, test } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { Labels } from '../../src/core/group.ts'
import { numberedMembers } from '../../src/core/schema.ts'
import {
  configure,
  leadersResign,
  finish,
  recordRun,
  summarize,
  traceOf,
  World,
  type Recording,
  type SimOptions,
} from '../../src/sim/index.ts'
import { runSchedule, scheduleOf } from '../support/random/schedules.ts'

const SCHEDULES = 300

/** A run with every fault that the algorithm's assumptions allow. It has a time limit: a specimen may send for ever. */
function eventfulRun(algorithm: Algorithm, seed: number): Recording {
  const schedule = scheduleOf(seed, algorithm.assumes, leadersResign(algorithm))
  const untilUs = 200_000 + (schedule.faults.at(-1)?.at ?? 0)
  return recordRun(configure({ algorithm, ...schedule, untilUs })).recording
}

/** The promises that random schedules within the algorithm's assumptions broke, each with its seed. */
function brokenPromises(
  algorithm: Algorithm,
  schedules: number,
  network: SimOptions['network'] = {},
): string[] {
  const resigning = leadersResign(algorithm)
  return Array.from({ length: schedules }, (_, i) => i + 1).flatMap((seed) => {
    const schedule = scheduleOf(seed, algorithm.assumes, resigning)
    const { monitors } = runSchedule(algorithm, schedule, { network })
    return monitors.violations.map((it) => `seed ${seed}: ${it.property}: ${it.sentence}`)
  })
}

describe.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
  '%s',
  (_, algorithm) => {
    test('gives the same trace, byte for byte, for the same seed', () => {
      const run = (): string => {
        const config = configure({
          algorithm,
          ...scheduleOf(7, algorithm.assumes, leadersResign(algorithm)),
          untilUs: 2_000_000,
        })
        return traceOf(config, recordRun(config).recording)
      }
      expect(run()).toBe(run())
    })

    test('every message that travels survives the wire and the page', () => {
      const members = numberedMembers(7)
      const label = (id: number): number => new Labels(7, 'lowest').of(id)
      let travelled = 0
      for (const { sendings } of eventfulRun(algorithm, 3).entries) {
        for (const { message } of sendings) {
          const { messages } = algorithm
          const wire = JSON.parse(JSON.stringify(messages.toJson(message, members))) as unknown
          expect(messages.equal(messages.fromJson(wire, members), message)).toBe(true)
          expect(
            messages.equal(messages.parse(messages.show(message, label), label), message),
          ).toBe(true)
          travelled += 1
        }
      }
      expect(travelled).toBeGreaterThan(0)
    })

    test('leaves the messages that it is given as they are', () => {
      const before = new Map<object, string>()
      let delivered = 0
      for (let seed = 1; seed <= 20; seed++) {
        const recording = eventfulRun(algorithm, seed)
        for (const { step, sendings } of recording.entries) {
          for (const { message } of sendings)
            before.set(message, recording.show(message, 'election'))
          if (step.kind !== 'deliver') continue
          expect(recording.show(step.message, 'election')).toBe(before.get(step.message))
          delivered += 1
        }
      }
      expect(delivered).toBeGreaterThan(0)
    })

    test('begins settled, and stays as it is while nothing happens', () => {
      const world = new World(configure({ algorithm, members: 5, initiators: [] }))
      finish(world)
      expect(world.messageCounts.sumOf('election')).toBe(0)
    })
  },
)

describe.each(
  algorithms
    .filter(({ specimen }) => !specimen)
    .map((algorithm) => [algorithm.name, algorithm] as const),
)('%s', (_, algorithm) => {
  test('boots: all members agree on one leader, the strongest where that is promised', () => {
    for (let members = 1; members <= 7; members++) {
      const { agreed, leader } = summarize(
        recordRun(configure({ algorithm, members, seed: members })).world,
      )
      expect(agreed).toBe(true)
      expect(algorithm.promises.leader === 'any' || leader === members).toBe(true)
    }
  })

  test('keeps its promises when messages are duplicated', () => {
    expect(brokenPromises(algorithm, 50, { duplicate: 0.1 })).toEqual([])
  })

  test(`keeps its promises in ${SCHEDULES} random schedules within its assumptions`, () => {
    expect(brokenPromises(algorithm, SCHEDULES)).toEqual([])
  })
})
