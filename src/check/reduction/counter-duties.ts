/**
 * Counters count up to a shift of all of them together, because handlers only compare them, take the
 * larger and count on. That is a duty of the algorithm, and this is where it is held to it: where all
 * counters are one stride larger, a step does the same, one stride larger; and a start does not read what
 * a crash forgot, whose 0 a shift would not keep.
 */
import type { AnyMessage } from '../../core/algorithm.ts'
import type { Letters } from '../state/message-contents.ts'
import type { Local, Locals } from '../state/local-states.ts'
import type { Loose, Split } from '../state/split-record.ts'

/** The stride of counters that bear no shift: beyond all that are met. */
export const UNSHIFTED = 2 ** 30

/** A handler tells counters apart that differ by a shift only. */
export class CounterError extends Error {
  override readonly name = 'CounterError'
}

interface Performed {
  readonly local: Local
  readonly sent: readonly { readonly to: number; readonly message: AnyMessage }[]
}

export class Counters {
  private readonly algorithm: string
  private readonly locals: Locals
  private readonly letters: Letters

  constructor(algorithm: string, locals: Locals, letters: Letters) {
    this.algorithm = algorithm
    this.locals = locals
    this.letters = letters
  }

  /** `values`: ids and counters of the member, then of the message; `perform` takes the step with others. */
  judge(
    kind: string,
    values: Int32Array,
    message: Split | null,
    perform: (values: Int32Array) => Performed,
  ): void {
    const { split } = this.locals
    const stride = Math.max(split.stride, message?.stride ?? 0)
    if (stride === 0 || stride === UNSHIFTED) return
    const raised = values.slice()
    raise(raised, 0, split, stride)
    if (message !== null) raise(raised, split.values, message, stride)
    const done = this.picture(perform(values), 0)
    if (this.picture(perform(raised), stride) !== done) {
      throw this.error(`${kind} does not do the same when all counters are larger`)
    }
    if (kind !== 'start') return
    const garbled = values.slice()
    raise(garbled, 0, split, stride, ({ name }) => !split.schema.fields[name].stable)
    if (this.picture(perform(garbled), 0) !== done) {
      throw this.error('a start reads a counter that a crash forgets')
    }
  }

  /** What a step leaves behind, with its counters lowered. */
  private picture({ local, sent }: Performed, by: number): string {
    const { locals, letters } = this
    const messages = sent.map(({ to, message }) => {
      const letter = letters.number(message)
      return [to, letter, ...read(letters.all[letter].split, message, by)]
    })
    return JSON.stringify([
      locals.number(local),
      ...read(locals.split, local.record, by),
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
  { ids, counters }: Split,
  by: number,
  which: (counter: Split['counters'][number]) => boolean = () => true,
): void {
  counters.forEach((counter, i) => {
    const place = at + ids.length + i
    const none = counter.orNone && values[place] === 0
    if (!none && which(counter)) values[place] += by
  })
}

function read({ ids, counters }: Split, record: Loose, by: number): unknown[] {
  const lowered = counters.map(({ name, orNone }) => {
    const value = record[name] as number
    return orNone && value === 0 ? null : value - by
  })
  return [...ids.map((name) => record[name]), ...lowered]
}
