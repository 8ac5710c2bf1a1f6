/** Lists the checks of `bellwether check --all`: every algorithm within its assumptions, in a few minutes. */
import { algorithms } from '../algorithms/index.ts'
import type { CheckOptions } from '../check/index.ts'
import { assert } from '../core/assert.ts'

type Budget = Omit<CheckOptions, 'algorithm'>

const pair = { crashes: 1, recoveries: 1 }
const twice = { crashes: 2, recoveries: 2 }
const three = { members: 3, ...pair } as const
/** Without a majority the roulettes draw in ever larger terms: terms need a bound. */
const bounded = { ...three, maxTerm: 1 } as const
const amnesic = {
  ...three,
  amnesia: true,
  start: 'settled',
  options: { founding: 'all' },
} as const
/** Three voters and a seat that is outside at first. */
const changing = { members: 4, voters: [1, 2, 3], changes: 1 } as const
const errs = { detector: 'eventual', mistakes: 2 } as const

/** A specimen has the smallest budget that breaks it. */
const ALL: readonly (readonly [name: string, ...budgets: Budget[]])[] = [
  ['bully', { members: 3, ...twice }, { members: 4, ...pair, start: 'settled' }],
  ['bully-as-printed', { ...three, start: 'settled' }],
  ['garcia-molina', { members: 3, ...twice }, { members: 4, ...pair }],
  [
    'invitation',
    { members: 3, ...twice },
    { members: 3, crashes: 1, cuts: 1 },
    { ...three, drops: 1 },
  ],
  [
    'bully-fd',
    { members: 3, ...twice },
    { members: 4, ...pair },
    { members: 4, crashes: 2, recoveries: 1 },
    { members: 3, start: 'settled', detector: 'eventual', mistakes: 3 },
    { ...changing, crashes: 1 },
    { ...changing, drops: 1 },
    { members: 3, voters: [1, 2], changes: 2, ...pair, start: 'settled' },
  ],
  ['bully-fd-as-printed', { ...three, start: 'settled' }],
  [
    'bully-fd-quorum',
    { ...three, ...errs },
    { ...three, ...errs, options: { preempt: 'yes' } },
    { ...three, cuts: 1 },
    { ...three, cuts: 1, options: { preempt: 'yes' } },
    { ...three, resignations: 1 },
    { members: 3, cuts: 1, resignations: 1 },
    { members: 3, clocks: true, ticks: 2 },
    { ...three, clocks: true, ticks: 1 },
    { members: 3, resignations: 1, clocks: true, ticks: 1 },
    { ...three, amnesia: true, options: { founding: 'majority' } },
    { ...amnesic, detector: 'eventual', mistakes: 1 },
    { ...amnesic, cuts: 1 },
    { ...changing, changes: 2, crashes: 1 },
    { ...changing, ...pair, start: 'settled' },
    { ...changing, start: 'settled', clocks: true, ticks: 1 },
    { ...three, ...errs, witnesses: [3] },
    { ...three, resignations: 1, witnesses: [2] },
    { ...changing, ...pair, start: 'settled', witnesses: [1] },
  ],
  ['chang-roberts', { members: 3, ...twice }, { members: 4, ...pair }],
  ['chang-roberts-as-printed', { members: 3, crashes: 1 }],
  ['ring', three],
  ['ring-as-printed', { members: 2, crashes: 1 }],
  ['roulette', bounded],
  [
    'roulette-majority',
    { ...bounded, start: 'settled' },
    { ...bounded, resignations: 1, start: 'settled' },
    { ...amnesic, maxTerm: 1 },
    { ...amnesic, cuts: 1, maxTerm: 1 },
  ],
  ['roulette-as-printed', { members: 3, crashes: 1 }],
  [
    'raft',
    { ...three, drops: 1 },
    { members: 4, ...pair },
    { ...bounded, cuts: 1 },
    { ...bounded, timers: 'async', maxInFlight: 1 },
    { members: 3, timers: 'async', maxInFlight: 2, maxTerm: 1 },
    { ...three, options: { preVote: 'yes' } },
    { ...bounded, cuts: 1, options: { preVote: 'yes' } },
  ],
  [
    'omega',
    { members: 3, ...twice },
    { ...three, ...errs },
    { ...three, drops: 1 },
    { ...three, cuts: 1 },
  ],
  [
    'stable-leader',
    { members: 3, ...twice },
    { ...three, ...errs },
    { ...three, drops: 1 },
    { ...three, cuts: 1 },
  ],
  ['le-lann', { members: 5, duplicates: 1 }, { members: 6, ring: [3, 1, 6, 5, 2, 4] }],
  ['hirschberg-sinclair', { members: 4, duplicates: 1 }, { members: 6, ring: [3, 1, 6, 5, 2, 4] }],
  ['peterson', { members: 5, duplicates: 1 }, { members: 6, ring: [3, 1, 6, 5, 2, 4] }],
  ['itai-rodeh', { members: 4, duplicates: 1 }, { members: 5 }],
]

export function everyCheck(): CheckOptions[] {
  return algorithms.flatMap((algorithm): CheckOptions[] => {
    const row = ALL.find(([name]) => name === algorithm.name)
    assert(row !== undefined, `${algorithm.name} has no budget in check --all`)
    const [, ...budgets] = row
    return budgets.map((budget) => ({ algorithm, ...budget }))
  })
}
