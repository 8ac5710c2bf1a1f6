/** Every algorithm over every detector, in random schedules within the assumptions of both. */
import { describe, expect, test } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import { detectors } from '../../src/detectors/index.ts'
import { leadersResign } from '../../src/sim/config.ts'
import { runSchedule, scheduleOf } from '../support/random/schedules.ts'

/** `npm run conformance` runs a thousand. */
const SCHEDULES = Number(process.env['SCHEDULES'] ?? 40)

/** In a synchronous world every detector is right, so all pairs fit. Specimens break their promises. */
const pairs = algorithms
  .filter(({ specimen }) => !specimen)
  .flatMap((algorithm) =>
    ['perfect' as const, ...detectors].map((detector) => ({
      name: `${algorithm.name} over ${detector === 'perfect' ? detector : detector.name}`,
      algorithm,
      detector,
    })),
  )

describe(`in ${SCHEDULES} schedules`, () => {
  test.each(pairs)('$name keeps its promises', ({ algorithm, detector }) => {
    // A detector that sends messages takes a lost one for a crash: only the perfect one tolerates loss.
    const loss = algorithm.assumes.loss && detector === 'perfect'
    const resigning = leadersResign(algorithm)
    const broken: string[] = []
    for (let seed = 1001; seed <= 1000 + SCHEDULES; seed++) {
      const schedule = scheduleOf(seed, { ...algorithm.assumes, loss }, resigning)
      const world = runSchedule(algorithm, schedule, { detector })
      for (const { property, sentence } of world.monitors.violations) {
        broken.push(`seed ${seed}: ${property}: ${sentence}`)
      }
    }
    expect(broken).toEqual([])
  })
})
