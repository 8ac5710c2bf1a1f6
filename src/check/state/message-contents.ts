/** Messages apart from the values of their ids and counters, each distinct one numbered. */
import type { Algorithm, AnyMessage } from '../../core/algorithm.ts'
import { RecordLayout, type FieldValues } from './record-layout.ts'
import { WordTable } from '../tables/word-table.ts'

/** A numbered message: what the search reads on its hot path. */
export interface MessageContent {
  readonly type: string
  readonly layout: RecordLayout
  /** How many ids and counters follow its number in a global state. */
  readonly ids: number
  readonly values: number
  /** Whether a `period` waits for it to arrive: it is a heartbeat or the answer to one. */
  readonly periodic: boolean
}

export class MessageContents {
  readonly all: MessageContent[] = []
  readonly layouts: readonly RecordLayout[]
  /** The most values that a message has. */
  readonly maxValues: number
  private readonly types: readonly string[]
  private readonly table = new WordTable()
  private readonly words: Int32Array
  private readonly algorithm: Algorithm

  constructor(algorithm: Algorithm, members: number) {
    const { messages } = algorithm
    this.algorithm = algorithm
    this.types = messages.types
    this.layouts = messages.types.map(
      (type) => new RecordLayout(messages.variant(type), members, false),
    )
    this.maxValues = Math.max(0, ...this.layouts.map((layout) => layout.values))
    this.words = new Int32Array(1 + Math.max(0, ...this.layouts.map(({ plain }) => plain.words)))
  }

  number(message: AnyMessage): number {
    const type = this.types.indexOf(message.type)
    const layout = this.layouts[type]
    const length = 1 + layout.plain.words
    this.words[0] = length | (type << 8)
    layout.packPlain(message, this.words, 1)
    const number = this.table.add(this.words, length)
    if (this.table.added) this.all.push(this.entry(message.type, layout))
    return number
  }

  /** The message behind a number, with its ids and counters 0. */
  get(number: number): FieldValues {
    const { layout, type } = this.all[number]
    this.table.read(number, this.words, 1 + layout.plain.words)
    return { type, ...layout.unpackPlain(this.words, 1, 0) }
  }

  private entry(type: string, layout: RecordLayout): MessageContent {
    const { length: ids } = layout.ids
    const periodic = type in this.algorithm.purposes
    return { type, layout, ids, values: layout.values, periodic }
  }
}
