/**
 * Splits a record (a member's state or a message) into plain fields, which are packed into words, and the values of
 * its ids and counters, and joins them again. Handlers tell ids apart only up to renaming and counters only up to a
 * shift, so the packed part is the same for many records.
 */
import { Layout } from '../../core/packed-layout.ts'
import { int, RecordSchema, type Field } from '../../core/schema.ts'

export type FieldValues = Record<string, unknown>

export interface CounterField {
  readonly name: string
  readonly orNone: boolean
}

/** The largest source value that can be packed, where sources are part of a state's identity. */
const MAX_SOURCE = 2 ** 16 - 1

export class RecordLayout {
  readonly schema: RecordSchema
  readonly ids: readonly string[]
  readonly counters: readonly CounterField[]
  readonly sources: readonly string[]
  /** The stride of the counters; 0: there are none. */
  readonly stride: number
  readonly values: number
  readonly plain: Layout

  /** `exactIds`: sources are packed like plain fields. */
  constructor(schema: RecordSchema, members: number, exactIds: boolean) {
    this.schema = schema
    const named = (role: string): string[] =>
      schema.entries.filter(({ field }) => field.role === role).map(({ name }) => name)
    const counters = schema.entries.filter(({ field }) => field.role === 'counter')
    this.ids = named('id')
    this.counters = counters.map(({ name, field }) => ({ name, orNone: field.orNone }))
    this.sources = named('source')
    this.stride = Math.max(0, ...counters.map(({ field }) => field.stride))
    this.values = this.ids.length + this.counters.length
    const packed: [string, Field][] = []
    for (const { name, field } of schema.entries) {
      if (field.role === 'plain') packed.push([name, field])
      else if (exactIds && field.role === 'source') packed.push([name, int(0, MAX_SOURCE)])
    }
    const fields = new RecordSchema(Object.fromEntries(packed))
    this.plain = new Layout(fields, members)
  }

  /** The index of a counter; -1: the field is not a counter. */
  indexOf(counter: string): number {
    return this.counters.findIndex(({ name }) => name === counter)
  }

  /** A record with its plain fields. Ids and counters are 0, sources `source` unless they are packed. */
  unpackPlain(from: Int32Array, at: number, source: number): FieldValues {
    const record = this.schema.init() as FieldValues
    for (const name of this.sources) record[name] = source
    this.plain.decode(from, at, record)
    return record
  }
}
