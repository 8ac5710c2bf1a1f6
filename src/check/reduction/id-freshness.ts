/**
 * Verifies that each id which a handler creates is new. Sources are no part of a state's identity because
 * the ids made from them are new; that holds if a handler that creates an id advances a source in the
 * same step, a start advances a stable source wherever members recover, no source falls, and each new id
 * depends on every source. (The ids of two members may be equal: they are never compared.) An algorithm
 * that breaks these rules is searched with its sources and ids as they are.
 */
import type { Algorithm } from '../../core/algorithm.ts'
import type { RecordSchema } from '../../core/schema.ts'
import type { FieldValues } from '../state/record-layout.ts'
import type { HandlerRun } from '../transitions/handler-runner.ts'

/** The value of every source before a step: far above the ids that exist. */
export const SOURCE_VALUE = 4096

/** A handler may create an id that is not new: the search must restart with exact ids. */
export class IdReuseError extends Error {
  override readonly name = 'IdReuseError'
}

export class IdFreshness {
  private readonly algorithm: Algorithm
  private readonly recoveries: boolean
  private readonly sources: readonly string[]
  private readonly stableSources: readonly string[]

  constructor(algorithm: Algorithm, recoveries: boolean) {
    this.algorithm = algorithm
    this.recoveries = recoveries
    const sources = algorithm.state.entries.filter(({ field }) => field.role === 'source')
    this.sources = sources.map(({ name }) => name)
    this.stableSources = sources.filter(({ field }) => field.stable).map(({ name }) => name)
  }

  /** `maxId`: the largest id before the step. `rerun` runs the handler with one source raised. */
  verify(
    isStart: boolean,
    run: HandlerRun,
    maxId: number,
    rerun: (source: string) => HandlerRun,
  ): void {
    const growth = (source: string): number =>
      (run.local.record[source] as number) - (run.before[source] as number)
    const advances = (sources: readonly string[]): boolean => sources.some((s) => growth(s) > 0)
    if (this.sources.some((source) => growth(source) < 0)) throw new IdReuseError('a source falls')
    if (isStart && this.recoveries && !advances(this.stableSources)) {
      throw new IdReuseError('a start does not advance a stable source')
    }
    const created = this.createdIds(run, maxId)
    if (created.size === 0) return
    if (!advances(this.sources)) throw new IdReuseError('an id is made and no source advances')
    for (const source of this.sources) {
      const others = this.createdIds(rerun(source), maxId)
      if ([...created].some((id) => others.has(id))) {
        throw new IdReuseError(`an id does not depend on ${source}`)
      }
    }
  }

  private createdIds({ local, sent }: HandlerRun, maxId: number): Set<number> {
    const created = new Set<number>()
    const collect = (schema: RecordSchema, record: FieldValues): void => {
      for (const { name, field } of schema.entries) {
        const value = record[name] as number
        if (field.role === 'id' && value > maxId) created.add(value)
      }
    }
    collect(this.algorithm.state, local.record)
    for (const { message } of sent) {
      collect(this.algorithm.messages.variant(message.type), message)
    }
    return created
  }
}
