/**
 * Runs the checker, with and without clocks, and then a hunt on mutants of leases, bonds and handovers, and returns a table
 * of which notices each. A mutant that neither notices is explained as equivalent, or counts as a survivor.
 */
import { check, type CheckOptions } from '../../src/check/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { markdownTable } from '../../src/core/markdown-table.ts'
import { detectors } from '../../src/detectors/index.ts'
import { FAMILIES } from '../../src/sim/hunt/disturbances.ts'
import { huntPart } from '../../src/sim/hunt/hunt.ts'
import { HOSTILE_MUTANTS } from './hostile-mutants-list.ts'
import { LEASE_MUTANTS, type LeaseMutant } from './lease-mutants-list.ts'
import { mutate } from './mutate.ts'

type Budget = Omit<CheckOptions, 'algorithm'>

const once = { crashes: 1, recoveries: 1 } as const
const clocks = { clocks: true, ticks: 1 } as const
const settled = { members: 3, start: 'settled' } as const
const amnesia = { ...once, amnesia: true } as const
const roulette = { members: 3, maxTerm: 1 } as const
/** In order of cost: the hunt comes between the first list and the second. */
export const BUDGETS: Readonly<
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
      {
        ...settled,
        ...amnesia,
        detector: 'eventual',
        mistakes: 1,
        options: { founding: 'all' },
      },
      { members: 3, ...amnesia, options: { founding: 'majority' } },
    ],
    dear: [
      { members: 3, ...clocks, ticks: 2 },
      { ...settled, ...clocks, ...once },
      { ...settled, ...clocks, ...once, resignations: 1 },
      { members: 3, resignations: 1, ...clocks },
    ],
  },
  'roulette-majority': {
    cheap: [
      { members: 2, ...once, maxTerm: 1 },
      { ...settled, maxTerm: 1, duplicates: 1, resignations: 1 },
      { ...settled, maxTerm: 1, ...clocks },
    ],
    dear: [
      { ...roulette, ...clocks },
      { ...roulette, ...settled, ...once, ...clocks },
      { ...roulette, ...settled, ...clocks, resignations: 1, duplicates: 1 },
    ],
  },
}
const HUNTED_RUNS = 2000

export interface Limits {
  /** Each check ends after so many states. */
  readonly maxStates: number
  readonly write: (line: string) => void
}

export async function leaseMutants({ maxStates, write }: Limits): Promise<{
  readonly table: string
  readonly score: string
  readonly share: number
}> {
  const rows: string[][] = []
  const counts = { checker: 0, hunt: 0, equivalent: 0, survives: 0 }
  for (const mutant of [...LEASE_MUTANTS, ...HOSTILE_MUTANTS]) {
    const started = performance.now()
    const algorithm = await mutate(mutant.algorithm, mutant.edits)
    const { cheap, dear } = BUDGETS[mutant.algorithm]
    let byChecker = checked(algorithm, cheap, maxStates)
    const byHunt = byChecker === null ? hunted(algorithm) : null
    if (byHunt === null) byChecker ??= checked(algorithm, dear, maxStates)
    const fate =
      byChecker ??
      byHunt ??
      (mutant.equivalent === undefined ? 'survives' : `equivalent: ${mutant.equivalent}`)
    if (byChecker !== null) counts.checker += 1
    else if (byHunt !== null) counts.hunt += 1
    else counts[mutant.equivalent === undefined ? 'survives' : 'equivalent'] += 1
    rows.push([mutant.algorithm, mutant.what, fate])
    const seconds = (performance.now() - started) / 1000
    write(`${mutant.algorithm}: ${mutant.what}: ${fate} (${seconds.toFixed(1)} s)`)
  }
  const killed = counts.checker + counts.hunt
  const share = killed / (killed + counts.survives)
  const score =
    `Of ${rows.length} mutants of leases, bonds and handovers the checker kills ${counts.checker} and the hunt ${counts.hunt} more; ` +
    `${counts.equivalent} are equivalent for what is promised; of the others ${(100 * share).toFixed(1)} % are killed.`
  return { table: markdownTable([['algorithm', 'mutant', 'killed by'], ...rows]), score, share }
}

export function checked(
  algorithm: Algorithm,
  budgets: readonly Budget[],
  maxStates: number,
): string | null {
  for (const budget of budgets) {
    try {
      const { counterexample } = check({ algorithm, maxStates, ...budget })
      if (counterexample === null) continue
      return `${counterexample.property}, ${counterexample.steps.length} steps, ${describe(budget)}`
    } catch (error) {
      // A handler that fails, or that tells counters apart, is noticed as well.
      return `${(error as Error).name}, ${describe(budget)}`
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

export function hunted(algorithm: Algorithm): string | null {
  const plan = { seed: 1, algorithms: [algorithm], detectors, families: FAMILIES }
  const { catches } = huntPart(plan, 0, HUNTED_RUNS)
  return catches.length === 0
    ? null
    : `hunt, run ${catches[0].run}: ${catches[0].violation.property}`
}
