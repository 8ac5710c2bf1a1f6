/**
 * Does the checker notice? Each mutant is one line of an algorithm made wrong: a guard dropped, an
 * increment skipped, a clear forgotten, a set confused. The checker must find a counterexample to each;
 * a survivor is explained as equivalent for what
 * the algorithm promises.
 *
 *     node --import tsx scripts/mutants.ts [ALGORITHM…] [--markdown FILE]
 *
 * Exit code: 0 at least 95 % of those that are not equivalent are killed, 1 otherwise.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { check, type GivenOptions } from '../src/check/index.ts'
import type { Algorithm } from '../src/core/algorithm.ts'
import { MUTANTS, type Mutant } from './mutants-list.ts'

const root = new URL('..', import.meta.url).pathname
const args = process.argv.slice(2)
const markdown = args.includes('--markdown') ? args[args.indexOf('--markdown') + 1] : undefined
const wanted = args.filter((arg) => !arg.startsWith('--') && arg !== markdown)

/** From cheap to dear: most mutants fall at the first. */
const SETTINGS: readonly Omit<GivenOptions, 'algorithm'>[] = [
  { members: 2, crashes: 1, recoveries: 1 },
  { members: 2, crashes: 1, recoveries: 1, drops: 2 },
  { members: 3, drops: 1 },
  { members: 3, crashes: 1 },
  { members: 3, crashes: 1, drops: 1 },
  { members: 3, crashes: 2 },
  { members: 3, crashes: 1, recoveries: 1, start: 'settled' },
  { members: 3, crashes: 1, recoveries: 1 },
  { members: 3, crashes: 1, recoveries: 1, drops: 1, start: 'settled' },
  { members: 3, start: 'settled', detector: 'eventual', mistakes: 2, drops: 1 },
  { members: 3, crashes: 2, recoveries: 2, start: 'settled' },
  { members: 3, crashes: 2, recoveries: 2 },
]
const MAX_STATES = 1_500_000

interface Outcome {
  readonly mutant: Mutant
  readonly killedBy: string | null
  readonly seconds: number
}

const workshop = mkdtempSync(join(tmpdir(), 'mutants-'))
cpSync(join(root, 'src'), join(workshop, 'src'), { recursive: true })
writeFileSync(join(workshop, 'package.json'), '{"type":"module"}')
symlinkSync(join(root, 'node_modules'), join(workshop, 'node_modules'))
const outcomes: Outcome[] = []
try {
  for (const [i, mutant] of MUTANTS.entries()) {
    if (wanted.length > 0 && !wanted.includes(mutant.algorithm)) continue
    const started = performance.now()
    const killedBy = kill(await load(mutant, i))
    const seconds = (performance.now() - started) / 1000
    outcomes.push({ mutant, killedBy, seconds })
    const fate = killedBy ?? `SURVIVES: ${mutant.survives ?? 'not explained'}`
    process.stdout.write(`${mutant.algorithm}: ${mutant.what}: ${fate} (${seconds.toFixed(1)} s)\n`)
  }
} finally {
  rmSync(workshop, { recursive: true })
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

async function load({ algorithm, what, from, to }: Mutant, i: number): Promise<Algorithm> {
  const file = join(workshop, 'src/algorithms', `${algorithm}.ts`)
  const text = readFileSync(file, 'utf8')
  const places = text.split(from).length - 1
  if (places !== 1) throw new Error(`${algorithm}: ${what}: the line is there ${places} times`)
  const mutated = join(workshop, 'src/algorithms', `${algorithm}-mutant-${i}.ts`)
  writeFileSync(
    mutated,
    text.replace(from, () => to),
  )
  const module = (await import(pathToFileURL(mutated).href)) as Record<string, unknown>
  const found = Object.values(module).find(
    (value) => (value as Algorithm | null)?.name === algorithm && typeof value === 'object',
  )
  return found as Algorithm
}

/** What killed it, or null. */
function kill(algorithm: Algorithm): string | null {
  for (const setting of SETTINGS) {
    try {
      const { counterexample } = check({ algorithm, maxStates: MAX_STATES, ...setting })
      if (counterexample === null) continue
      const { property, steps } = counterexample
      return `${property}, ${steps.length} steps, ${show(setting)}`
    } catch (error) {
      return `${(error as Error).name}, ${show(setting)}`
    }
  }
  return null
}

function show(setting: Omit<GivenOptions, 'algorithm'>): string {
  const { members, ...rest } = setting
  return [
    `n=${members}`,
    ...Object.entries(rest).map(([k, v]) => `${k} ${v as string | number}`),
  ].join(' ')
}

function report(): string {
  const rows = outcomes.map(({ mutant, killedBy }) => {
    const fate = killedBy ?? `survives: ${mutant.survives ?? 'not explained'}`
    return `| ${mutant.algorithm} | ${mutant.what} | ${fate} |`
  })
  return [
    '# Mutants',
    '',
    `\`node --import tsx scripts/mutants.ts\` makes one line of an algorithm wrong at a time and lets the`,
    `checker look for a counterexample: ${score}.`,
    '',
    '| algorithm | mutant | killed by |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
