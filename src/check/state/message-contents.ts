/** Stores and numbers the distinct contents of messages, without the values of ids and counters. */
import type { Algorithm, AnyMessage } from '../../core/algorithm.ts'
import { WordTable } from '../tables/word-table.ts'
import { RecordLayout, type FieldValues } from './record-layout.ts'

export interface MessageContent {
  readonly type: string
  readonly layout: RecordLayout
  /** Whether the message is a heartbeat or the answer to one: a `period` waits for it to arrive. */
  readonly periodic: boolean
}

export class MessageContents {
  readonly all: MessageContent[] = []
  readonly layouts: readonly RecordLayout[]
  private readonly algorithm: Algorithm
  readonly table = new WordTable((number) => this.include(number))
  private readonly words: Int32Array

  constructor(algorithm: Algorithm, members: number) {
    const { messages } = algorithm
    this.algorithm = algorithm
    this.layouts = messages.types.map(
      (type) => new RecordLayout(messages.variant(type), members, false),
    )
    this.words = new Int32Array(1 + Math.max(0, ...this.layouts.map(({ plain }) => plain.words)))
  }

  number(message: AnyMessage): number {
    this.words[0] = this.algorithm.messages.types.indexOf(message.type)
    const layout = this.layouts[this.words[0]]
    layout.plain.encode(message, this.words, 1)
    return this.table.add(this.words, 1 + layout.plain.words)
  }

  /** The message of this number. Its ids and counters are 0. */
  get(number: number): FieldValues {
    const { layout, type } = this.all[number]
    return { type, ...layout.unpackPlain(this.table.get(number), 1, 0) }
  }

  private include(number: number): void {
    const { messages, purposes } = this.algorithm
    const index = this.table.get(number)[0]
    const type = messages.types[index]
    this.all.push({ type, layout: this.layouts[index], periodic: type in purposes })
  }
}
