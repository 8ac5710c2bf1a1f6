/**
 * Does the checker notice? Each mutant is one line of an algorithm made wrong: a guard dropped, an
 * increment skipped, a clear forgotten, a set confused. The checker must find a counterexample to each;
 * a survivor is explained as equivalent for what the algorithm promises. Only settings
 * in which the algorithm itself passes are used.
 */
import { writeFileSync } from 'node:fs'
import { check, type CheckOptions } from '../../src/check/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { markdownTable } from '../../src/core/markdown-table.ts'
import { algorithmOf, FORGOTTEN, UNSEEN } from './volatile-fields.ts'
import { writeBetween } from '../support/markdown-section.ts'
import { MUTANTS, type Mutant } from './mutants-list.ts'
import { mutate } from './mutate.ts'
import { commandLine, file, oneOf } from '../support/command-line.ts'

const names = [...new Set(MUTANTS.map(({ algorithm }) => algorithm))]
const { words, flags } = commandLine({
  run: 'npm run mutants',
  does:
    'Makes one line of an algorithm wrong at a time and lets the checker look for a counterexample. Exit\n' +
    'code 0: at least 95 % of those that are not equivalent are killed.',
  words: {
    algorithm: oneOf(
      [...names, 'durable'],
      undefined,
      `one of ${names.join(', ')}; durable: write the table of durable fields anew; by default all`,
    ),
  },
  flags: { markdown: file('where the table is written') },
})
const { markdown } = flags
if (words.algorithm === 'durable') {
  writeBetween('docs/mutants.md', 'durable', forgotten())
  process.exit()
}
const wanted = names.filter((name) => words.algorithm === undefined || words.algorithm === name)

interface Setting extends Omit<CheckOptions, 'algorithm'> {
  /** Only the end is judged. */
  readonly inTheEnd?: true
}

/** From cheap to dear: most mutants fall at the first. */
const SETTINGS: readonly Setting[] = [
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
]
const MAX_STATES = 300_000

interface Outcome {
  readonly mutant: Mutant
  readonly killedBy: string | null
  readonly seconds: number
}

const outcomes: Outcome[] = []
/** For each algorithm the settings in which it keeps what it promises. */
const usable = new Map<string, typeof SETTINGS>()
for (const name of wanted) {
  const itself = await mutate(name, [])
  usable.set(
    name,
    SETTINGS.filter((setting) => kill(itself, [setting]) === null),
  )
}
for (const mutant of MUTANTS) {
  if (!wanted.includes(mutant.algorithm)) continue
  const started = performance.now()
  const made = await mutate(mutant.algorithm, [[mutant.from, mutant.to]])
  const killedBy = kill(made, usable.get(mutant.algorithm)!)
  const seconds = (performance.now() - started) / 1000
  outcomes.push({ mutant, killedBy, seconds })
  const fate = killedBy ?? `SURVIVES: ${mutant.survives ?? 'not explained'}`
  process.stdout.write(`${mutant.algorithm}: ${mutant.what}: ${fate} (${seconds.toFixed(1)} s)\n`)
}
const equivalent = outcomes.filter((o) => o.killedBy === null && o.mutant.survives !== undefined)
const killed = outcomes.filter(({ killedBy }) => killedBy !== null).length
const share = killed / (outcomes.length - equivalent.length)
const score =
  `${killed} of ${outcomes.length} killed; ${equivalent.length} survivors are explained as equivalent ` +
  `for what is promised; of the others ${(100 * share).toFixed(1)} % are killed`
process.stdout.write(`${score}\n`)
if (markdown !== undefined) writeFileSync(markdown, report())
process.exitCode = share >= 0.95 ? 0 : 1

/** What killed it, or null. */
function kill(algorithm: Algorithm, settings: typeof SETTINGS): string | null {
  for (const { inTheEnd, ...setting } of settings) {
    const { promises } = algorithm
    const judged =
      inTheEnd === true
        ? { ...algorithm, promises: { ...promises, agreement: 'eventually' as const } }
        : algorithm
    try {
      const { counterexample } = check({ algorithm: judged, maxStates: MAX_STATES, ...setting })
      if (counterexample === null) continue
      const { property, steps } = counterexample
      return `${property}, ${steps.length} steps, ${show(setting)}`
    } catch (error) {
      return `${(error as Error).name}, ${show(setting)}`
    }
  }
  return null
}

function show(setting: Omit<CheckOptions, 'algorithm'>): string {
  const { members, ...rest } = setting
  return [
    `n=${members}`,
    ...Object.entries(rest).map(([k, v]) => `${k} ${v as string | number}`),
  ].join(' ')
}

function report(): string {
  const rows = outcomes.map(({ mutant, killedBy }) => {
    const fate = killedBy ?? `survives: ${mutant.survives ?? 'not explained'}`
    return [mutant.algorithm, mutant.what, fate]
  })
  return [
    '# Mutants',
    '',
    `\`npm run mutants\` makes one line of an algorithm wrong at a time and lets the`,
    `checker look for a counterexample: ${score}.`,
    '',
    markdownTable([['algorithm', 'mutant', 'killed by'], ...rows]),
    '',
    '## Durable fields',
    '',
    'Each field that survives a crash, kept in memory only (`scripts/mutants/volatile-fields.ts`). Where a first promise breaks at',
    'once, a second row sets it aside and shows what else breaks. `test/check/durable.test.ts` runs them, and sees',
    'that no field is left out; `npm run mutants -- durable` writes the table.',
    '',
    '<!-- durable: begin -->',
    '',
    forgotten(),
    '',
    '<!-- durable: end -->',
    '',
  ].join('\n')
}

function forgotten(): string {
  const shown = FORGOTTEN.map((one) => {
    const { counterexample } = check({ algorithm: algorithmOf(one), ...one.given })
    const { property, steps } = counterexample!
    return [one.algorithm, one.field, `${property}, ${steps.length} steps, ${show(one.given)}`]
  })
  const unseen = UNSEEN.map(([algorithm, field, why]) => [algorithm, field, `not shown: ${why}`])
  const rows = [...shown, ...unseen].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return markdownTable([['algorithm', 'forgets', 'killed by'], ...rows])
}
