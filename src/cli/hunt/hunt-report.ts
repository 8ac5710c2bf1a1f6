/** Writes the report of a hunt: what was run, what it met and never met, and the promises that were broken. */
import { statusesOf, type Algorithm } from '../../core/algorithm.ts'
import { count } from '../../explore/check-report.ts'
import type { HuntPlan } from '../../sim/hunt/draft.ts'
import type { Tally } from '../../sim/hunt/tally.ts'
import { alignColumns, counted } from '../terminal/print.ts'
import type { HuntRequest } from './hunt-plan.ts'
import type { Failure } from './shrunk-run.ts'

export interface HuntResult {
  readonly request: HuntRequest
  readonly plan: HuntPlan
  readonly jobs: number
  readonly seconds: number
  readonly tally: Tally
  /** How many runs broke a promise. */
  readonly broken: number
  readonly failures: readonly Failure[]
}

/** Other programs rely on this format. */
export function huntJson({ request, plan, jobs, seconds, tally, broken, failures }: HuntResult) {
  const neverMet = Object.fromEntries(
    plan.algorithms.map((algorithm) => [algorithm.name, pairsNeverMet(algorithm, tally)]),
  )
  const { seed, algorithms, families } = request
  return {
    ok: broken === 0,
    seed,
    algorithms,
    families,
    jobs,
    seconds,
    ...tally,
    neverMet,
    broken,
    failures,
  }
}

export function huntText(result: HuntResult): string {
  const { request, plan, tally, failures } = result
  const parts = [
    headline(result),
    figures(result),
    ...plan.algorithms.map((algorithm) => coverage(algorithm, tally)),
    ...failures.map((failure) => failureText(failure, request)),
  ]
  return parts.join('\n\n')
}

function headline({ request, tally, broken }: HuntResult): string {
  const { algorithms, seed } = request
  const verdict = broken === 0 ? 'no promise broken' : `${count(broken)} broke a promise`
  return `${counted(tally.runs, 'run')} of ${algorithms.join(', ')}, seed ${seed}: ${verdict}.`
}

function figures({ tally, seconds, jobs }: HuntResult): string {
  const { events, deliveries, virtualUs, leases, handovers, takeovers, runs, unfinished } = tally
  const rate = seconds > 0 ? ` ${count(Math.round(runs / seconds))} runs/s on ${jobs} ` : ' '
  const faults = Object.entries(tally.faults).sort(([, a], [, b]) => b - a)
  const lines = [
    `${count(events)} events, ${count(deliveries)} messages handled, ${count(Math.round(virtualUs / 3.6e9))} h ` +
      `of virtual time in ${seconds.toFixed(1)} s:${rate}${jobs === 1 ? 'thread' : 'threads'}.`,
  ]
  if (leases > 0) {
    lines.push(
      `${count(leases)} leases, of which ${count(handovers)} began before the end of one that its leader gave up, ` +
        `and ${count(takeovers)} before the end of one whose leader crashed.`,
    )
  }
  if (unfinished > 0) {
    lines.push(
      `${counted(unfinished, 'run')} ended with too few members up, or admitted: their end is not judged.`,
    )
  }
  if (faults.length > 0) {
    lines.push(`Faults: ${faults.map(([name, n]) => `${name} ${count(n)}`).join(', ')}.`)
  }
  return lines.join('\n')
}

/** A row for each status, a column for each message: how often a member in this status handled it. */
function coverage(algorithm: Algorithm, tally: Tally): string {
  const met = tally.met[algorithm.name] ?? {}
  const { types } = algorithm.messages
  const rows = statusesOf(algorithm).map((status) => [
    status,
    ...types.map((type) => count(met[`${status} ${type}`] ?? 0)),
  ])
  const never = pairsNeverMet(algorithm, tally)
  const note =
    never.length === 0 ? 'Every message met every status.' : `Never met: ${never.join(', ')}.`
  return [...alignColumns([[algorithm.name, ...types], ...rows]), note].join('\n')
}

function pairsNeverMet(algorithm: Algorithm, tally: Tally): string[] {
  const met = tally.met[algorithm.name] ?? {}
  return statusesOf(algorithm)
    .flatMap((status) => algorithm.messages.types.map((type) => `${status} ${type}`))
    .filter((pair) => met[pair] === undefined)
}

function failureText(failure: Failure, { seed, algorithms }: HuntRequest): string {
  const { run, algorithm, property, sentence, atMs, members, faults, tries } = failure
  return [
    `Run ${run} (${algorithm}) breaks a promise: ${property}. Shrunk in ${counted(tries, 'run')} to ` +
      `${counted(members, 'member')} and ${counted(faults, 'fault')}, at ${atMs} ms: ${sentence}.`,
    `  trace    ${failure.trace}   (bellwether lab FILE shows it, bellwether simulate --replay FILE replays it)`,
    `  command  ${failure.command}`,
    `  lab      ${failure.link}`,
    `  again    bellwether hunt ${algorithms.join(' ')} --replay ${seed}:${run}`,
  ].join('\n')
}
