/**
 * Judges one mutant of leases, bonds, handovers, admission or configurations by races that are played step by step, by
 * the checker, with and without clocks, and by a hunt, the cheapest first, and makes a table of which noticed each. A
 * mutant that none notices is explained as equivalent, or counts as a survivor.
 */
import { createHash } from 'node:crypto'
import { check, type CheckOptions, type CheckResult } from '../../src/check/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { markdownTable } from '../../src/core/markdown-table.ts'
import { detectors } from '../../src/detectors/index.ts'
import { FAMILIES } from '../../src/sim/hunt/disturbances.ts'
import { huntPart } from '../../src/sim/hunt/hunt.ts'
import { StepError } from '../../src/sim/stepper/stepper.ts'
import { HOSTILE_MUTANTS } from './hostile-mutants-list.ts'
import { LEASE_MUTANTS, type LeaseMutant } from './lease-mutants-list.ts'
import { LATER_MUTANTS } from './later-mutants-list.ts'
import { REGISTER_MUTANTS } from './register-mutants-list.ts'
import { mutate, sourcesOf } from './mutate.ts'
import { RACES, type Races } from './races.ts'

type Budget = Omit<CheckOptions, 'algorithm'>

const once = { crashes: 1, recoveries: 1 } as const
const clocks = { clocks: true, ticks: 1 } as const
const settled = { members: 3, start: 'settled' } as const
const amnesia = { ...once, amnesia: true } as const
const slow = { timers: 'async', maxInFlight: 2 } as const
const changing = { members: 4, voters: [1, 2, 3], changes: 1 } as const
const roulette = { members: 3, maxTerm: 1 } as const
const allFound = { options: { founding: 'all' } } as const
/** In order of cost. The algorithms themselves go through all of them, too. */
const BUDGETS: Readonly<
  Record<
    LeaseMutant['algorithm'],
    { readonly cheap: readonly Budget[]; readonly dear: readonly Budget[] }
  >
> = {
  'bully-fd-quorum': {
    cheap: [
      { members: 3, resignations: 1 },
      { members: 3, ...clocks },
      { ...settled, ...clocks, ticks: 2 },
      { ...settled, ...clocks, crashes: 1 },
      { ...settled, ...clocks, resignations: 1 },
      { ...settled, ...clocks, ...once },
      { ...settled, ...clocks, resignations: 1, detector: 'eventual', mistakes: 1 },
      { members: 3, ...once, ...slow, maxTerm: 1 },
      { members: 3, ...allFound },
      { members: 3, ...amnesia, timers: 'async', maxInFlight: 1, maxTerm: 1, ...allFound },
      { ...settled, ...amnesia, detector: 'eventual', mistakes: 1, ...allFound },
      { members: 3, ...amnesia, options: { founding: 'majority' } },
      { members: 3, voters: [1, 2], ...once, changes: 2, start: 'settled' },
      { ...changing, changes: 2, crashes: 1 },
      { ...changing, ...clocks, start: 'settled' },
    ],
    dear: [
      { members: 3, ...clocks, ticks: 2 },
      { ...settled, ...clocks, ...amnesia, ...allFound },
      { ...settled, ...clocks, ...once, resignations: 1 },
      { members: 3, resignations: 1, ...clocks },
      { ...changing, ...once, start: 'settled' },
    ],
  },
  'roulette-majority': {
    cheap: [
      { members: 2, ...once, maxTerm: 1 },
      { ...settled, maxTerm: 1, duplicates: 1, resignations: 1 },
      { ...settled, maxTerm: 1, ...clocks },
      { ...settled, maxTerm: 1, ...clocks, ...once },
      { ...roulette, timers: 'async', maxInFlight: 1 },
      { ...roulette, ...amnesia, timers: 'async', maxInFlight: 1, ...allFound },
    ],
    dear: [
      { ...roulette, ...clocks },
      { ...roulette, ...settled, ...clocks, resignations: 1, duplicates: 1 },
    ],
  },
}
/** What a mutant goes through until it is noticed: each budget with so many states, or runs of the hunt up to this one. */
type Stage =
  { readonly budgets: 'cheap' | 'dear'; readonly maxStates: number } | { readonly runs: number }
const FIRST_STAGES: readonly Stage[] = [{ budgets: 'cheap', maxStates: 20_000 }, { runs: 500 }]
/** For mutants of which no reason is known why they are equivalent. */
const FURTHER_STAGES: readonly Stage[] = [
  { budgets: 'cheap', maxStates: 100_000 },
  { runs: 6000 },
  { budgets: 'dear', maxStates: 200_000 },
  { runs: 12_000 },
]
const JUDGED = ['kept leases', 'kept votes']
/** Situations without which nothing is elected or changed at all. */
const PROGRESS = new Set(['a member leads', 'a leader changes the configuration'])

/** What is noticed of these is no error. */
const UNCHANGED = (['bully-fd-quorum', 'roulette-majority'] as const).map((algorithm) => {
  return { algorithm, what: 'unchanged', edits: [] }
})
export const ALL_MUTANTS: readonly LeaseMutant[] = [
  ...LEASE_MUTANTS,
  ...HOSTILE_MUTANTS,
  ...REGISTER_MUTANTS,
  ...LATER_MUTANTS,
  ...UNCHANGED,
]

export type Judge = 'checker' | 'hunt' | 'race'
/** Who noticed a mutant, and how; null: nobody. */
export interface Fate {
  readonly by: Judge | null
  readonly how: string
  /** Of processor time. */
  readonly seconds: number
}

/** The same for the same mutant of the same source. */
export function keyOf(mutant: LeaseMutant): string {
  const texts = sourcesOf(mutant.algorithm, mutant.edits)
  const hash = createHash('sha256').update(
    JSON.stringify([texts, stagesOf(mutant), BUDGETS, Object.keys(RACES[mutant.algorithm])]),
  )
  return hash.digest('hex').slice(0, 16)
}

function stagesOf({ equivalent }: LeaseMutant): readonly Stage[] {
  return equivalent === undefined ? [...FIRST_STAGES, ...FURTHER_STAGES] : FIRST_STAGES
}

export async function fateOf(mutant: LeaseMutant): Promise<Fate> {
  const before = process.cpuUsage()
  const algorithm = await mutate(mutant.algorithm, mutant.edits)
  const fate = (by: Judge | null, how: string): Fate => {
    const { user, system } = process.cpuUsage(before)
    return { by, how, seconds: (user + system) / 1e6 }
  }
  const race = played(algorithm, RACES[mutant.algorithm])
  if (race !== null) return fate('race', race)
  let hunted = 0
  for (const stage of stagesOf(mutant)) {
    if ('runs' in stage) {
      const how = huntedFrom(algorithm, hunted, stage.runs)
      if (how !== null) return fate('hunt', how)
      hunted = stage.runs
    } else {
      const budgets = BUDGETS[mutant.algorithm][stage.budgets]
      const how = checked(algorithm, budgets, stage.maxStates)
      if (how !== null) return fate('checker', how)
    }
  }
  return fate(null, '')
}

interface Judged {
  readonly mutant: LeaseMutant
  readonly fate: Fate
}

export function tableOf(all: readonly Judged[]): {
  readonly table: string
  readonly score: string
  readonly share: number
} {
  const judged = all.filter(({ mutant }) => mutant.edits.length > 0)
  const wrong = all.find(({ mutant, fate }) => mutant.edits.length === 0 && fate.by !== null)
  if (wrong !== undefined) throw new Error(`${wrong.mutant.algorithm} itself: ${wrong.fate.how}`)
  const rows = judged.map(({ mutant, fate }) => [
    mutant.algorithm,
    mutant.what,
    showFate(mutant, fate),
  ])
  const count = (by: Judge): number => judged.filter(({ fate }) => fate.by === by).length
  const [race, checker, hunt] = [count('race'), count('checker'), count('hunt')]
  const unnoticed = judged.filter(({ fate }) => fate.by === null)
  const survivors = unnoticed.filter(({ mutant }) => mutant.equivalent === undefined).length
  const killed = race + checker + hunt
  const share = killed / (killed + survivors)
  const slowest = Math.max(...judged.map(({ fate }) => (fate.by === null ? 0 : fate.seconds)))
  const score =
    `Of ${judged.length} mutants of leases, bonds, handovers, admission and configurations ${race} break a race that is played, ` +
    `the checker kills ${checker} more and the hunt ${hunt}, ` +
    `each within ${Math.ceil(slowest)} s of one core; ${unnoticed.length - survivors} are equivalent for what is promised; ` +
    `of the others ${(100 * share).toFixed(1)} % are killed.`
  return { table: markdownTable([['algorithm', 'mutant', 'killed by'], ...rows]), score, share }
}

export function showFate({ equivalent }: LeaseMutant, { by, how }: Fate): string {
  if (by !== null) return how
  return equivalent === undefined ? 'survives' : `equivalent: ${equivalent}`
}

function checked(
  algorithm: Algorithm,
  budgets: readonly Budget[],
  maxStates: number,
): string | null {
  for (const budget of budgets) {
    try {
      const result = check({ algorithm, maxStates, judge: JUDGED, ...budget })
      const what = broken(result, budget)
      if (what !== null) return `${what}, ${describe(budget)}`
    } catch (error) {
      // A handler that fails, or that tells counters apart, is noticed as well.
      return `${(error as Error).name}, ${describe(budget)}`
    }
  }
  return null
}

function broken(result: CheckResult, { maxTerm, maxInFlight }: Budget): string | null {
  const { counterexample, complete, properties } = result
  if (counterexample !== null) {
    return `${counterexample.property}, ${counterexample.steps.length} steps`
  }
  const never = properties.find(({ name, holds }) => PROGRESS.has(name) && holds === false)
  const isWhole = complete && maxTerm === undefined && maxInFlight === undefined
  return isWhole && never !== undefined ? `never: ${never.name}` : null
}

/** The races in which something breaks. */
function played(algorithm: Algorithm, races: Races): string | null {
  for (const [what, race] of Object.entries(races)) {
    try {
      const property = race(algorithm)
      if (property !== null) return `race, ${property}: ${what}`
    } catch (error) {
      if (!(error instanceof StepError)) return `race, ${(error as Error).name}: ${what}`
    }
  }
  return null
}

function describe({ members, ...rest }: Budget): string {
  const parts = Object.entries(rest).map(([name, value]) =>
    value === true ? name : `${name} ${JSON.stringify(value).replaceAll('"', '')}`,
  )
  return `n=${members} ${parts.join(' ')}`
}

function huntedFrom(algorithm: Algorithm, first: number, last: number): string | null {
  const plan = { seed: 1, algorithms: [algorithm], detectors, families: FAMILIES }
  try {
    const [caught] = huntPart(plan, first, last).catches
    return caught === undefined ? null : `hunt, run ${caught.run}: ${caught.violation.property}`
  } catch (error) {
    return `hunt: ${(error as Error).name}`
  }
}
