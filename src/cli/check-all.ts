/** What `bellwether check --all` checks: every algorithm, within its assumptions, in some minutes. */
import { algorithms } from '../algorithms/index.ts'
import type { GivenOptions } from '../check/index.ts'
import { assert } from '../core/assert.ts'

type Budget = Omit<GivenOptions, 'algorithm'>

const pair = { crashes: 1, recoveries: 1 }
const twice = { crashes: 2, recoveries: 2 }
/** Candidates count on where a majority is missing or they disturb each other: terms need a bound. */
const bounded = { members: 3, ...pair, maxTerm: 1 } as const
const errs = { detector: 'eventual', mistakes: 2 } as const

/** A specimen is there to be broken: for it the smallest budget that does. */
const ALL: readonly (readonly [name: string, ...budgets: Budget[]])[] = [
  ['bully', { members: 3, ...twice }, { members: 4, ...pair, start: 'settled' }],
  ['bully-as-printed', { members: 3, ...pair, start: 'settled' }],
  ['garcia-molina', { members: 3, ...twice }, { members: 4, ...pair }],
  [
    'bully-fd',
    { members: 3, ...twice },
    { members: 4, ...pair },
    { members: 4, crashes: 2, recoveries: 1 },
    { members: 3, start: 'settled', detector: 'eventual', mistakes: 3 },
  ],
  ['bully-fd-as-printed', { members: 3, ...pair, start: 'settled' }],
  [
    'bully-fd-quorum',
    { ...bounded, ...errs },
    { ...bounded, ...errs, options: { preempt: 'yes' } },
    { ...bounded, cuts: 1, start: 'settled' },
    { ...bounded, cuts: 1, start: 'settled', options: { preempt: 'yes' } },
    { ...bounded, resignations: 1, start: 'settled' },
    { members: 3, cuts: 1, resignations: 1, maxTerm: 1, start: 'settled' },
  ],
  ['chang-roberts', { members: 3, ...twice }, { members: 4, ...pair }],
  ['chang-roberts-as-printed', { members: 3, crashes: 1 }],
  ['ring', { members: 3, ...pair }],
  ['ring-as-printed', { members: 2, crashes: 1 }],
  ['roulette', bounded],
  [
    'roulette-majority',
    { ...bounded, start: 'settled' },
    { ...bounded, resignations: 1, start: 'settled' },
  ],
  ['roulette-as-printed', { members: 3, crashes: 1 }],
]

export function everyCheck(): GivenOptions[] {
  return algorithms.flatMap((algorithm): GivenOptions[] => {
    const row = ALL.find(([name]) => name === algorithm.name)
    assert(row !== undefined, `${algorithm.name} has no budget in check --all`)
    const [, ...budgets] = row
    return budgets.map((budget) => ({ algorithm, ...budget }))
  })
}
