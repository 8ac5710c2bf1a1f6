/**
 * `bellwether simulate`: runs one election in virtual time, or replays a trace, and prints a summary, JSON, a trace or
 * a diagram.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Command } from 'commander'
import picocolors from 'picocolors'
import { algorithms } from '../../algorithms/index.ts'
import { hashText } from '../../core/hash.ts'
import { detectors } from '../../detectors/index.ts'
import { diagramOf, renderSvg } from '../../diagram/index.ts'
import {
  FAULTS,
  finish,
  parseSettings,
  Recording,
  replay,
  summarize,
  traceOf,
  World,
  type SettingsRegistry,
  type Settings,
  type SimConfig,
} from '../../sim/index.ts'
import { summaryText } from '../terminal/run-summary.ts'
import { EXIT, UsageError } from '../errors.ts'
import { collect, wholeNumber } from '../options/option-flags.ts'
import type { SeedRange } from '../seeds/seed-report.ts'
import { parseSeeds, simulateSeeds } from '../seeds/simulate-seeds.ts'
import { print, printJson, remark } from '../terminal/print.ts'
import { ProgressLine } from '../terminal/progress.ts'

const registry: SettingsRegistry = { algorithms, detectors }

/** Options that are settings of the run, in the order of the help. */
const SETTINGS: readonly (readonly [flags: string, help: string])[] = [
  [
    '--algorithm <name>',
    `the election algorithm: ${algorithms.map(({ name }) => name).join(', ')}`,
  ],
  ['--nodes <n>', 'how many members, named 1 to n (default 5)'],
  ['--seed <number>', 'random seed (default 1)'],
  ['--strongest <which>', 'which label is the strongest: highest (002, 004) or lowest (000, 001)'],
  [
    '--detector <name>',
    `failure detector: ${['perfect', ...detectors.map(({ name }) => name)].join(', ')}`,
  ],
  ['--detection <time>', 'how long the perfect detector takes: 20ms or 10ms..30ms'],
  [
    '--silence <time>',
    'how long a silent peer counts as up, for other detectors (default: as short as they can)',
  ],
  ['--period <time>', 'time between two heartbeats (default 100ms)'],
  [
    '--message-bound <time>',
    'the bound Tm that the algorithm assumes (default: the longest latency)',
  ],
  ['--processing <time>', 'how long a member takes to handle a message'],
  [
    '--network <mode>',
    'multicast, or sequential: the k-th message of a step leaves (k−1)·Tm later',
  ],
  ['--latency <time>', '3ms, 1ms..5ms (default), exponential:1ms+3ms or lognormal:3ms,0.5'],
  ['--loss <p>', 'probability that a message is lost, 0.05 or 5%'],
  ['--duplicate <p>', 'probability that a message arrives twice'],
  ['--reorder <p>', 'probability that a message may overtake others on its link'],
  ['--ring <members>', 'ring order, such as 3,1,2; rings only'],
  ['--voters <members>', 'the voters of the first configuration, such as 1,2,3 (default: all)'],
  ['--observers <members>', 'its members that only follow; a member in neither list is outside'],
  ['--witnesses <members>', 'voters that never lead'],
  ['--initiator <members>', 'start settled; only these members learn that the leader is down'],
  ['--down <members>', 'members that are down at the start'],
  [
    '--known-down <members>',
    'of those, the members that every detector reports as down at the start',
  ],
  ['--until <time>', 'when to stop: quiet (default) or a time'],
]

export function simulateCommand(): Command {
  const command = new Command('simulate').description(
    'Run one election in virtual time. The same options and seed give the same output.',
  )
  for (const [flags, help] of SETTINGS) command.option(flags, help)
  const option = 'NAME=VALUE, an option of the algorithm; may be repeated'
  command.option('--option <name=value>', option, collect)
  for (const [kind, { form }] of Object.entries(FAULTS)) {
    command.option(`--${kind} <fault>`, `${form}; may be repeated`, collect)
  }
  return command
    .option(
      '--seeds <range>',
      'run every seed of a range such as 1..10000, and print statistics',
      parseSeeds,
    )
    .option('--jobs <n>', 'threads for --seeds (default: all cores)', wholeNumber(1, 256))
    .option('--trace <file>', 'write the trace; - for standard output')
    .option(
      '--svg <file>',
      'write a space-time diagram, or with --seeds the histograms; - for standard output',
    )
    .option('--replay <file>', 'replay a trace and compare; takes no other settings')
    .option('--json', 'print JSON')
    .action(simulate)
}

interface Given {
  readonly seeds?: SeedRange
  readonly jobs?: number
  readonly trace?: string
  readonly svg?: string
  readonly replay?: string
  readonly json?: true
}

async function simulate(given: Given, command: Command): Promise<void> {
  const settings = settingsOf(command)
  if (given.seeds !== undefined) return overSeeds(settings, given.seeds, given)
  if (given.replay !== undefined) return replayTrace(given.replay, settings, given)
  if (settings.length === 0) {
    throw new UsageError('simulate needs at least --algorithm NAME; see bellwether simulate --help')
  }
  const config = parseSettings(settings, registry)
  const world = new World(config)
  const recording = wantsRecording(given, config) ? new Recording(config) : null
  world.recorder = recording
  run(world)
  report(world, recording, given)
}

async function overSeeds(settings: Settings, seeds: SeedRange, given: Given): Promise<void> {
  const other = (['trace', 'replay'] as const).find((name) => given[name] !== undefined)
  const seed = settings.some(([key]) => key === 'seed') ? 'seed' : other
  if (seed !== undefined)
    throw new UsageError(`--seeds takes no --${seed}: it runs every seed of its range`)
  return simulateSeeds(settings, seeds, { jobs: availableParallelism(), ...given })
}

/** Options that are not settings of the run. */
const OTHERS = new Set(['seeds', 'jobs', 'trace', 'svg', 'replay', 'json'])

function settingsOf(command: Command): Settings {
  const settings: [string, string][] = []
  for (const option of command.options) {
    const key = option.name()
    if (OTHERS.has(key)) continue
    const value = command.getOptionValue(option.attributeName()) as string | string[] | undefined
    if (Array.isArray(value)) for (const one of value) settings.push([key, one])
    else if (value !== undefined) settings.push([key, value])
  }
  return settings
}

function run(world: World): void {
  const progress = new ProgressLine(() => {
    const seconds = (world.now / 1e6).toFixed(1)
    return `${seconds} s of virtual time, ${world.steps.toLocaleString('en')} events`
  })
  world.onProgress = () => progress.tick()
  finish(world)
  progress.end()
}

/** The picture of a larger group would be unreadable. */
const LARGEST_PICTURE = 16

function wantsRecording(given: Given, config: SimConfig): boolean {
  if (given.trace !== undefined || given.svg !== undefined) return true
  return given.json !== true && config.members <= LARGEST_PICTURE
}

function report(world: World, recording: Recording | null, given: Given): void {
  const summary = summarize(world)
  const trace = recording === null ? null : traceOf(world.config, recording)
  const space = recording === null ? null : diagramOf(world, recording)
  if (trace !== null && given.trace !== undefined) write(given.trace, trace)
  if (space !== null && given.svg !== undefined) write(given.svg, renderSvg(space))
  if (given.json === true) {
    // The lab shows the same hash for the same settings.
    printJson(trace === null ? summary : { ...summary, traceHash: hashText(trace) })
  } else if (given.trace !== '-' && given.svg !== '-') {
    const shown = world.config.members <= LARGEST_PICTURE ? space : null
    const ascii = process.env['TERM'] === 'dumb'
    const screen = { width: process.stdout.columns || 80, palette: picocolors, ascii }
    print(summaryText({ config: world.config, summary, space: shown }, screen))
  }
  if (summary.violations.length > 0) process.exitCode = EXIT.failed
}

function replayTrace(file: string, settings: Settings, given: Given): void {
  if (settings.length > 0) {
    throw new UsageError(
      `--replay takes its settings from the trace: leave out --${settings[0][0]}`,
    )
  }
  const replayed = replay(readFileSync(file, 'utf8'), registry)
  const { mode, text, members, violations, difference } = replayed
  if (given.trace !== undefined) write(given.trace, text)
  const same = difference === null
  if (given.json === true) printJson({ mode, same, difference, violations, members })
  else if (same) print(text)
  if (difference !== null) {
    const { line, read, computed } = difference
    remark(`bellwether: ${file}:${line}: the trace says "${read}", the run "${computed}"`)
  }
  if (!same || violations.length > 0) process.exitCode = EXIT.failed
}

function write(file: string, text: string): void {
  if (file === '-') process.stdout.write(text)
  else writeFileSync(file, text)
}
