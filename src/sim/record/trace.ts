/**
 * Reads and writes traces: the text form of a simulated run, a scenario, a counterexample of the checker.
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
 * Settings stand above the line. Below it, each step has a line, which begins with its time if the run had a
 * clock. The indented lines are the effects of the step; `!` marks a broken promise. A replay computes the
 * effects again and compares.
 */
import { BellwetherError } from '../../core/errors/bellwether-error.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { parseDuration, showDuration } from '../../core/time.ts'
import type { Settings } from '../../core/settings.ts'
import { declarationOf, isFaultKind } from '../faults/fault-catalogue.ts'
import type { FaultFields, FaultKind } from '../faults/fault-catalogue.ts'
import { readOperands, writeOperands } from '../faults/fault-operands.ts'

const FIRST_LINE = 'bellwether trace 1'
const RULE = '----'

/** Members are labels. A message is its text; that of a detector's message begins with `detector.`. */
export type TraceStep =
  | { readonly verb: 'start'; readonly node: NodeId }
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
      /** NONE, or the peer of a detector's timer. */
      readonly peer: NodeId
    }
  | { readonly verb: 'up' | 'down'; readonly node: NodeId; readonly peer: NodeId }
  | { readonly verb: 'drawn'; readonly node: NodeId; readonly name: string; readonly k: number }
  | FaultStep

/** A fault, or the request to resign. */
export type FaultStep = {
  [K in FaultKind]: { readonly verb: K } & FaultFields<K>
}[FaultKind]

export function isFaultStep(step: TraceStep): step is FaultStep {
  return isFaultKind(step.verb)
}

export interface TraceEntry {
  /** Virtual microseconds; null in a trace without a clock. */
  readonly at: number | null
  readonly step: TraceStep
  /** A reason, or '': `(5 is down)`. */
  readonly note: string
  readonly effects: readonly string[]
}

export interface Trace {
  readonly settings: Settings
  readonly entries: readonly TraceEntry[]
}

/** A text that is no trace, or a trace of another version. */
export class TraceError extends BellwetherError {
  override readonly name = 'TraceError'
  readonly code = 'trace'
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
  const reader = new StepReader(words)
  const step = readStep(reader)
  if (step === undefined || !reader.isRight)
    throw new TraceError(`line ${number}: cannot read the step "${line}"`)
  return { at, step, note: noted[2] ?? '' }
}

export function writeStep(step: TraceStep): string {
  if (isFaultStep(step)) {
    const operands = writeOperands(declarationOf(step.verb).operands, step)
    return operands === '' ? step.verb : `${step.verb} ${operands}`
  }
  switch (step.verb) {
    case 'start':
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
  }
}

export class StepReader {
  private readonly words: readonly string[]
  private taken = 0
  private wrong = false

  constructor(words: readonly string[]) {
    this.words = words
  }

  get isDone(): boolean {
    return this.taken >= this.words.length
  }

  get isRight(): boolean {
    return !this.wrong && this.taken === this.words.length
  }

  word(): string {
    const word = this.words[this.taken++] ?? ''
    if (word === '') this.wrong = true
    return word
  }

  number(word = this.word()): number {
    if (!/^\d+$/u.test(word)) this.wrong = true
    return Number(word)
  }

  decimal(): number {
    const value = Number(this.word())
    if (!(value > 0)) this.wrong = true
    return value
  }

  oneOf<T extends string>(words: readonly T[]): T {
    const word = this.word()
    const known = words.find((one) => one === word)
    if (known === undefined) this.wrong = true
    return known ?? words[0]
  }

  duration(): number {
    const us = parseDuration(this.word())
    if (us === undefined) this.wrong = true
    return us ?? 0
  }

  /** `1→2`, or with lists `1,2→3`; `->` also works. */
  sides(): { from: number[]; to: number[] } {
    const sides = this.word().split(/→|->/u)
    if (sides.length !== 2) this.wrong = true
    const [from, to = ''] = sides
    const list = (text: string): number[] => text.split(',').map((label) => this.number(label))
    return { from: list(from), to: list(to) }
  }

  link(): { from: number; to: number } {
    const { from, to } = this.sides()
    if (from.length !== 1 || to.length !== 1) this.wrong = true
    return { from: from[0], to: to[0] }
  }

  rest(): string {
    const words = [this.word()]
    while (!this.isDone) words.push(this.word())
    return words.join(' ')
  }
}

function readStep(reader: StepReader): TraceStep | undefined {
  const verb = reader.word()
  switch (verb) {
    case 'start':
      return { verb, node: reader.number() }
    case 'settled':
      return { verb, node: reader.number(), leader: reader.number() }
    case 'deliver':
    case 'lose':
    case 'duplicate': {
      return { verb, ...reader.link(), message: reader.rest() }
    }
    case 'timeout': {
      const [node, timer] = [reader.number(), reader.word()]
      return { verb, node, timer, peer: reader.isDone ? NONE : reader.number() }
    }
    case 'up':
    case 'down':
      return { verb, node: reader.number(), peer: reader.number() }
    case 'drawn':
      return { verb, node: reader.number(), name: reader.word(), k: reader.number() }
    default:
      if (!isFaultKind(verb)) return undefined
      return { verb, ...readOperands(declarationOf(verb).operands, reader) } as TraceStep
  }
}
