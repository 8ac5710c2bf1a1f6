/** Simulates one configuration under many seeds on several threads, and prints the statistics: `simulate --seeds`. */
import { writeFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { algorithms } from '../../algorithms/index.ts'
import { detectors } from '../../detectors/index.ts'
import { parseSettings, type Settings } from '../../sim/settings/settings.ts'
import { EXIT } from '../errors.ts'
import { runParts } from '../parts/run-parts.ts'
import { onStop } from '../processes/stop-signals.ts'
import { print, printJson } from '../terminal/print.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { addSamples, emptySamples, type SeedSamples } from './seed-samples.ts'
import { seedJson, seedSvg, seedText, type SeedRange } from './seed-report.ts'

interface Flags {
  readonly jobs: number
  readonly svg?: string
  readonly json?: true
}

const PART = 20

export async function simulateSeeds(
  settings: Settings,
  seeds: SeedRange,
  { jobs, svg, json }: Flags,
): Promise<void> {
  parseSettings(settings, { algorithms, detectors }) // refuses what is wrong, before a thread starts
  const samples = emptySamples()
  const stop = new AbortController()
  onStop(() => stop.abort())
  const started = performance.now()
  let runs = 0
  const progress = new ProgressLine(() => `${runs.toLocaleString('en')} runs`)
  await runParts<SeedSamples>(
    {
      program: new URL('../parts/seeds-worker.js', import.meta.url),
      data: { settings, first: seeds.first },
      jobs,
      size: PART,
      items: seeds.last - seeds.first + 1,
      progress: (items) => {
        runs += items
        progress.tick()
      },
      done: (part) => {
        addSamples(samples, part)
        return true
      },
    },
    stop.signal,
  )
  progress.end()
  const completed = { first: seeds.first, last: seeds.first + samples.messages.length - 1 }
  const seconds = (performance.now() - started) / 1000
  if (svg !== undefined && svg !== '-') writeFileSync(svg, seedSvg(samples))
  if (svg === '-') process.stdout.write(seedSvg(samples))
  else if (json === true) printJson(seedJson(samples, completed, seconds))
  else print(seedText(samples, completed, seconds))
  if (samples.violations.some((count) => count > 0)) process.exitCode = EXIT.failed
}

export function parseSeeds(text: string): SeedRange {
  const [, first, last] = /^(\d+)\.\.(\d+)$/u.exec(text) ?? []
  const range = { first: Number(first), last: Number(last) }
  if (range.first <= range.last && Number.isSafeInteger(range.last)) return range
  throw new InvalidArgumentError('must be a range of seeds such as 1..10000.')
}
