/** Every algorithm over every detector that fits, in random schedules within the assumptions of both. */
import { algorithms } from '../../src/algorithms/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import type { Detector } from '../../src/core/detector.ts'
import { detectors } from '../../src/detectors/index.ts'
import { leadersResign } from '../../src/sim/config.ts'
import { runSchedule, scheduleOf } from '../support/schedules.ts'

export interface Cell {
  readonly algorithm: Algorithm
  readonly detector: Detector | 'perfect'
}

export function nameOf(detector: Cell['detector']): string {
  return detector === 'perfect' ? detector : detector.name
}

/** All of them fit: in a synchronous world every detector is right. Specimens promise what they do not keep. */
export const cells: readonly Cell[] = algorithms
  .filter(({ specimen }) => !specimen)
  .flatMap((algorithm) =>
    ['perfect' as const, ...detectors].map((detector) => ({ algorithm, detector })),
  )

/** The promises that were broken, each with the seed that shows it. */
export function brokenIn({ algorithm, detector }: Cell, seeds: Iterable<number>): string[] {
  // A detector that sends messages takes a lost one for a death: losses are within the perfect one's assumptions only.
  const loss = algorithm.assumes.loss && detector === 'perfect'
  const resigning = leadersResign(algorithm)
  const broken: string[] = []
  for (const seed of seeds) {
    const schedule = scheduleOf(seed, { ...algorithm.assumes, loss }, resigning)
    const world = runSchedule(algorithm, schedule, { detector })
    for (const { property, sentence } of world.monitors.violations) {
      broken.push(`seed ${seed}: ${property}: ${sentence}`)
    }
  }
  return broken
}
