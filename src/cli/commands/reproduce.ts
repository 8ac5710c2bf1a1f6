/**
 * `bellwether reproduce`: lists the claims of the documents, or measures them again, prints the verdicts and writes
 * the report.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import pc from 'picocolors'
import { EXIT, UsageError } from '../errors.ts'
import { wholeNumber } from '../options/option-flags.ts'
import { alignColumns, counted, print, remark } from '../terminal/print.ts'
import { ProgressLine } from '../terminal/progress.ts'

interface Given {
  readonly only?: string[]
  readonly out?: string
  readonly json?: true
  readonly list?: true
  readonly compare?: string
  readonly seed: number
  readonly elections: number
}

/**
 * What the experiments export. They are written against the published API and are not part of src, which
 * therefore knows only their shape.
 */
interface Experiments {
  readonly claims: readonly Claim[]
  plan(options: { only: readonly string[]; elections: number }): string[]
  reproduce(options: {
    only: readonly string[]
    seed: number
    effort: number
    elections: number
    signal: AbortSignal
    started(name: string): void
    finished(name: string, seconds: number): void
    elected(done: number): void
  }): Promise<Report>
  claimsOf(report: Report): Judged[]
  publish(report: Report, folder: string): Promise<string | null>
  driftBetween(before: readonly Judged[], after: readonly Judged[], isWhole: boolean): string[]
}
interface Claim {
  readonly id: string
  readonly source: string
  readonly claim: string
}
interface Judged extends Claim {
  readonly measured: string
  readonly verdict: string
  readonly explained: boolean
}
interface Report {
  readonly origin: Origin
}
interface Origin {
  readonly seed: number
  readonly elections: number
  readonly seconds: number
}

const EXPERIMENTS = new URL('../../experiments/index.js', import.meta.url)
const FOLDER = 'bellwether-report'
const ELECTIONS = 500

export function reproduceCommand(): Command {
  return new Command('reproduce')
    .description('Measure every table, formula and figure of the documents again.')
    .option('--only <id...>', 'only these claims; --list shows them')
    .option('--out <folder>', `the folder of the report (default ${FOLDER}; with --json none)`)
    .option('--list', 'list the claims and measure nothing')
    .option('--seed <number>', 'random seed of the simulator', wholeNumber(0, 2 ** 31), 1)
    .option(
      '--elections <n>',
      'how many elections of five real processes; 0 for none',
      wholeNumber(0, 100_000),
      ELECTIONS,
    )
    .option('--compare <file>', 'a report.json: say what differs, and exit with 1 if anything does')
    .option('--json', 'print JSON')
    .action(run)
}

async function run(given: Given): Promise<void> {
  const module = await experiments()
  const unknown = given.only?.find((id) => module.claims.every((claim) => claim.id !== id))
  if (unknown !== undefined) {
    throw new UsageError(`--only ${unknown}: there is no such claim; bellwether reproduce --list`)
  }
  if (given.list === true) return list(module.claims, given.json === true)
  const earlier = given.compare === undefined ? null : readReport(given.compare, given.seed)
  const report = await measure(module, given)
  if (report === null) return
  const claims = module.claimsOf(report)
  print(given.json === true ? JSON.stringify(claims, null, 2) : tableOf(claims))
  if (given.out !== undefined || given.json !== true) {
    const folder = resolve(given.out ?? FOLDER)
    const advice = await module.publish(report, folder)
    remark(`${Math.round(report.origin.seconds)} s; the report: ${folder}/report.html`)
    if (advice !== null) remark(`bellwether: ${advice}`)
  }
  const drift = earlier === null ? [] : module.driftBetween(...comparable(earlier, claims, given))
  for (const difference of drift) remark(difference)
  if (earlier !== null && drift.length === 0) remark(`the same as ${given.compare}`)
  // Our own formula was not measured, either.
  const isExplained = claims.every(({ explained }) => explained)
  if (!isExplained || drift.length > 0) process.exitCode = EXIT.failed
}

/** Throws UsageError where they are not: the published package leaves them out. */
async function experiments(): Promise<Experiments> {
  if (!existsSync(EXPERIMENTS)) {
    throw new UsageError(
      'the experiments are in the repository of bellwether, not in its package: run this in a clone, after npm ci',
    )
  }
  return (await import(EXPERIMENTS.href)) as Experiments
}

interface Earlier {
  readonly origin: Origin
  readonly claims: readonly Judged[]
}

function readReport(file: string, seed: number): Earlier {
  let report: Partial<Earlier>
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Partial<Earlier>
  } catch (error) {
    throw new UsageError(`--compare ${file}: ${(error as Error).message}`)
  }
  const { origin, claims } = report
  if (origin === undefined || !Array.isArray(claims)) {
    throw new UsageError(`--compare ${file}: this is no report.json of bellwether reproduce`)
  }
  if (origin.seed !== seed) {
    throw new UsageError(`--compare ${file}: it was made with --seed ${origin.seed}, not ${seed}`)
  }
  return { origin, claims: claims as readonly Judged[] }
}

/** Claims on real processes that one of the two left out are no difference. */
function comparable(
  { origin, claims }: Earlier,
  measured: readonly Judged[],
  { only = [], elections }: Given,
): [before: readonly Judged[], after: readonly Judged[], isWhole: boolean] {
  const hasReal = origin.elections > 0 && elections > 0
  const kept = (all: readonly Judged[]): readonly Judged[] =>
    all.filter(({ id }) => hasReal || !id.includes('-processes-'))
  return [kept(claims), kept(measured), only.length === 0]
}

/** Null: stopped by the user. */
async function measure(module: Experiments, { only = [], seed, elections }: Given) {
  const names = module.plan({ only, elections })
  const running = new Set<string>()
  let [finished, elected] = [0, 0]
  const progress = new ProgressLine(() => {
    const voted = elected === 0 ? '' : ` (${elected} of ${elections} elections)`
    return `${finished} of ${names.length} experiments, ${[...running].join(' and ')}${voted}`
  })
  const controller = new AbortController()
  const stop = (): void => controller.abort(new Stopped())
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const ticking = setInterval(() => progress.tick(), 100)
  try {
    return await module.reproduce({
      only,
      seed,
      effort: 1,
      elections,
      signal: controller.signal,
      started: (name) => running.add(name),
      finished: (name, seconds) => {
        running.delete(name)
        finished += 1
        if (!process.stderr.isTTY)
          remark(`${finished}/${names.length} ${name} ${seconds.toFixed(1)} s`)
      },
      elected: (done) => (elected = done),
    })
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    process.exitCode = 130
    return null
  } finally {
    clearInterval(ticking)
    progress.end()
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop)
    if (controller.signal.aborted) remark('stopped: nothing was written')
  }
}

class Stopped extends Error {
  override readonly name = 'Stopped'
}

function list(claims: readonly Claim[], json: boolean): void {
  if (json) return print(JSON.stringify(claims, null, 2))
  for (const line of alignColumns(claims.map(({ id, claim }) => [id, claim]))) print(line)
}

const COLOURS: Readonly<Record<string, (text: string) => string>> = {
  holds: pc.green,
  'nearly holds': pc.blue,
  'holds in part': pc.yellow,
  'does not hold': pc.red,
}

function tableOf(claims: readonly Judged[]): string {
  const width = Math.max(...claims.map(({ id }) => id.length))
  const widest = Math.max(...claims.map(({ verdict }) => verdict.length))
  const lines = claims.map(({ id, verdict, measured, explained }) => {
    const colour = COLOURS[verdict] ?? String
    const defect = explained ? '' : pc.magenta(' (our formula: otherwise)')
    return `${id.padEnd(width)}  ${colour(verdict.padEnd(widest))}  ${measured}${defect}`
  })
  const counts = Object.keys(COLOURS).flatMap((verdict) => {
    const count = claims.filter((claim) => claim.verdict === verdict).length
    return count === 0 ? [] : [`${count} ${verdict}`]
  })
  return [...lines, '', `${counted(claims.length, 'claim')}: ${counts.join(', ')}`].join('\n')
}
