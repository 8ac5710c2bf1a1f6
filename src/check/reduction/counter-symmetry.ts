/**
 * Verifies that a handler cannot tell counters apart that differ only by a common shift. The canonical
 * form relies on it: with all counters one stride larger, a step must do the same, one stride larger; and
 * a start must not read a counter that a crash reset, because a shift would not keep its 0.
 */
import type { LocalStates } from '../state/local-states.ts'
import type { MessageContents } from '../state/message-contents.ts'
import type { FieldValues, RecordLayout } from '../state/record-layout.ts'
import type { HandlerRun } from '../transitions/handler-runner.ts'

/** The stride of counters that are never shifted: larger than any counter. */
export const UNSHIFTED = 2 ** 30

/** A handler tells apart counters that differ only by a shift. */
export class CounterError extends Error {
  override readonly name = 'CounterError'
}

export class CounterSymmetry {
  private readonly algorithm: string
  private readonly localStates: LocalStates
  private readonly contents: MessageContents

  constructor(algorithm: string, localStates: LocalStates, contents: MessageContents) {
    this.algorithm = algorithm
    this.localStates = localStates
    this.contents = contents
  }

  /** `values`: ids and counters of the member, then of the message. `rerun` runs the handler with others. */
  verify(
    kind: string,
    values: Int32Array,
    message: RecordLayout | null,
    rerun: (values: Int32Array) => HandlerRun,
  ): void {
    const { layout } = this.localStates
    const stride = Math.max(layout.stride, message?.stride ?? 0)
    if (stride === 0 || stride === UNSHIFTED) return
    const raised = values.slice()
    raise(raised, 0, layout, stride)
    if (message !== null) raise(raised, layout.values, message, stride)
    const expected = this.describe(rerun(values), 0)
    if (this.describe(rerun(raised), stride) !== expected) {
      throw this.error(`${kind} does not do the same when all counters are larger`)
    }
    if (kind !== 'start') return
    const changed = values.slice()
    raise(changed, 0, layout, stride, (name) => !layout.schema.fields[name].stable)
    if (this.describe(rerun(changed), 0) !== expected) {
      throw this.error('start reads a counter that a crash resets')
    }
  }

  /** The result of a run with its counters lowered. */
  private describe({ local, sent }: HandlerRun, shift: number): string {
    const { localStates, contents } = this
    const messages = sent.map(({ to, message }) => {
      const content = contents.number(message)
      return [to, content, ...valuesOf(contents.all[content].layout, message, shift)]
    })
    const values = valuesOf(localStates.layout, local.record, shift)
    return JSON.stringify([localStates.number(local), ...values, ...messages])
  }

  private error(what: string): CounterError {
    return new CounterError(
      `${this.algorithm}: ${what}. A handler may compare a counter only with counters, and count on from it; ` +
        'a counter that may be none is orNone(counter()); a number that is read otherwise is not a counter.',
    )
  }
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
