/** `npm run campaign:check`: checks every algorithm within far larger budgets than `check --all`, a billion states in all, and goes on where it was stopped. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { algorithms } from '../../dist/algorithms/index.js'
import type { CheckOptions } from '../../dist/check/index.js'
import { count as grouped, rowOf, tableOf } from '../../dist/explore/check-report.js'
import { explore } from '../../dist/cli/check/explore.js'
import { memoryToUse } from '../../dist/cli/check/search-helpers.js'
import { commandLine, count, file, oneOf } from '../support/command-line.ts'

type Budget = Omit<CheckOptions, 'algorithm'>

const pair = { crashes: 1, recoveries: 1 }
const twice = { crashes: 2, recoveries: 2 }
const thrice = { crashes: 3, recoveries: 3 }
const errs = { detector: 'eventual', mistakes: 2 } as const
const full = { reduction: false } as const
/** Everything that can happen to a lease: it runs out, its leader crashes, comes back, resigns. */
const leases = { ...pair, resignations: 1, clocks: true, ticks: 1 } as const

/** The smaller ones of each algorithm come first. Most of the last ones reach the limit of states. */
const ROWS: Readonly<Record<string, readonly Budget[]>> = {
  bully: [
    { members: 3, ...thrice },
    { members: 4, ...pair },
    { members: 4, ...twice, start: 'settled' },
    { members: 5, ...pair, start: 'settled' },
  ],
  'garcia-molina': [
    { members: 3, crashes: 4, recoveries: 4 },
    { members: 4, ...twice },
    { members: 5, ...pair },
  ],
  'bully-fd': [
    { members: 4, ...twice },
    { members: 3, ...thrice, ...full },
    { members: 4, ...pair, ...full },
    { members: 4, ...thrice },
    { members: 5, ...pair },
  ],
  'bully-fd-quorum': [
    { members: 3, ...pair, ...errs, cuts: 1 },
    { members: 3, ...twice, ...errs },
    { members: 3, ...pair, cuts: 2 },
    { members: 3, ...pair, cuts: 1, resignations: 1 },
    { members: 3, ...leases },
    { members: 4, ...pair },
    { members: 4, voters: [1, 2, 3], changes: 1, ...pair },
    { members: 4, voters: [1, 2, 3], changes: 2, ...pair },
  ],
  'chang-roberts': [
    { members: 3, ...thrice },
    { members: 4, ...twice },
    { members: 5, ...pair },
  ],
  ring: [
    { members: 3, ...twice },
    { members: 4, crashes: 1 },
  ],
  roulette: [
    { members: 3, ...twice, maxTerm: 2 },
    { members: 4, ...pair, maxTerm: 1 },
  ],
  'roulette-majority': [
    { members: 3, ...leases, start: 'settled', maxTerm: 1 },
    { members: 3, ...twice, maxTerm: 2 },
    { members: 4, ...pair, maxTerm: 1 },
  ],
}

interface Done {
  readonly key: string
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
    'appended to the file; a row that is there is not checked again. Exit code 1 if a promise is broken.',
  flags: {
    file: file('where finished rows are kept (default: check-deep.jsonl)'),
    'max-states': count(100_000_000, 'a row ends, incomplete, at this many states'),
    jobs: count(availableParallelism(), 'threads'),
  },
  rest: oneOf(Object.keys(ROWS), undefined, 'only these algorithms'),
})
const path = flags.file ?? 'check-deep.jsonl'
const done = new Map<string, Done>()
if (existsSync(path)) {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  for (const line of lines) {
    const row = JSON.parse(line) as Done
    done.set(row.key, row)
  }
}

/** Returns false if the user stopped the check. */
async function run(name: string, budget: Budget): Promise<boolean> {
  const maxStates = flags['max-states']
  const key = JSON.stringify([name, budget, maxStates])
  if (done.has(key)) return true
  const algorithm = algorithms.find((it) => it.name === name)!
  const options = { algorithm, ...budget, maxStates, maxBytes: memoryToUse() }
  const { result, seconds } = await explore(options, flags.jobs)
  if (result.ending === 'interrupted') return false
  const { states, transitions, counterexample } = result
  const row = rowOf(result, seconds)
  const finished = { key, row, states, transitions, seconds, broken: counterexample !== null }
  done.set(key, finished)
  appendFileSync(path, `${JSON.stringify(finished)}\n`)
  process.stderr.write(`${row.join(' · ')}\n`)
  return true
}

async function runAll(): Promise<void> {
  for (const [name, budgets] of Object.entries(ROWS)) {
    if (rest.length > 0 && !rest.includes(name)) continue
    for (const budget of budgets) if (!(await run(name, budget))) return
  }
}

await runAll()
const rows = [...done.values()]
const total = rows.reduce((sum, { states }) => sum + states, 0)
process.stdout.write(`${tableOf(rows.map(({ row }) => row))}\n`)
process.stdout.write(`${grouped(total)} states in ${rows.length} rows of ${path}\n`)
process.exitCode = rows.some(({ broken }) => broken) ? 1 : 0
