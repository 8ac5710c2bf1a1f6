/**
 * One text for everything that happens: a scenario that a person writes, a trace of the simulator, a
 * counterexample of the checker, a recording of a live cluster, a replay in the lab.
 *
 *     bellwether trace 1
 *     mode stepped
 *     algorithm bully
 *     nodes 3
 *     ----
 *     start 3
 *       3 status Elec→Norm
 *       3→1 coordinator{term=1}
 *     deliver 3→1 coordinator{term=1}
 *
 * Above the line, settings. Below it, a step to a line, with its time in front where it has one, and
 * indented under it what the step brought about; `!` marks a broken promise. The indented lines are
 * derived: a replay computes them again and compares.
 */
import { NONE, type NodeId } from './node-id.ts'
import { parseDuration, showDuration } from './time.ts'

const FIRST_LINE = 'bellwether trace 1'
const RULE = '----'

/** Members are labels here, as people write them. A message is its text; a detector's begins with `detector.`. */
export type TraceStep =
  | { readonly verb: 'start' | 'crash' | 'recover' | 'pause' | 'resume'; readonly node: NodeId }
  | { readonly verb: 'settled'; readonly node: NodeId; readonly leader: NodeId }
  | {
      readonly verb: 'deliver' | 'lose' | 'duplicate'
      readonly from: NodeId
      readonly to: NodeId
      readonly message: string
    }
  | {
      readonly verb: 'timeout'
      readonly node: NodeId
      readonly timer: string
      /** Timers of a detector are about a peer. */
      readonly peer: NodeId
    }
  | { readonly verb: 'up' | 'down'; readonly node: NodeId; readonly peer: NodeId }
  | { readonly verb: 'drawn'; readonly node: NodeId; readonly name: string; readonly k: number }
  | { readonly verb: 'slow'; readonly node: NodeId; readonly us: number }
  | { readonly verb: 'cut'; readonly from: readonly NodeId[]; readonly to: readonly NodeId[] }
  | { readonly verb: 'heal' }
  | { readonly verb: 'drop'; readonly from: NodeId; readonly to: NodeId }

export interface TraceEntry {
  /** Virtual microseconds; null in a trace without a clock. */
  readonly at: number | null
  readonly step: TraceStep
  /** Why, where the step needs a word: `(5 is down)`. */
  readonly note: string
  readonly effects: readonly string[]
}

export interface Trace {
  /** Settings in order; a key may occur more than once. */
  readonly settings: readonly (readonly [key: string, value: string])[]
  readonly entries: readonly TraceEntry[]
}

/** A text that is no trace, or a trace of another version. */
export class TraceError extends Error {
  override readonly name = 'TraceError'
}

export function writeTrace(trace: Trace): string {
  const lines = [FIRST_LINE, ...trace.settings.map(([key, value]) => `${key} ${value}`), RULE]
  for (const { at, step, note, effects } of trace.entries) {
    const time = at === null ? '' : `${showDuration(at)} `
    lines.push(`${time}${writeStep(step)}${note === '' ? '' : ` (${note})`}`)
    for (const effect of effects) lines.push(`  ${effect}`)
  }
  return lines.join('\n') + '\n'
}

export function parseTrace(text: string): Trace {
  const lines = text.split(/\r?\n/u)
  if (lines[0] !== FIRST_LINE) {
    const given = lines[0].slice(0, 60)
    throw new TraceError(`line 1 must read "${FIRST_LINE}", the only version known, not "${given}"`)
  }
  const rule = lines.indexOf(RULE)
  if (rule < 0) throw new TraceError(`there is no line "${RULE}" between settings and steps`)
  const settings = lines
    .slice(1, rule)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const space = line.indexOf(' ')
      return space < 0
        ? ([line, ''] as const)
        : ([line.slice(0, space), line.slice(space + 1)] as const)
    })
  return { settings, entries: parseEntries(lines, rule + 1) }
}

function parseEntries(lines: readonly string[], first: number): TraceEntry[] {
  const entries: (TraceEntry & { effects: string[] })[] = []
  for (let i = first; i < lines.length; i++) {
    const line = lines[i]
    if (line.trim() === '' || line.startsWith('#')) continue
    if (line.startsWith('  ')) {
      const last = entries.at(-1)
      if (last === undefined) throw new TraceError(`line ${i + 1}: an effect before any step`)
      last.effects.push(line.slice(2))
    } else entries.push({ ...parseLine(line, i + 1), effects: [] })
  }
  return entries
}

function parseLine(line: string, number: number): Omit<TraceEntry, 'effects'> {
  const noted = /^(.*?)(?: \(([^()]*)\))?$/u.exec(line)!
  const words = noted[1].split(' ')
  const at = parseDuration(words[0]) ?? null
  if (at !== null) words.shift()
  const step = parseStep(words)
  if (step === undefined) throw new TraceError(`line ${number}: cannot read the step "${line}"`)
  return { at, step, note: noted[2] ?? '' }
}

export function writeStep(step: TraceStep): string {
  switch (step.verb) {
    case 'start':
    case 'crash':
    case 'recover':
    case 'pause':
    case 'resume':
      return `${step.verb} ${step.node}`
    case 'settled':
      return `settled ${step.node} ${step.leader}`
    case 'deliver':
    case 'lose':
    case 'duplicate':
      return `${step.verb} ${step.from}→${step.to} ${step.message}`
    case 'timeout':
      return `timeout ${step.node} ${step.timer}${step.peer === NONE ? '' : ` ${step.peer}`}`
    case 'up':
    case 'down':
      return `${step.verb} ${step.node} ${step.peer}`
    case 'drawn':
      return `drawn ${step.node} ${step.name} ${step.k}`
    case 'slow':
      return `slow ${step.node} ${showDuration(step.us)}`
    case 'cut':
      return `cut ${step.from.join(',')}→${step.to.join(',')}`
    case 'heal':
      return 'heal'
    case 'drop':
      return `drop ${step.from}→${step.to}`
  }
}

/** Returns undefined where the words are no step. */
function parseStep([verb, ...args]: readonly string[]): TraceStep | undefined {
  const number = (text: string | undefined): number =>
    text !== undefined && /^\d+$/u.test(text) ? Number(text) : NaN
  const link = (text: string | undefined): [number, number] => {
    const [from, to] = (text ?? '').split(/→|->/u)
    return [number(from), number(to)]
  }
  const step = ((): TraceStep | undefined => {
    switch (verb) {
      case 'start':
      case 'crash':
      case 'recover':
      case 'pause':
      case 'resume':
        return { verb, node: number(args[0]) }
      case 'settled':
        return { verb, node: number(args[0]), leader: number(args[1]) }
      case 'deliver':
      case 'lose':
      case 'duplicate': {
        const [from, to] = link(args[0])
        const message = args.slice(1).join(' ')
        return message === '' ? undefined : { verb, from, to, message }
      }
      case 'timeout':
        if (args[1] === undefined) return undefined
        return { verb, node: number(args[0]), timer: args[1], peer: number(args[2] ?? '0') }
      case 'up':
      case 'down':
        return { verb, node: number(args[0]), peer: number(args[1]) }
      case 'drawn':
        if (args[1] === undefined) return undefined
        return { verb, node: number(args[0]), name: args[1], k: number(args[2]) }
      case 'slow':
        return { verb, node: number(args[0]), us: parseDuration(args[1] ?? '') ?? NaN }
      case 'cut': {
        const [from, to] = (args[0] ?? '').split(/→|->/u)
        const list = (text = ''): number[] => text.split(',').map(number)
        return { verb, from: list(from), to: list(to) }
      }
      case 'heal':
        return { verb }
      case 'drop': {
        const [from, to] = link(args[0])
        return { verb, from, to }
      }
      default:
        return undefined
    }
  })()
  if (step === undefined) return undefined
  const numbers = Object.values(step)
    .flat()
    .filter((value) => typeof value === 'number')
  return numbers.some((value) => Number.isNaN(value)) ? undefined : step
}
