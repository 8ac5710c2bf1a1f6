/**
 * `bellwether hunt`: simulates random runs with random faults on several threads, judges every promise, and shrinks and
 * writes the runs that break one.
 */
import { availableParallelism } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import { algorithms } from '../../algorithms/index.ts'
import { FAMILIES } from '../../sim/hunt/disturbances.ts'
import { drawRun } from '../../sim/hunt/draft.ts'
import { judge, type Catch, type HuntPart } from '../../sim/hunt/hunt.ts'
import { addTally, emptyTally } from '../../sim/hunt/tally.ts'
import { EXIT } from '../errors.ts'
import { algorithmsOf, familiesOf, planOf, type HuntRequest } from '../hunt/hunt-plan.ts'
import { huntJson, huntText, type HuntResult } from '../hunt/hunt-report.ts'
import { shrunkRun } from '../hunt/shrunk-run.ts'
import { wholeNumber } from '../options/option-flags.ts'
import { runParts } from '../parts/run-parts.ts'
import { onStop } from '../processes/stop-signals.ts'
import { print, printJson } from '../terminal/print.ts'
import { ProgressLine } from '../terminal/progress.ts'

interface Flags {
  readonly runs?: number
  readonly for?: number
  readonly seed: number
  readonly jobs: number
  readonly faults?: string
  readonly replay?: readonly [seed: number, run: number]
  readonly keepGoing?: true
  readonly out: string
  readonly json?: true
}

const MOST_RUNS = 1e12
const RUNS_BY_DEFAULT = 10_000
/** Runs in a part of the work: long enough for a thread, short enough for Ctrl-C. */
const PART = 50
/** Of each algorithm and promise, the first run is shrunk. */
const bySort = ({ algorithm, violation }: Catch): string => `${algorithm}: ${violation.property}`

export function huntCommand(): Command {
  return new Command('hunt')
    .summary('Simulate random runs with random faults until a promise breaks.')
    .description(
      'Simulate random runs with random faults on all cores, and judge every promise of the algorithms. A run that ' +
        'breaks one is shrunk and written as a trace. Run K of a seed is the same on any number of threads.',
    )
    .argument(
      '[algorithms...]',
      `of ${algorithms.map(({ name }) => name).join(', ')}; by default all but specimens`,
    )
    .option(
      '--runs <k>',
      `how many runs (default ${RUNS_BY_DEFAULT}, or as many as --for allows)`,
      wholeNumber(1, MOST_RUNS),
    )
    .option('--for <time>', 'how long to run: 30s, 5m, 2h', parseTime)
    .option('--seed <number>', 'the seed of the hunt', wholeNumber(0, 2 ** 31), 1)
    .addOption(
      new Option('--jobs <n>', 'threads')
        .argParser(wholeNumber(1, 256))
        .default(availableParallelism(), 'all cores'),
    )
    .option(
      '--faults <list>',
      `only these: ${FAMILIES.join(',')}; an algorithm gets those that it tolerates`,
    )
    .option(
      '--replay <seed:k>',
      'judge run K of this seed once more, with the same algorithms and --faults',
      parseRun,
    )
    .option('--keep-going', 'do not stop at the first run that breaks a promise')
    .option('--out <folder>', 'where to write the traces', '.')
    .option('--json', 'print JSON')
    .action(hunt)
}

async function hunt(names: readonly string[], flags: Flags): Promise<void> {
  const request: HuntRequest = {
    seed: flags.replay?.[0] ?? flags.seed,
    algorithms: algorithmsOf(names),
    families: familiesOf(flags.faults),
    goesOn: flags.keepGoing === true,
  }
  const started = performance.now()
  const found =
    flags.replay === undefined ? await campaign(request, flags) : again(request, flags.replay[1])
  const seconds = (performance.now() - started) / 1000
  const { tally, catches } = found
  const plan = planOf(request)
  const first = new Map([...catches].reverse().map((caught) => [bySort(caught), caught]))
  const failures = [...first.values()].reverse().map((caught) => shrunkRun(plan, caught, flags.out))
  const jobs = flags.replay === undefined ? flags.jobs : 1
  const result: HuntResult = {
    request,
    plan,
    jobs,
    seconds,
    tally,
    broken: catches.length,
    failures,
  }
  if (flags.json === true) printJson(huntJson(result))
  else print(huntText(result))
  process.exitCode = catches.length > 0 ? EXIT.failed : EXIT.ok
}

/** One run, on this thread. */
function again(request: HuntRequest, run: number): HuntPart {
  const tally = emptyTally()
  const draft = drawRun(planOf(request), run)
  const violation = judge(draft, tally)
  const caught = violation === null ? [] : [{ run, algorithm: draft.algorithm.name, violation }]
  return { tally, catches: caught }
}

async function campaign(request: HuntRequest, flags: Flags): Promise<HuntPart> {
  const tally = emptyTally()
  const catches: Catch[] = []
  const stop = new AbortController()
  onStop(() => stop.abort())
  const timer = setTimeout(() => stop.abort(), flags.for ?? 2 ** 31 - 1)
  let runs = 0
  const progress = new ProgressLine(() => {
    const broken = catches.length === 0 ? 'no promise broken' : `${catches.length} broke a promise`
    return `${runs.toLocaleString('en')} runs, ${tally.leases.toLocaleString('en')} leases, ${broken}`
  })
  await runParts<HuntPart>(
    {
      program: new URL('../parts/hunt-worker.js', import.meta.url),
      data: request,
      jobs: flags.jobs,
      size: PART,
      items: flags.runs ?? (flags.for === undefined ? RUNS_BY_DEFAULT : MOST_RUNS),
      progress: (items) => {
        runs += items
        progress.tick()
      },
      done: (part) => {
        addTally(tally, part.tally)
        catches.push(...part.catches)
        return request.goesOn || catches.length === 0
      },
    },
    stop.signal,
  )
  clearTimeout(timer)
  progress.end()
  return { tally, catches }
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

function parseTime(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([smh])$/u.exec(text) ?? []
  if (number !== undefined) return Math.min(2 ** 31 - 1, Number(number) * UNITS_MS[unit])
  throw new InvalidArgumentError('must be a time such as 30s, 5m or 2h.')
}

function parseRun(text: string): readonly [number, number] {
  const [, seed, run] = /^(\d+):(\d+)$/u.exec(text) ?? []
  if (seed !== undefined) return [Number(seed), Number(run)]
  throw new InvalidArgumentError('must be a seed and the number of a run, such as 1:1834.')
}
