/**
 * Computes and caches what each distinct pair of local state and event leads to, by running the handler once for each
 * pair. A pair is all that a handler can tell apart: ids up to renaming, counters up to a shift. So each handler runs
 * once for each pair, and the search runs no handler on its hot path. The results have the same ids and counters as
 * the pair.
 */
import { NONE, type NodeId } from '../../core/node-id.ts'
import { verifyCounterSymmetry } from '../reduction/counter-symmetry.ts'
import { verifyIdFreshness } from '../reduction/id-freshness.ts'
import { Mode } from '../state/local-states.ts'
import type { FieldValues, RecordLayout } from '../state/record-layout.ts'
import { WordTable } from '../tables/word-table.ts'
import type { HandlerInput, HandlerRun, HandlerRunner } from './handler-runner.ts'

export interface LocalTransition extends Pick<HandlerRun, 'timersSet' | 'requested'> {
  readonly local: number
  /** The member's ids and counters after the step. New ids follow those of the pair. */
  readonly values: Int32Array
  readonly sent: readonly {
    readonly to: NodeId
    readonly content: number
    readonly values: Int32Array
  }[]
  readonly termFell: boolean
  /** The member leads, and did not before. */
  readonly beginsToLead: boolean
  readonly leads: boolean
  /** The event is an answer that only closes its request. */
  readonly idle: boolean
}

export class TransitionCache {
  readonly runner: HandlerRunner
  private readonly keys = new WordTable()
  private readonly transitions: LocalTransition[] = []

  constructor(runner: HandlerRunner) {
    this.runner = runner
  }

  /** The transition of the pair with this key, or undefined if the pair is new: `add` it then. */
  find(key: Int32Array, length: number): LocalTransition | undefined {
    const number = this.keys.add(key, length)
    return this.keys.added ? undefined : this.transitions[number]
  }

  /** Runs the handler for the pair that `find` did not know. */
  add(input: HandlerInput): LocalTransition {
    const run = this.runner.run(input)
    const { kind } = input.event
    if (kind !== 'crash' && kind !== 'settled' && kind !== 'tick') this.verify(input, run)
    const transition = this.transitionOf(input, run)
    this.transitions.push(transition)
    return transition
  }

  /** Verifies that the handler cannot tell apart what the checker does not. */
  private verify(input: HandlerInput, run: HandlerRun): void {
    const { event, values, maxId } = input
    const { runner } = this
    const { config, contents, exactIds } = runner
    if (!exactIds && runner.localStates.layout.sources.length > 0) {
      const rerun = (source: string): HandlerRun => runner.run(input, source)
      verifyIdFreshness(config, event.kind === 'start', run, maxId, rerun)
    }
    const message = event.kind === 'message' ? contents.all[event.detail].layout : null
    const rerun = (other: Int32Array): HandlerRun => runner.run({ ...input, values: other })
    verifyCounterSymmetry(runner, event.kind, values, message, rerun)
  }

  private transitionOf(input: HandlerInput, run: HandlerRun): LocalTransition {
    const { localStates, contents } = this.runner
    const { before, local, timersSet, requested } = run
    const { record, mode } = local
    const idOf = this.idNumbering(input)
    const values = valuesOf(localStates.layout, record, idOf)
    const sent = run.sent.map(({ to, message }) => {
      const content = contents.number(message)
      return { to, content, values: valuesOf(contents.all[content].layout, message, idOf) }
    })
    const number = localStates.number(local)
    const leads = mode === Mode.UP && record['leader'] === input.me && input.me !== NONE
    const hasTerm = localStates.layout.indexOf('term') >= 0
    const isQuiet = sent.length === 0 && (timersSet | requested) === 0
    return {
      local: number,
      values,
      sent,
      timersSet,
      requested,
      termFell: hasTerm && (record['term'] as number) < (before['term'] as number),
      leads,
      beginsToLead: leads && before['leader'] !== input.me,
      idle: isQuiet && this.onlyClosesRequest(input, number, values),
    }
  }

  /** How ids of records become ids of the transition: new ones are numbered after those of the pair. */
  private idNumbering({ event, maxId }: HandlerInput): (id: number) => number {
    const { exactIds, idNumbers } = this.runner
    // Members that are settled know the election of their leader by one id.
    if (exactIds || event.kind === 'settled') return (id) => idNumbers.numberOf(id)
    const created = new Map<number, number>()
    return (id) => {
      if (id <= maxId) return id
      if (!created.has(id)) created.set(id, maxId + 1 + created.size)
      return created.get(id)!
    }
  }

  private onlyClosesRequest(input: HandlerInput, local: number, values: Int32Array): boolean {
    const { kind, peer } = input.event
    if (kind !== 'up' && kind !== 'down') return false
    return (
      local === this.runner.localStates.withoutRequest(input.local, peer) &&
      values.every((value, i) => value === input.values[i])
    )
  }
}

function valuesOf(
  { ids, counters }: RecordLayout,
  record: FieldValues,
  idOf: (id: number) => number,
): Int32Array {
  return Int32Array.from([
    ...ids.map((name) => idOf(record[name] as number)),
    ...counters.map(({ name }) => record[name] as number),
  ])
}
