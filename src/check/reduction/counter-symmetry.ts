/**
 * Counters count up to a shift of all of them together, because handlers only compare them, take the
 * larger and count on. That is a duty of the algorithm, and this is where it is held to it: where all
 * counters are one stride larger, a step does the same, one stride larger; and a start does not read what
 * a crash forgot, whose 0 a shift would not keep.
 */
import type { AnyMessage } from '../../core/algorithm.ts'
import type { MessageContents } from '../state/message-contents.ts'
import type { LocalState, LocalStates } from '../state/local-states.ts'
import type { FieldValues, RecordLayout } from '../state/record-layout.ts'

/** The stride of counters that bear no shift: beyond all that are met. */
export const UNSHIFTED = 2 ** 30

/** A handler tells counters apart that differ by a shift only. */
export class CounterError extends Error {
  override readonly name = 'CounterError'
}

interface Performed {
  readonly local: LocalState
  readonly sent: readonly { readonly to: number; readonly message: AnyMessage }[]
}

export class CounterSymmetry {
  private readonly algorithm: string
  private readonly localStates: LocalStates
  private readonly contents: MessageContents

  constructor(algorithm: string, locals: LocalStates, letters: MessageContents) {
    this.algorithm = algorithm
    this.localStates = locals
    this.contents = letters
  }

  /** `values`: ids and counters of the member, then of the message; `perform` takes the step with others. */
  verify(
    kind: string,
    values: Int32Array,
    message: RecordLayout | null,
    perform: (values: Int32Array) => Performed,
  ): void {
    const { layout } = this.localStates
    const stride = Math.max(layout.stride, message?.stride ?? 0)
    if (stride === 0 || stride === UNSHIFTED) return
    const raised = values.slice()
    raise(raised, 0, layout, stride)
    if (message !== null) raise(raised, layout.values, message, stride)
    const done = this.describe(perform(values), 0)
    if (this.describe(perform(raised), stride) !== done) {
      throw this.error(`${kind} does not do the same when all counters are larger`)
    }
    if (kind !== 'start') return
    const garbled = values.slice()
    raise(garbled, 0, layout, stride, ({ name }) => !layout.schema.fields[name].stable)
    if (this.describe(perform(garbled), 0) !== done) {
      throw this.error('a start reads a counter that a crash forgets')
    }
  }

  /** What a step leaves behind, with its counters lowered. */
  private describe({ local, sent }: Performed, by: number): string {
    const { localStates, contents } = this
    const messages = sent.map(({ to, message }) => {
      const letter = contents.number(message)
      return [to, letter, ...read(contents.all[letter].layout, message, by)]
    })
    return JSON.stringify([
      localStates.number(local),
      ...read(localStates.layout, local.record, by),
      ...messages,
    ])
  }

  private error(what: string): CounterError {
    return new CounterError(
      `${this.algorithm}: ${what}. A counter is only compared with counters, and counted on; ` +
        'one that may be none is orNone(counter()); whatever else is read is no counter.',
    )
  }
}

function raise(
  values: Int32Array,
  at: number,
  { ids, counters }: RecordLayout,
  by: number,
  which: (counter: RecordLayout['counters'][number]) => boolean = () => true,
): void {
  counters.forEach((counter, i) => {
    const place = at + ids.length + i
    const none = counter.orNone && values[place] === 0
    if (!none && which(counter)) values[place] += by
  })
}

function read({ ids, counters }: RecordLayout, record: FieldValues, by: number): unknown[] {
  const lowered = counters.map(({ name, orNone }) => {
    const value = record[name] as number
    return orNone && value === 0 ? null : value - by
  })
  return [...ids.map((name) => record[name]), ...lowered]
}
