/** `bellwether check`: every interleaving of an algorithm's own handlers, within a budget of faults. */
import { writeFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { Command } from 'commander'
import { algorithms } from '../../algorithms/index.ts'
import { Checker, type CheckResult, type CheckOptions } from '../../check/index.ts'
import { canResign, type Algorithm } from '../../core/algorithm.ts'
import { Group } from '../../core/group.ts'
import { detectors } from '../../detectors/index.ts'
import { parseSettings, type SimConfig } from '../../sim/index.ts'
import { everyCheck } from '../check/all-checks.ts'
import { describeCheck, jsonOf, rowOf, tableOf } from '../check/check-report.ts'
import { EXIT, UsageError } from '../errors.ts'
import { ProgressLine } from '../terminal/progress.ts'

interface Given {
  readonly nodes: string
  readonly crashes: string
  readonly recoveries: string
  readonly detector: string
  readonly mistakes: string
  readonly drops: string
  readonly duplicates: string
  readonly cuts: string
  readonly resignations: string
  readonly start: string
  readonly timers: string
  readonly order: string
  readonly ring?: string
  readonly option: string[]
  readonly judge: string[]
  readonly single?: string
  readonly maxTerm?: string
  readonly maxInFlight?: string
  readonly reduction: boolean
  readonly maxStates?: string
  readonly memory: string
  readonly trace?: string
  readonly all?: true
  readonly json?: true
}

export function checkCommand(): Command {
  const names = algorithms.map(({ name }) => name).join(', ')
  return new Command('check')
    .description('Explore every interleaving of an algorithm within a budget of faults.')
    .argument('[algorithm]', `what is checked: ${names}`)
    .option('--all', 'check every algorithm within its assumptions, and print a table')
    .option('--nodes <n>', 'members, 1 to 7', '3')
    .option('--crashes <k>', 'how many crashes may happen, at any moment', '0')
    .option('--recoveries <k>', 'how many recoveries', '0')
    .option('--detector <kind>', 'perfect, or eventual: it may err', 'perfect')
    .option('--mistakes <k>', 'how often an eventual detector says down of one that is up', '0')
    .option('--drops <k>', 'how many messages may be lost', '0')
    .option('--duplicates <k>', 'how many messages may arrive twice', '0')
    .option('--cuts <k>', 'how often the network may be cut; every cut heals', '0')
    .option('--resignations <k>', 'how often a leader may be told to step down, for anybody', '0')
    .option('--start <how>', 'boot: all start at once; settled: all follow the strongest', 'boot')
    .option('--timers <how>', 'sync: time-outs prove something; async: they prove nothing', 'sync')
    .option('--order <how>', 'fifo, or any: messages may overtake each other', 'fifo')
    .option('--ring <members>', 'ring order, such as 3,1,2; rings only')
    .option(
      '--option <name=value>',
      'a setting of the algorithm; may be repeated',
      (value: string, list: string[]) => [...list, value],
      [],
    )
    .option(
      '--judge <property>',
      'judge also what is not promised, such as "one leader at a time"; may be repeated',
      (value: string, list: string[]) => [...list, value],
      [],
    )
    .option('--single <status>', 'judge also that at most one up member is in this status')
    .option('--max-term <k>', 'do not follow states whose terms are further apart than this')
    .option('--max-in-flight <k>', 'do not follow states with more messages on a link (default 12)')
    .option('--no-reduction', 'take every step, also answers and messages that change nothing')
    .option('--max-states <k>', 'give up after so many states')
    .option('--memory <GiB>', 'give up when this is used', '8')
    .option('--trace <file>', 'write the counterexample; - for standard output')
    .option('--json', 'print JSON for programs')
    .action(run)
}

async function run(name: string | undefined, given: Given): Promise<void> {
  if (given.all === true) return runAll(given)
  if (name === undefined) throw new UsageError('check needs the name of an algorithm, or --all')
  const started = performance.now()
  const result = await explore(optionsOf(name, given))
  const seconds = (performance.now() - started) / 1000
  if (given.json === true) print(JSON.stringify(jsonOf(result, seconds)))
  else print(describeCheck(result, seconds))
  const scenario = jsonOf(result, seconds).counterexample?.scenario
  if (given.trace !== undefined && scenario !== undefined) {
    if (given.trace === '-') process.stdout.write(scenario)
    else writeFileSync(given.trace, scenario)
  }
  process.exitCode = exitOf(result)
}

async function runAll(given: Given): Promise<void> {
  const rows = []
  const results: object[] = []
  let worst: number = EXIT.ok
  for (const options of everyCheck()) {
    const started = performance.now()
    const result = await explore(options)
    const seconds = (performance.now() - started) / 1000
    rows.push(rowOf(result, seconds))
    if (given.json !== true) process.stderr.write(`${rows.at(-1)!.join(' · ')}\n`)
    results.push(jsonOf(result, seconds))
    // A specimen is there to be broken.
    if (!options.algorithm.specimen) worst = Math.max(worst, exitOf(result))
  }
  print(given.json === true ? JSON.stringify(results) : tableOf(rows))
  process.exitCode = worst
}

async function explore(options: CheckOptions): Promise<CheckResult> {
  const checker = new Checker(options)
  const started = performance.now()
  const progress = new ProgressLine(() => {
    const { states, depth, frontier, bytes } = checker.progress
    const rate = Math.round(states / ((performance.now() - started) / 1000))
    return `${count(states)} states, ${count(rate)}/s, frontier ${count(frontier)}, depth ${depth}, ${Math.round(bytes / 2 ** 20)} MiB`
  })
  const interrupt = (): void => checker.interrupt()
  process.once('SIGINT', interrupt)
  let slice = performance.now()
  while (!checker.done) {
    checker.advance()
    progress.tick()
    if (performance.now() - slice < 50) continue
    await setImmediate()
    slice = performance.now()
  }
  process.removeListener('SIGINT', interrupt)
  progress.end()
  return checker.result()
}

function exitOf({ ok, counterexample }: CheckResult): number {
  if (ok) return EXIT.ok
  return counterexample === null ? EXIT.budget : EXIT.failed
}

function optionsOf(name: string, given: Given): CheckOptions {
  const settings: [string, string][] = [
    ['algorithm', name],
    ['nodes', given.nodes],
    ...given.option.map((option): [string, string] => ['option', option]),
  ]
  if (given.ring !== undefined) settings.push(['ring', given.ring])
  const parsed = parseSettings(settings, { algorithms, detectors })
  const { algorithm, options, members, ring } = parsed
  if (members > 7) throw new UsageError(`--nodes ${members}: the checker takes 1 to 7`)
  const budget = (key: keyof Given, max = 15): number => integer(key, String(given[key]), max)
  const bound = (key: keyof Given): number | null =>
    given[key] === undefined ? null : integer(key, String(given[key]), 2 ** 27)
  return {
    algorithm,
    options,
    members,
    ring,
    crashes: budget('crashes'),
    recoveries: budget('recoveries'),
    detector: word('detector', given.detector, ['perfect', 'eventual'] as const),
    mistakes: budget('mistakes'),
    drops: budget('drops'),
    duplicates: budget('duplicates', 7),
    cuts: budget('cuts', 7),
    resignations: resignationsOf(parsed, budget('resignations', 3)),
    start: word('start', given.start, ['boot', 'settled'] as const),
    timers: word('timers', given.timers, ['sync', 'async'] as const),
    order: word('order', given.order, ['fifo', 'any'] as const),
    maxTerm: bound('maxTerm'),
    maxInFlight: bound('maxInFlight'),
    judge: given.judge.map((name) =>
      word('judge', name, ['agreement', 'one leader at a time', 'one leader per term'] as const),
    ),
    single: given.single === undefined ? null : statusOf(algorithm, given.single),
    reduction: given.reduction,
    maxStates: bound('maxStates') ?? Infinity,
    maxBytes: integer('memory', given.memory, 1024) * 2 ** 30,
  }
}

function resignationsOf(parsed: SimConfig, given: number): number {
  const { algorithm, members, timing, options } = parsed
  if (given === 0 || canResign(algorithm, new Group(members, timing), options)) return given
  throw new UsageError(`--resignations ${given}: ${algorithm.name} has no words for it`)
}

function integer(key: string, text: string, max: number): number {
  const value = /^\d+$/u.test(text) ? Number(text) : NaN
  if (value >= 0 && value <= max) return value
  throw new UsageError(`--${dashed(key)} ${text}: must be a whole number from 0 to ${max}`)
}

function word<const W extends readonly string[]>(key: string, text: string, words: W): W[number] {
  if (words.includes(text)) return text
  throw new UsageError(`--${dashed(key)} ${text}: must be ${words.join(' or ')}`)
}

function statusOf({ state }: Algorithm, text: string): string {
  const { shape } = state.fields['status']
  return word('single', text, shape.type === 'oneOf' ? shape.names : [])
}

function dashed(key: string): string {
  return key.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)
}

function count(n: number): string {
  return n.toLocaleString('en')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
