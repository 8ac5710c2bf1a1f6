/** Writes the report of a check: as text for people, as JSON for programs, and as a row of the table of `--all`. */
import type { CheckResult, Ending, Judgement } from '../check/index.ts'
import { BUDGET_FIELDS } from '../check/state/state-vector.ts'
import { markdownTable } from '../core/markdown-table.ts'
import { counterexampleTrace } from './counterexample.ts'

/** Other programs rely on this format. */
export function jsonOf(result: CheckResult, seconds: number) {
  const { ok, complete, states, transitions, depth, counterexample, cutOff, config } = result
  return {
    algorithm: config.algorithm.name,
    ok,
    complete,
    states,
    transitions,
    depth,
    seconds,
    properties: result.properties.map(({ name, kind, holds, judged }) => {
      return { name, kind, holds, judged }
    }),
    counterexample: counterexample && {
      property: counterexample.property,
      scenario: counterexampleTrace(config, counterexample),
    },
    cutOff,
  }
}

export function describeCheck(result: CheckResult, seconds: number): string {
  const { config, states, transitions, depth, properties, counterexample } = result
  const lines = [
    `${verdictOf(result)} ${config.algorithm.name}, ${config.members} members, ${budgetOf(result)}`,
    `${count(states)} states, ${count(transitions)} transitions, depth ${depth}, ` +
      `${seconds.toFixed(1)} s${seconds > 1 ? `, ${count(Math.round(states / seconds))} states/s` : ''}`,
    ...remarksOf(result),
    '',
    ...properties.map(line),
  ]
  if (counterexample !== null) lines.push('', counterexampleTrace(config, counterexample).trimEnd())
  return lines.join('\n')
}

export function verdictOf({ ok, complete, counterexample }: CheckResult): string {
  if (counterexample !== null) return `Broken: ${counterexample.property}.`
  if (ok) return 'Ok:'
  return complete ? 'Not ok:' : 'Incomplete:'
}

const ENDINGS: Readonly<Partial<Record<Ending, string>>> = {
  states: 'The budget of states was spent before the check was complete.',
  memory:
    'The memory was spent before the check was complete. Try a smaller budget of faults, or allow more with --memory.',
  interrupted: 'Interrupted; this is what is known so far.',
}

export function remarksOf({ ending, cutOff, config, idReuse }: CheckResult): string[] {
  const link = config.maxInFlight === null ? 'the capacity of a link' : '--max-in-flight'
  const bounds = [
    [cutOff.beyondMaxTerm, '--max-term'],
    [cutOff.beyondRoom, link],
  ] as const
  const remarks = bounds
    .filter(([steps]) => steps > 0)
    .map(([steps, bound]) => `${count(steps)} steps beyond ${bound} were not followed.`)
  if (ENDINGS[ending] !== undefined) remarks.unshift(ENDINGS[ending])
  if (idReuse !== null) remarks.push(`Ids were not renamed, because ${idReuse}.`)
  return remarks
}

function line({ kind, sentence, name, holds, judged, broken }: Judgement): string {
  const sign = holds === null ? '?' : holds ? '✓' : judged ? '✗' : '–'
  const text = kind === 'sometimes' ? `sometimes ${name}` : `${kind} ${sentence}`
  if (holds !== false || kind === 'sometimes') return `${sign} ${text}`
  const often =
    kind === 'always' ? ` (broken ${count(broken)} times${judged ? '' : '; not promised'})` : ''
  return `${sign} ${text}${often}`
}

export function rowOf(result: CheckResult, seconds: number): string[] {
  const { config, states, ok, counterexample } = result
  const { name } = config.algorithm
  const outcome = counterexample
    ? `broken: ${counterexample.property} (${counterexample.steps.length} steps)`
    : ok
      ? 'ok'
      : 'incomplete'
  const time = `${seconds.toFixed(1)} s`
  return [name, String(config.members), budgetOf(result), count(states), outcome, time]
}

export function tableOf(rows: readonly (readonly string[])[]): string {
  return markdownTable([['algorithm', 'n', 'budget', 'states', 'result', 'time'], ...rows])
}

export function budgetOf({ config }: Pick<CheckResult, 'config'>): string {
  const { start, timers, clocks, order, options, algorithm, maxTerm } = config
  const parts = BUDGET_FIELDS.filter(([name]) => config[name] > 0).map(
    ([name]) => `${config[name]} ${config[name] === 1 ? singular(name) : name}`,
  )
  if (config.voters !== null) parts.push(`voters ${config.voters.join(',')}`)
  if (config.observers.length > 0) parts.push(`observers ${config.observers.join(',')}`)
  if (config.witnesses.length > 0) parts.push(`witnesses ${config.witnesses.join(',')}`)
  if (config.changes > 0) parts.push(`changes to version ${config.changes}`)
  if (clocks) parts.push('clocks')
  if (config.amnesia) parts.push('amnesia')
  if (start === 'settled') parts.push('from settled')
  if (timers === 'async') parts.push('asynchronous')
  if (order === 'any') parts.push('any order')
  for (const [name, value] of Object.entries(options)) {
    const byDefault = clocks ? algorithm.clocked[name] : undefined
    if ((byDefault ?? algorithm.untimed[name]) !== value) parts.push(`${name} ${value}`)
  }
  if (maxTerm !== null) parts.push(`terms at most ${maxTerm} apart`)
  return parts.length === 0 ? 'no faults' : parts.join(', ')
}

function singular(name: string): string {
  return name.replace(/ies$/u, 'y').replace(/(?<=sh)es$|s$/u, '')
}

export function count(n: number): string {
  return String(n).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',')
}
