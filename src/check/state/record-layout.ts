/**
 * A record in two parts: its plain fields, packed, and the values of its ids and counters. Ids only
 * matter up to renaming and counters up to a shift, so the packed part is what can be numbered once and
 * for all, while the values travel in the global state.
 */
import { Layout } from '../../core/packed-layout.ts'
import { int, RecordSchema, type Field, type Fields } from '../../core/schema.ts'

export type FieldValues = Record<string, unknown>

export interface CounterField {
  readonly name: string
  readonly orNone: boolean
}

/** The largest source that can be kept where sources are part of a state's identity. */
const MAX_SOURCE = 2 ** 16 - 1

export class RecordLayout {
  readonly schema: RecordSchema
  readonly ids: readonly string[]
  readonly counters: readonly CounterField[]
  readonly sources: readonly string[]
  readonly stride: number
  readonly plain: Layout

  constructor(schema: RecordSchema, members: number, exact: boolean) {
    this.schema = schema
    const named = (role: string): string[] =>
      schema.entries.filter(({ field }) => field.role === role).map(({ name }) => name)
    const counters = schema.entries.filter(({ field }) => field.role === 'counter')
    this.ids = named('id')
    this.counters = counters.map(({ name, field }) => ({ name, orNone: field.orNone }))
    this.sources = named('source')
    this.stride = Math.max(0, ...counters.map(({ field }) => field.stride))
    const kept: [string, Field][] = []
    for (const { name, field } of schema.entries) {
      if (field.role === 'plain') kept.push([name, field])
      else if (exact && field.role === 'source') kept.push([name, int(0, MAX_SOURCE)])
    }
    const fields: Fields = Object.fromEntries(kept)
    this.plain = new Layout(new RecordSchema(fields), members)
  }

  /** How many ids and counters there are. */
  get values(): number {
    return this.ids.length + this.counters.length
  }

  packPlain(record: FieldValues, into: Int32Array, at: number): void {
    this.plain.encode(record, into, at)
  }

  /** A record with its plain fields; ids and counters are 0, sources `fresh` unless they are plain. */
  unpackPlain(from: Int32Array, at: number, fresh: number): FieldValues {
    const record = this.schema.init() as FieldValues
    for (const name of this.sources) record[name] = fresh
    this.plain.decode(from, at, record)
    return record
  }
}
