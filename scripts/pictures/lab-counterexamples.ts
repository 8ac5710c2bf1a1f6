/** `npm run counterexamples`: runs the checker on each specimen and writes the shortest counterexample as a trace, a preset of the lab. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { algorithms } from '../../src/algorithms/index.ts'
import { Checker, type CheckOptions } from '../../src/check/index.ts'
import { counterexampleTrace } from '../../src/explore/counterexample.ts'
import { commandLine } from '../support/command-line.ts'

type Budget = Partial<Omit<CheckOptions, 'algorithm'>> & {
  readonly algorithm: string
  readonly file?: string
}

const BUDGETS: readonly Budget[] = [
  ...['000', '002', '004'].map((form) => ({
    algorithm: 'bully-as-printed',
    file: `bully-as-printed-${form}`,
    options: { form },
  })),
  { algorithm: 'bully-fd-as-printed' },
  { algorithm: 'chang-roberts-as-printed' },
  { algorithm: 'ring-as-printed', members: 2 },
  { algorithm: 'roulette-as-printed' },
]

commandLine({
  run: 'npm run counterexamples',
  does: 'Writes the shortest counterexample of each specimen to lab/src/run/presets.',
})
const folder = new URL('../../lab/src/run/presets/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const { algorithm: name, file = name, ...budget } of BUDGETS) {
  const algorithm = algorithms.find((one) => one.name === name)!
  const checker = new Checker({ members: 3, crashes: 1, recoveries: 1, ...budget, algorithm })
  while (!checker.done) checker.advance()
  const { config, counterexample } = checker.result()
  if (counterexample === null) throw new Error(`${name} holds within this budget`)
  writeFileSync(new URL(`${file}.txt`, folder), counterexampleTrace(config, counterexample))
  process.stdout.write(`${file}: ${counterexample.sentence}\n`)
}
