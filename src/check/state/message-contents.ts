/** Messages apart from the values of their ids and counters, each distinct one numbered. */
import type { Algorithm, AnyMessage } from '../../core/algorithm.ts'
import { Split, type Loose } from './split-record.ts'
import { WordTable } from '../tables/word-table.ts'

/** A numbered message: what the search reads on its hot path. */
export interface Letter {
  readonly type: string
  readonly split: Split
  /** How many ids and counters follow its number in a global state. */
  readonly ids: number
  readonly values: number
  /** Whether a `period` waits for it to arrive: it is a heartbeat or the answer to one. */
  readonly periodic: boolean
}

export class Letters {
  readonly all: Letter[] = []
  readonly splits: readonly Split[]
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
    this.splits = messages.types.map((type) => new Split(messages.variant(type), members, false))
    this.maxValues = Math.max(0, ...this.splits.map((split) => split.values))
    this.words = new Int32Array(1 + Math.max(0, ...this.splits.map(({ plain }) => plain.words)))
  }

  number(message: AnyMessage): number {
    const type = this.types.indexOf(message.type)
    const split = this.splits[type]
    const length = 1 + split.plain.words
    this.words[0] = length | (type << 8)
    split.packPlain(message, this.words, 1)
    const number = this.table.add(this.words, length)
    if (this.table.added) this.all.push(this.letter(message.type, split))
    return number
  }

  /** The message behind a number, with its ids and counters 0. */
  get(number: number): Loose {
    const { split, type } = this.all[number]
    this.table.read(number, this.words, 1 + split.plain.words)
    return { type, ...split.unpackPlain(this.words, 1, 0) }
  }

  private letter(type: string, split: Split): Letter {
    const { length: ids } = split.ids
    const periodic = type in this.algorithm.purposes
    return { type, split, ids, values: split.values, periodic }
  }
}
