/**
 * Sources are left out of a state's identity because whatever is made from them is new. That is a duty
 * of the algorithm, and this is where it is held to it: whoever makes an id advances a source in the
 * same step, a start advances a stable one wherever members recover, no source falls, an id depends on
 * every source. (Members need not make different ids: those of one are never compared with those of
 * another.) An algorithm that breaks the duty is searched with its sources and ids as they are.
 */
import type { Algorithm, AnyMessage } from '../../core/algorithm.ts'
import type { RecordSchema } from '../../core/schema.ts'
import type { FieldValues } from '../state/record-layout.ts'

/** The value of every source: far above the labels that stand for ids that exist. */
export const FRESH = 4096

/** An id is made that may not be new: the search must begin again with ids as they are. */
export class IdReuseError extends Error {
  override readonly name = 'StaleSource'
}

interface Step {
  readonly before: FieldValues
  readonly local: { readonly record: FieldValues; readonly mode: number }
  readonly sent: readonly { readonly message: AnyMessage }[]
}

export class IdFreshness {
  private readonly algorithm: Algorithm
  private readonly recoveries: boolean
  private readonly stable: readonly string[]
  private readonly volatile: readonly string[]

  constructor(algorithm: Algorithm, recoveries: boolean) {
    this.algorithm = algorithm
    this.recoveries = recoveries
    const named = (stable: boolean): string[] =>
      algorithm.state.entries
        .filter(({ field }) => field.role === 'source' && field.stable === stable)
        .map(({ name }) => name)
    this.stable = named(true)
    this.volatile = named(false)
  }

  /** `labels`: ids up to this existed before the step. */
  verify(starts: boolean, step: Step, labels: number, perturbed: (source: string) => Step): void {
    const all = [...this.stable, ...this.volatile]
    const { record } = step.local
    if (all.some((name) => (record[name] as number) < (step.before[name] as number))) {
      throw new IdReuseError('a source falls')
    }
    const grew = (names: readonly string[]): boolean =>
      names.some((name) => (record[name] as number) > (step.before[name] as number))
    if (starts && this.recoveries && !grew(this.stable)) {
      throw new IdReuseError('a start does not advance a stable source')
    }
    const createdIds = this.made(step, labels)
    if (createdIds.size === 0) return
    if (!grew(all)) {
      throw new IdReuseError('an id is made and no source advances')
    }
    for (const source of all) {
      const others = this.made(perturbed(source), labels)
      if ([...createdIds].some((id) => others.has(id))) {
        throw new IdReuseError(`an id does not depend on ${source}`)
      }
    }
  }

  /** The ids that exist since this step. */
  private made({ local, sent }: Step, labels: number): Set<number> {
    const made = new Set<number>()
    const look = (schema: RecordSchema, record: FieldValues): void => {
      for (const { name, field } of schema.entries) {
        const value = record[name] as number
        if (field.role === 'id' && value > labels) made.add(value)
      }
    }
    look(this.algorithm.state, local.record)
    for (const { message } of sent) {
      look(this.algorithm.messages.variant(message.type), message)
    }
    return made
  }
}
