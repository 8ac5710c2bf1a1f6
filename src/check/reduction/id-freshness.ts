/**
 * Verifies that each id which a handler creates is new, and throws IdReuseError if one may not be. Sources are no part
 * of a state's identity because the ids made from them are new; that holds if a handler that creates an id advances a
 * source in the same step, a start advances a stable source wherever members recover, no source falls, and each new id
 * depends on every source. (The ids of two members may be equal: they are never compared.) An algorithm that breaks
 * these rules is searched with its sources and ids as they are.
 */
import type { Algorithm } from '../../core/algorithm.ts'
import type { RecordSchema } from '../../core/schema.ts'
import type { CheckConfig } from '../options.ts'
import type { FieldValues } from '../state/record-layout.ts'
import type { HandlerRun } from '../transitions/handler-runner.ts'

/** The value of every source before a step: far above the ids that exist. */
export const SOURCE_VALUE = 4096

/** What a handler reads as the id of its incarnation, which the host made: larger than all ids that handlers make. */
export const INCARNATION = 2 ** 52

/** A handler may create an id that is not new: the search must restart with exact ids. */
export class IdReuseError extends Error {
  override readonly name = 'IdReuseError'
}

/** `maxId`: the largest id before the step. `rerun` runs the handler again with one source raised. */
export function verifyIdFreshness(
  { algorithm, recoveries }: CheckConfig,
  isStart: boolean,
  run: HandlerRun,
  maxId: number,
  rerun: (source: string) => HandlerRun,
): void {
  const sources = algorithm.state.entries.filter(({ field }) => field.role === 'source')
  const growth = ({ name }: { readonly name: string }): number =>
    (run.local.record[name] as number) - (run.before[name] as number)
  if (sources.some((source) => growth(source) < 0)) throw new IdReuseError('a source falls')
  const advanced = sources.filter((source) => growth(source) > 0)
  if (isStart && recoveries > 0 && !advanced.some(({ field }) => field.stable)) {
    throw new IdReuseError('a start does not advance a stable source')
  }
  const created = createdIds(algorithm, run, maxId)
  if (created.size === 0) return
  if (advanced.length === 0) throw new IdReuseError('an id is made and no source advances')
  for (const { name } of sources) {
    const others = createdIds(algorithm, rerun(name), maxId)
    if ([...created].some((id) => others.has(id))) {
      throw new IdReuseError(`an id does not depend on ${name}`)
    }
  }
}

function createdIds(
  { state, messages }: Algorithm,
  { local, sent }: HandlerRun,
  maxId: number,
): Set<number> {
  const created = new Set<number>()
  const collect = (schema: RecordSchema, record: FieldValues): void => {
    for (const { name, field } of schema.entries) {
      const value = record[name] as number
      if (field.role === 'id' && value > maxId && value !== INCARNATION) created.add(value)
    }
  }
  collect(state, local.record)
  for (const { message } of sent) collect(messages.variant(message.type), message)
  return created
}
