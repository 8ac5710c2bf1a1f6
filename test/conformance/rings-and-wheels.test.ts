/** What the rings and the roulette wheels promise, in worlds that the general suite does not draw. */
import { describe, expect, test } from 'vitest'
import { changRoberts, ring, roulette, rouletteMajority } from '../../src/algorithms/index.ts'
import { Random } from '../../src/core/random.ts'
import { configure, finish, leadersResign, World } from '../../src/sim/index.ts'
import { runSchedule, scheduleOf } from '../support/random/schedules.ts'

const ALGORITHMS = [changRoberts, ring, roulette, rouletteMajority].map(
  (algorithm) => [algorithm.name, algorithm] as const,
)

describe.each(ALGORITHMS)('%s', (_, algorithm) => {
  test('keeps its promises in 1,000 schedules with any order of the ring and slow and fast detectors', () => {
    const broken: string[] = []
    for (let seed = 1001; seed <= 2000; seed++) {
      const random = new Random(seed)
      const schedule = scheduleOf(seed, algorithm.assumes, leadersResign(algorithm))
      const maxUs = 1000 + random.below(60_000)
      const minUs = random.chance(0.5) ? 0 : maxUs
      const more = { ring: random.permutation(schedule.members), detection: { minUs, maxUs } }
      // A minority never comes to rest: the wheel is spun no more, but numbers are drawn.
      const { monitors } = runSchedule(algorithm, schedule, more, WHEEL_OPTIONS[algorithm.name])
      for (const { sentence } of monitors.violations) broken.push(`seed ${seed}: ${sentence}`)
    }
    expect(broken).toEqual([])
  })

  test('the term rises from leader to leader', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const world = new World(configure({ algorithm, members: 5, seed }))
      const terms: number[] = []
      for (let crashes = 0; crashes <= 2; crashes++) {
        finish(world)
        const leader = world.monitors.agreed
        expect(leader).not.toBe(0)
        terms.push(world.states[leader].term)
        world.inject({ kind: 'crash', node: leader, at: world.now })
      }
      expect(terms[1]).toBeGreaterThan(terms[0])
      expect(terms[2]).toBeGreaterThan(terms[1])
    }
  })
})

/** Fewer and slower draws, so that a minority that draws for a minute costs little. */
const WHEEL_OPTIONS: Readonly<Record<string, Record<string, number>>> = {
  roulette: { consecutive: 2, drawEveryMs: 5 },
  'roulette-majority': { consecutive: 2, drawEveryMs: 5 },
}
