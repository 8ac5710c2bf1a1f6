/** What a check came to: for people, for programs, and as a row of the table. */
import type { CheckResult, Judgement } from '../../check/index.ts'
import { markdownTable } from '../../core/markdown-table.ts'
import { counterexampleTrace } from './counterexample.ts'

/** What other programs rely on. */
export interface CheckJson {
  readonly algorithm: string
  readonly ok: boolean
  readonly complete: boolean
  readonly states: number
  readonly transitions: number
  readonly depth: number
  readonly seconds: number
  readonly properties: readonly {
    readonly name: string
    readonly kind: string
    /** null: not known, the budget was spent first. */
    readonly holds: boolean | null
    readonly judged: boolean
  }[]
  readonly counterexample: { readonly property: string; readonly scenario: string } | null
  readonly cutOff: CheckResult['cutOff']
}

export function jsonOf(result: CheckResult, seconds: number): CheckJson {
  const { ok, complete, states, transitions, depth, counterexample, cutOff, config } = result
  return {
    algorithm: config.algorithm.name,
    ok,
    complete,
    states,
    transitions,
    depth,
    seconds,
    properties: result.properties.map(({ name, kind, holds, judged }) => ({
      name,
      kind,
      holds,
      judged,
    })),
    counterexample:
      counterexample === null
        ? null
        : {
            property: counterexample.property,
            scenario: counterexampleTrace(config, counterexample),
          },
    cutOff,
  }
}

export function describeCheck(result: CheckResult, seconds: number): string {
  const { config, states, transitions, depth, properties, counterexample } = result
  const lines = [
    `${verdict(result)} ${config.algorithm.name}, ${config.members} members, ${budgetOf(result)}`,
    `${count(states)} states, ${count(transitions)} transitions, depth ${depth}, ` +
      `${seconds.toFixed(1)} s${seconds > 1 ? `, ${count(Math.round(states / seconds))} states/s` : ''}`,
    ...remarks(result),
    '',
    ...properties.map(line),
  ]
  if (counterexample !== null) lines.push('', counterexampleTrace(config, counterexample).trimEnd())
  return lines.join('\n')
}

function verdict({ ok, complete, counterexample }: CheckResult): string {
  if (counterexample !== null) return `Broken: ${counterexample.property}.`
  if (ok) return 'Ok:'
  return complete ? 'Not ok:' : 'Incomplete:'
}

function remarks({ ending, cutOff, config, idReuse }: CheckResult): string[] {
  const lines: string[] = []
  if (ending === 'states') lines.push('The budget of states was spent before the answer.')
  if (ending === 'memory') lines.push('The memory was spent before the answer.')
  if (ending === 'interrupted') lines.push('Interrupted; this is what is known so far.')
  if (cutOff.beyondMaxTerm > 0) {
    lines.push(`${count(cutOff.beyondMaxTerm)} steps beyond --max-term were not followed.`)
  }
  if (cutOff.beyondRoom > 0) {
    const bound = config.maxInFlight === null ? 'the room of a link' : '--max-in-flight'
    lines.push(`${count(cutOff.beyondRoom)} steps beyond ${bound} were not followed.`)
  }
  if (idReuse !== null) {
    lines.push(`Ids were kept as they are, because ${idReuse}.`)
  }
  return lines
}

function line({ kind, sentence, name, holds, judged, broken }: Judgement): string {
  const sign = holds === null ? '?' : holds ? '✓' : judged ? '✗' : '–'
  const text = kind === 'sometimes' ? `sometimes ${name}` : `${kind} ${sentence}`
  if (holds !== false || kind === 'sometimes') return `${sign} ${text}`
  const often =
    kind === 'always' ? ` (broken ${count(broken)} times${judged ? '' : '; not promised'})` : ''
  return `${sign} ${text}${often}`
}

export type Row = readonly [
  algorithm: string,
  members: string,
  budget: string,
  states: string,
  result: string,
  seconds: string,
]

export function rowOf(result: CheckResult, seconds: number): Row {
  const { config, states, ok, counterexample } = result
  const outcome = ok
    ? 'ok'
    : counterexample === null
      ? 'incomplete'
      : `broken: ${counterexample.property} (${counterexample.steps.length} steps)`
  return [
    config.algorithm.name,
    String(config.members),
    budgetOf(result),
    count(states),
    outcome,
    `${seconds.toFixed(1)} s`,
  ]
}

export function tableOf(rows: readonly Row[]): string {
  const head: Row = ['algorithm', 'n', 'budget', 'states', 'result', 'time']
  return markdownTable([head, ...rows])
}

function budgetOf({ config }: CheckResult): string {
  const { crashes, recoveries, mistakes, drops, duplicates, cuts, resignations } = config
  const { start, timers, order } = config
  const parts = [
    some(crashes, 'crash', 'crashes'),
    some(recoveries, 'recovery', 'recoveries'),
    some(mistakes, 'mistake', 'mistakes'),
    some(drops, 'drop', 'drops'),
    some(duplicates, 'duplicate', 'duplicates'),
    some(cuts, 'cut', 'cuts'),
    some(resignations, 'resignation', 'resignations'),
    start === 'settled' ? 'from settled' : '',
    timers === 'async' ? 'asynchronous' : '',
    order === 'any' ? 'any order' : '',
    ...Object.entries(config.options)
      .filter(([name, value]) => config.algorithm.untimed[name] !== value)
      .map(([name, value]) => `${name} ${value}`),
    config.maxTerm === null ? '' : `terms at most ${config.maxTerm} apart`,
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'no faults' : parts.join(', ')
}

function some(n: number, one: string, many: string): string {
  return n === 0 ? '' : `${n} ${n === 1 ? one : many}`
}

function count(n: number): string {
  return n.toLocaleString('en')
}
