/**
 * `npm run mutants`: runs the checker on mutants of algorithms, counts those it detects, and writes them and the algorithms
 * that forget a durable field to docs/mutants.md. A mutant changes one line: it omits a guard, an increment or a clear, or
 * confuses two sets. The checker must find a counterexample to each; a survivor is explained as equivalent for what the
 * algorithm promises. Only budgets that the algorithm itself passes are used.
 */
import { availableParallelism } from 'node:os'
import { check, type CheckOptions } from '../../src/check/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { hasRegister } from '../../src/sim/config.ts'
import { markdownTable } from '../../src/core/markdown-table.ts'
import { algorithmOf, VOLATILE_FIELDS, UNDETECTED } from './volatile-fields.ts'
import { writeBetween } from '../support/markdown-section.ts'
import { judgeLeaseMutants } from './lease-campaign.ts'
import { MUTANTS, type Mutant } from './mutants-list.ts'
import { mutate } from './mutate.ts'
import { commandLine, count, file, oneOf, toggle } from '../support/command-line.ts'

const names = [...new Set(MUTANTS.map(({ algorithm }) => algorithm))]
const { words, flags } = commandLine({
  run: 'npm run mutants',
  does:
    'Changes one line of an algorithm at a time and lets the checker look for a counterexample. Exit\n' +
    'code 0: the checker finds one for at least 95 % of the mutants that are not equivalent.',
  words: {
    algorithm: oneOf(
      [...names, 'lease', 'durable'],
      undefined,
      `one of ${names.join(', ')}; lease: leases and handovers; durable: write the table of durable fields; by default all`,
    ),
  },
  flags: {
    write: toggle('write the table into docs/mutants.md'),
    jobs: count(availableParallelism(), 'lease: processes'),
    file: file('lease: where finished mutants are kept (default: lease-mutants.jsonl)'),
  },
})
if (words.algorithm === 'durable') {
  writeBetween('docs/mutants.md', 'durable', durableFields())
  process.exit()
}
if (words.algorithm === 'lease') {
  const { table, score, share } = await judgeLeaseMutants({
    path: flags.file ?? 'lease-mutants.jsonl',
    jobs: flags.jobs,
    write: (line) => process.stdout.write(`${line}\n`),
  })
  process.stdout.write(`${score}\n`)
  if (flags.write) writeBetween('docs/mutants.md', 'lease', `${score}\n\n${table}`)
  process.exit(share >= 0.95 ? 0 : 1)
}
const wanted = names.filter((name) => words.algorithm === undefined || words.algorithm === name)

interface Budget extends Omit<CheckOptions, 'algorithm'> {
  /** Agreement is judged only eventually. */
  readonly inTheEnd?: true
}

/** In order of cost: the first ones kill most mutants. */
const BUDGETS: readonly Budget[] = [
  { members: 2, crashes: 1, recoveries: 1 },
  { members: 2, crashes: 1, recoveries: 1, drops: 2 },
  { members: 3, drops: 1 },
  { members: 3, crashes: 1 },
  { members: 3, crashes: 1, drops: 1 },
  { members: 3, crashes: 1, maxTerm: 2 },
  { members: 3, crashes: 2 },
  { members: 3, crashes: 1, recoveries: 1, start: 'settled' },
  { members: 3, crashes: 1, recoveries: 1 },
  { members: 3, crashes: 1, recoveries: 1, drops: 1, start: 'settled' },
  { members: 3, start: 'settled', detector: 'eventual', mistakes: 2, drops: 1 },
  { members: 3, crashes: 2, recoveries: 2, start: 'settled' },
  { members: 3, crashes: 2, recoveries: 2 },
  { members: 3, crashes: 1, timers: 'async', maxInFlight: 2 },
  { members: 3, start: 'settled', detector: 'eventual', mistakes: 3 },
  { members: 3, start: 'settled', detector: 'eventual', mistakes: 4, inTheEnd: true },
  { members: 4, crashes: 2, recoveries: 1, start: 'settled' },
  { members: 3, crashes: 1, recoveries: 1, start: 'settled', maxTerm: 2 },
  { members: 3, crashes: 1, recoveries: 1, detector: 'eventual', mistakes: 1 },
  { members: 3, cuts: 1 },
  ...[1, 2].flatMap((changes): Budget[] => [
    { members: 3, voters: [1, 2], changes, crashes: 1 },
    { members: 3, voters: [1, 2], changes, crashes: 1, recoveries: 1, start: 'settled' },
    { members: 3, changes, crashes: 1, drops: 1 },
    { members: 3, changes, crashes: 2, recoveries: 1, start: 'settled' },
  ]),
  { members: 4, voters: [1, 2, 3], changes: 1, crashes: 1 },
]
const MAX_STATES = 300_000

const outcomes: { readonly mutant: Mutant; readonly killedBy: string | null }[] = []
/** For each algorithm the budgets with which it keeps its promises. */
const usable = new Map<string, typeof BUDGETS>()
for (const name of wanted) {
  const unchanged = await mutate(name, [])
  const changes = hasRegister(unchanged)
  const passed = BUDGETS.filter(
    (budget) => (changes || budget.changes === undefined) && kill(unchanged, [budget]) === null,
  )
  usable.set(name, passed)
}
for (const mutant of MUTANTS) {
  if (!wanted.includes(mutant.algorithm)) continue
  const started = performance.now()
  const made = await mutate(mutant.algorithm, [[mutant.from, mutant.to]])
  const killedBy = kill(made, usable.get(mutant.algorithm)!)
  const seconds = (performance.now() - started) / 1000
  outcomes.push({ mutant, killedBy })
  const fate = killedBy ?? `SURVIVES: ${mutant.survives ?? 'not explained'}`
  process.stdout.write(`${mutant.algorithm}: ${mutant.what}: ${fate} (${seconds.toFixed(1)} s)\n`)
}
const equivalent = outcomes.filter((o) => o.killedBy === null && o.mutant.survives !== undefined)
const killed = outcomes.filter(({ killedBy }) => killedBy !== null).length
const share = killed / (outcomes.length - equivalent.length)
const score =
  `The checker kills ${killed} of ${outcomes.length} mutants. ${equivalent.length} survivors are equivalent for what is ` +
  `promised; of the others ${(100 * share).toFixed(1)} % are killed.`
process.stdout.write(`${score}\n`)
if (flags.write) {
  const rows = outcomes.map(({ mutant, killedBy }) => {
    const fate = killedBy ?? `survives: ${mutant.survives ?? 'not explained'}`
    return [mutant.algorithm, mutant.what, fate]
  })
  const table = markdownTable([['algorithm', 'mutant', 'killed by'], ...rows])
  writeBetween('docs/mutants.md', 'mutants', `${score}\n\n${table}`)
}
process.exitCode = share >= 0.95 ? 0 : 1

/** The counterexample or error that killed a mutant, or null. */
function kill(algorithm: Algorithm, budgets: typeof BUDGETS): string | null {
  for (const { inTheEnd, ...setting } of budgets) {
    const { agreement } = algorithm.promises
    const promises = { ...algorithm.promises, agreement: inTheEnd ? 'eventually' : agreement }
    try {
      const mutant = { ...algorithm, promises }
      const { counterexample } = check({ algorithm: mutant, maxStates: MAX_STATES, ...setting })
      if (counterexample === null) continue
      const { property, steps } = counterexample
      return `${property}, ${steps.length} steps, ${show(setting)}`
    } catch (error) {
      return `${(error as Error).name}, ${show(setting)}`
    }
  }
  return null
}

function show({ members, ...rest }: Omit<CheckOptions, 'algorithm'>): string {
  const options = Object.entries(rest).map(([name, value]) => `${name} ${value as string | number}`)
  return [`n=${members}`, ...options].join(' ')
}

function durableFields(): string {
  const shown = VOLATILE_FIELDS.map((one) => {
    const { counterexample } = check({ algorithm: algorithmOf(one), ...one.given })
    const { property, steps } = counterexample!
    return [one.algorithm, one.field, `${property}, ${steps.length} steps, ${show(one.given)}`]
  })
  const unseen = UNDETECTED.map(([algorithm, field, why]) => [
    algorithm,
    field,
    `not shown: ${why}`,
  ])
  const rows = [...shown, ...unseen].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return markdownTable([['algorithm', 'forgets', 'killed by'], ...rows])
}
