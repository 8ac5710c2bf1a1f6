/** `npm run campaign:check`: checks every algorithm within far larger budgets than `check --all`, a billion states in all, and goes on where it was stopped. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { algorithms } from '../../dist/algorithms/index.js'
import type { CheckOptions } from '../../dist/check/index.js'
import { count as grouped, rowOf, tableOf } from '../../dist/explore/check-report.js'
import { explore } from '../../dist/cli/check/explore.js'
import { memoryToUse } from '../../dist/cli/check/search-helpers.js'
import { commandLine, count, file, oneOf } from '../support/command-line.ts'
import { writeBetween } from '../support/markdown-section.ts'

type Budget = Omit<CheckOptions, 'algorithm'>

const pair = { crashes: 1, recoveries: 1 }
const twice = { crashes: 2, recoveries: 2 }
const thrice = { crashes: 3, recoveries: 3 }
const errs = { detector: 'eventual', mistakes: 2 } as const
const full = { reduction: false } as const
const seven = { crashes: 7, recoveries: 7 }
const settled = { start: 'settled' } as const
const changing = { members: 4, voters: [1, 2, 3] } as const
/** Everything that can happen to a lease: it runs out, its leader crashes, comes back, resigns. */
const leases = { members: 3, ...pair, resignations: 1, clocks: true, ticks: 1 } as const

interface Row {
  readonly algorithm: string
  readonly budget: Budget
}

function rows(algorithm: string, ...budgets: readonly Budget[]): Row[] {
  return budgets.map((budget) => ({ algorithm, budget }))
}

/**
 * Every algorithm, first with budgets that are searched to their end. The larger ones end at the limit of states. Rows of
 * bully-fd-quorum whose states are slow come last.
 */
const ROWS: readonly Row[] = [
  ...rows('le-lann', { members: 7 }, { members: 5, duplicates: 2 }),
  ...rows('hirschberg-sinclair', { members: 7 }, { members: 5, duplicates: 1 }),
  ...rows('peterson', { members: 7 }, { members: 6, duplicates: 2 }),
  ...rows('itai-rodeh', { members: 6 }, { members: 5, duplicates: 1 }),
  ...rows(
    'raft',
    { members: 3, ...pair, drops: 1, maxTerm: 1 },
    { members: 3, ...twice, maxTerm: 1 },
  ),
  ...rows('omega', { members: 3, ...twice, cuts: 1 }, { members: 4, ...pair }),
  ...rows('stable-leader', { members: 3, ...twice, cuts: 1 }, { members: 4, ...pair }),
  ...rows(
    'invitation',
    { members: 3, ...twice, maxTerm: 2 },
    { members: 4, crashes: 1, maxTerm: 1 },
  ),
  ...rows('ring', { members: 3, ...twice, maxTerm: 2 }, { members: 4, ...pair, maxTerm: 1 }),
  ...rows(
    'bully-fd-quorum',
    { members: 3, ...pair, cuts: 1, resignations: 1 },
    { members: 4, ...pair },
    { ...changing, changes: 1, ...pair },
  ),
  ...rows(
    'roulette-majority',
    { members: 3, ...twice, maxTerm: 2 },
    { members: 4, ...pair, maxTerm: 1 },
  ),
  ...rows('roulette', { members: 3, ...twice, maxTerm: 2 }, { members: 4, ...twice, maxTerm: 1 }),
  ...rows('chang-roberts', { members: 4, ...twice }, { members: 5, ...twice }),
  ...rows(
    'garcia-molina',
    { members: 3, crashes: 4, recoveries: 4 },
    { members: 4, ...seven },
    { members: 5, ...twice },
  ),
  ...rows(
    'bully',
    { members: 3, ...thrice },
    { members: 4, ...pair },
    { members: 4, ...twice, ...settled },
    { members: 5, ...pair, ...settled },
    { members: 5, ...twice, ...settled },
  ),
  ...rows(
    'bully-fd',
    { members: 4, ...twice },
    { members: 4, ...pair, ...full },
    { members: 3, ...seven, ...full },
    { members: 4, ...thrice },
    { members: 4, ...twice, ...full },
    { members: 5, ...pair, ...full },
    { members: 5, ...twice },
  ),
  ...rows('roulette-majority', { ...leases, ...settled, maxTerm: 1 }),
  ...rows(
    'bully-fd-quorum',
    { members: 3, ...pair, ...errs, cuts: 1 },
    { ...changing, changes: 2, ...pair },
    leases,
  ),
]

interface Done {
  readonly key: string
  /** Of the code that was checked. */
  readonly commit: string
  readonly row: readonly string[]
  readonly states: number
  readonly transitions: number
  readonly seconds: number
  readonly broken: boolean
}

const { flags, rest } = commandLine({
  run: 'npm run campaign:check',
  does:
    'Checks every algorithm within large budgets of faults, one row after the other. Each finished row is\n' +
    'appended to the file with its commit, and to the table in docs/checks.md; a row that is in the file is\n' +
    'not checked again. Exit code 1 if a promise is broken.',
  flags: {
    file: file('where finished rows are kept (default: docs/check-deep.jsonl)'),
    'max-states': count(100_000_000, 'a row ends, incomplete, at this many states'),
    until: count(2_000_000_000, 'no further row once there are so many states'),
    jobs: count(availableParallelism(), 'threads'),
  },
  rest: oneOf(
    [...new Set(ROWS.map(({ algorithm }) => algorithm))],
    undefined,
    'only these algorithms',
  ),
})
const path = flags.file ?? 'docs/check-deep.jsonl'
const done = new Map<string, Done>()
if (existsSync(path)) {
  const lines = readFileSync(path, 'utf8').split('\n')
  for (const line of lines.filter((text) => text !== '')) {
    const row = JSON.parse(line) as Done
    done.set(row.key, row)
  }
}

/** Returns false if the user stopped the check. */
async function run({ algorithm: name, budget }: Row): Promise<boolean> {
  const maxStates = flags['max-states']
  const key = JSON.stringify([name, budget, maxStates])
  if (done.has(key)) return true
  const algorithm = algorithms.find((it) => it.name === name)!
  const options = { algorithm, ...budget, maxStates, maxBytes: memoryToUse() }
  const { result, seconds } = await explore(options, flags.jobs)
  if (result.ending === 'interrupted') return false
  const { states, transitions, counterexample } = result
  const row = rowOf(result, seconds)
  const broken = counterexample !== null
  const finished: Done = { key, commit, row, states, transitions, seconds, broken }
  done.set(key, finished)
  appendFileSync(path, `${JSON.stringify(finished)}\n`)
  if (flags.file === undefined) writeBetween('docs/checks.md', 'campaign', report())
  process.stderr.write(`${row.join(' · ')}\n`)
  return true
}

function total(): number {
  return [...done.values()].reduce((sum, { states }) => sum + states, 0)
}

function report(): string {
  const finished = [...done.values()]
  const commits = [...new Set(finished.map((row) => row.commit))].join(', ')
  const seconds = finished.reduce((sum, row) => sum + row.seconds, 0)
  const table = tableOf(finished.map(({ row }) => row))
  return `${table}\n\n${grouped(total())} states in ${finished.length} rows, ${Math.ceil(seconds / 60)} minutes, at ${commits}.`
}

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
for (const row of ROWS) {
  if (rest.length > 0 && !rest.includes(row.algorithm)) continue
  if (total() >= flags.until || !(await run(row))) break
}
process.stdout.write(`${report()}\n`)
process.exitCode = [...done.values()].some(({ broken }) => broken) ? 1 : 0
