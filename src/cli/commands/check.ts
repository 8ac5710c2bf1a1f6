/**
 * `bellwether check`: runs the model checker on one algorithm or on all, and prints the report, as text or JSON, or
 * the counterexample.
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import { algorithms } from '../../algorithms/index.ts'
import type { CheckConfig, CheckOptions, CheckResult } from '../../check/index.ts'
import { BUDGET_FIELDS, MAX_BUDGET } from '../../check/state/state-vector.ts'
import { detectors } from '../../detectors/index.ts'
import { everyCheck } from '../../explore/all-checks.ts'
import { CHECK_CHOICES, JUDGEABLE, withBudget } from '../../explore/check-settings.ts'
import { describeCheck, jsonOf, rowOf, tableOf } from '../../explore/check-report.ts'
import { explore } from '../check/explore.ts'
import { MAX_JOBS, memoryToUse } from '../check/search-helpers.ts'
import { EXIT, UsageError } from '../errors.ts'
import { collect, wholeNumber } from '../options/option-flags.ts'
import { print } from '../terminal/print.ts'

interface Flags extends Omit<
  Partial<CheckConfig>,
  'ring' | 'ticks' | 'voters' | 'observers' | 'witnesses'
> {
  ticks: number
  readonly nodes: string
  readonly option: string[]
  readonly ring?: string
  readonly voters?: string
  readonly observers?: string
  readonly witnesses?: string
  readonly memory?: number
  readonly jobs: number
  readonly all?: true
  readonly json?: true
  readonly trace?: string
}

const BUDGET_HELP: Readonly<Record<(typeof BUDGET_FIELDS)[number][0], string>> = {
  crashes: 'how many crashes may happen, at any moment',
  recoveries: 'how many recoveries',
  mistakes: 'how often an eventual detector reports an up member as down',
  drops: 'how many messages may be lost',
  duplicates: 'how many messages may arrive twice',
  cuts: 'how often the network may be cut; every cut heals',
  resignations: 'how often a leader may be asked to resign, with any successor',
  ticks: 'with --clocks: how often the time of a lease may pass; 0: without a bound',
}

const CHOICE_HELP: Readonly<Record<keyof typeof CHECK_CHOICES, readonly [string, string]>> = {
  detector: ['--detector <kind>', 'eventual: it may make mistakes'],
  start: ['--start <how>', 'all start at once, or all follow the strongest'],
  timers: ['--timers <how>', 'async: a time-out proves nothing'],
  order: ['--order <how>', 'any: messages may overtake each other'],
}
const bound = wholeNumber(0, 2 ** 27)

export function checkCommand(): Command {
  const names = algorithms.map(({ name }) => name).join(', ')
  const command = new Command('check')
    .description('Explore every interleaving of an algorithm within a budget of faults.')
    .argument('[algorithm]', `one of ${names}`)
    .option('--all', 'check every algorithm within its assumptions, and print a table')
    .option('--nodes <n>', 'members, 1 to 7', '3')
  for (const [name] of BUDGET_FIELDS) {
    const byDefault = name === 'ticks' ? 1 : 0
    command.option(`--${name} <k>`, BUDGET_HELP[name], wholeNumber(0, MAX_BUDGET), byDefault)
  }
  for (const [name, [flag, help]] of Object.entries(CHOICE_HELP)) {
    const words = CHECK_CHOICES[name as keyof typeof CHOICE_HELP]
    command.addOption(new Option(flag, help).choices(words).default(words[0]))
  }
  return command
    .option(
      '--changes <k>',
      'any leader may be asked to change the configuration until its version is k',
      wholeNumber(0, MAX_BUDGET),
      0,
    )
    .option(
      '--voters <members>',
      'the voters of the first configuration, such as 1,2,3 (default: all)',
    )
    .option(
      '--observers <members>',
      'its members that only follow; a member in neither list is outside',
    )
    .option('--witnesses <members>', 'voters that never lead')
    .option('--amnesia', 'a member that recovers may have lost its state')
    .option('--clocks', 'members have clocks, and leases run out; judges safety only')
    .option('--ring <members>', 'ring order, such as 3,1,2; rings only')
    .option('--option <name=value>', 'an option of the algorithm; may be repeated', collect, [])
    .option(
      '--judge <property>',
      `judge also a property that is not promised; may be repeated: ${JUDGEABLE.join(', ')}`,
      collectJudged,
      [],
    )
    .option('--single <status>', 'judge also that at most one up member has this status')
    .option('--max-term <k>', 'do not follow states whose terms are further apart', bound)
    .option('--max-in-flight <k>', 'the most messages that a link holds (default 12)', bound)
    .option('--no-reduction', 'take every step, also answers and messages that change nothing')
    .option('--max-states <k>', 'give up after this many states', bound)
    .option(
      '--memory <GiB>',
      'give up when this much memory is used (default: three quarters of what is free)',
      wholeNumber(0, 1024),
    )
    .addOption(
      new Option('--jobs <n>', 'threads that search; their number does not change the result')
        .argParser(wholeNumber(1, MAX_JOBS))
        .default(Math.min(MAX_JOBS, availableParallelism()), 'one for each core'),
    )
    .option('--trace <file>', 'write the counterexample; - for standard output')
    .option('--json', 'print a JSON array with the result of each check')
    .action(run)
}

async function run(name: string | undefined, flags: Flags): Promise<void> {
  const { all, json, trace, jobs, ...options } = flags
  if (all === true) return runAll(json === true, jobs)
  if (name === undefined) throw new UsageError('check needs the name of an algorithm, or --all')
  const { result, seconds } = await explore(optionsOf(name, options), jobs)
  const report = jsonOf(result, seconds)
  print(json === true ? JSON.stringify([report]) : describeCheck(result, seconds))
  if (trace !== undefined && report.counterexample !== null) {
    if (trace === '-') process.stdout.write(report.counterexample.scenario)
    else writeFileSync(trace, report.counterexample.scenario)
  }
  process.exitCode = exitOf(result)
}

async function runAll(json: boolean, jobs: number): Promise<void> {
  const rows = []
  const results: object[] = []
  let worst: number = EXIT.ok
  for (const options of everyCheck()) {
    const { result, seconds } = await explore({ ...options, maxBytes: memoryToUse() }, jobs)
    rows.push(rowOf(result, seconds))
    if (!json) process.stderr.write(`${rows.at(-1)!.join(' · ')}\n`)
    results.push(jsonOf(result, seconds))
    // Specimens are expected to break.
    if (!options.algorithm.specimen) worst = Math.max(worst, exitOf(result))
  }
  print(json ? JSON.stringify(results) : tableOf(rows))
  process.exitCode = worst
}

function exitOf({ ok, counterexample }: CheckResult): number {
  if (ok) return EXIT.ok
  return counterexample === null ? EXIT.budget : EXIT.failed
}

function optionsOf(
  name: string,
  flags: Omit<Flags, 'all' | 'json' | 'trace' | 'jobs'>,
): CheckOptions {
  const { nodes, ring: order, voters, observers, witnesses, option, memory, ...budget } = flags
  const settings: [string, string][] = [
    ['algorithm', name],
    ['nodes', nodes],
    ...option.map((value): [string, string] => ['option', value]),
  ]
  const lists = { ring: order, voters, observers, witnesses }
  for (const [key, list] of Object.entries(lists)) {
    if (list !== undefined) settings.push([key, list])
  }
  const maxBytes = memory === undefined ? memoryToUse() : memory * 2 ** 30
  return { ...withBudget(settings, budget, { algorithms, detectors }), maxBytes }
}

function collectJudged(value: string, list: string[]): string[] {
  if (!JUDGEABLE.includes(value))
    throw new InvalidArgumentError(`must be ${JUDGEABLE.join(' or ')}.`)
  return collect(value, list)
}
