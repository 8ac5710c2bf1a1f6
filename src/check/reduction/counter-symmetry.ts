/**
 * Verifies that a handler cannot tell counters apart that differ only by a common shift, and throws CounterError if it
 * can. The canonical form relies on it: with all counters one stride larger, a step must do the same, one stride
 * larger; and a start must not read a counter that a crash reset, because a shift would not keep its 0.
 */
import { BellwetherError } from '../../core/errors/bellwether-error.ts'
import { UNSHIFTED } from '../../core/schema.ts'
import type { FieldValues, RecordLayout } from '../state/record-layout.ts'
import type { HandlerRun, HandlerRunner } from '../transitions/handler-runner.ts'

export class CounterError extends BellwetherError {
  override readonly name = 'CounterError'
  readonly code = 'algorithm'
}

/** `values`: ids and counters of the member, then of the message. `rerun` runs the handler with others. */
export function verifyCounterSymmetry(
  { config, localStates, contents }: HandlerRunner,
  kind: string,
  values: Int32Array,
  message: RecordLayout | null,
  rerun: (values: Int32Array) => HandlerRun,
): void {
  const { layout } = localStates
  const stride = Math.max(layout.stride, message?.stride ?? 0)
  if (stride === 0 || stride === UNSHIFTED) return
  if (kind === 'recover') return // runs no handler; lost counters are the least ones of the state
  const resultOf = ({ local, sent }: HandlerRun, shift: number): string => {
    const messages = sent.map(({ to, message: one }) => {
      const content = contents.number(one)
      return [to, content, ...valuesOf(contents.all[content].layout, one, shift)]
    })
    const own = valuesOf(layout, local.record, shift)
    return JSON.stringify([localStates.number(local), ...own, ...messages])
  }
  const fail = (what: string): never => {
    throw new CounterError(
      `${config.algorithm.name}: ${what}. A handler may compare a counter only with counters, and count on ` +
        'from it; a counter that may be none is orNone(counter()); any other number is not a counter.',
    )
  }
  const raised = values.slice()
  raise(raised, 0, layout, stride)
  if (message !== null) raise(raised, layout.values, message, stride)
  const expected = resultOf(rerun(values), 0)
  if (resultOf(rerun(raised), stride) !== expected) {
    fail(`${kind} does not do the same when all counters are larger`)
  }
  if (kind !== 'start') return
  const changed = values.slice()
  raise(changed, 0, layout, stride, (name) => !layout.schema.fields[name].stable)
  if (resultOf(rerun(changed), 0) !== expected) fail('start reads a counter that a crash resets')
}

function raise(
  values: Int32Array,
  at: number,
  { ids, counters }: RecordLayout,
  by: number,
  includes: (counter: string) => boolean = () => true,
): void {
  counters.forEach(({ name, orNone }, i) => {
    const place = at + ids.length + i
    const isNone = orNone && values[place] === 0
    if (!isNone && includes(name)) values[place] += by
  })
}

function valuesOf({ ids, counters }: RecordLayout, record: FieldValues, shift: number): unknown[] {
  const shifted = counters.map(({ name, orNone }) => {
    const value = record[name] as number
    return orNone && value === 0 ? null : value - shift
  })
  return [...ids.map((name) => record[name]), ...shifted]
}
