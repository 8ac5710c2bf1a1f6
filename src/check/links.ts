/** What a link holds, numbered: the row of its messages, oldest first. 0: nothing. */
import type { Letters } from './letters.ts'
import { PairTable } from './pair-table.ts'
import { Parts, Role } from './parts.ts'
import type { Split } from './split.ts'

/** As many messages as a link can hold where nothing else is said. */
export const ROOM = 12

/** The words of one message: its letter, its ids, its counters. */
class Messages extends Parts {
  private readonly letters: Letters
  private readonly exact: boolean

  constructor(letters: Letters, exact: boolean) {
    super()
    this.letters = letters
    this.exact = exact
  }

  rolesOf({ ids, counters }: Split): number[] {
    return [
      Role.PLAIN,
      ...ids.map(() => (this.exact ? Role.PLAIN : Role.ID)),
      ...counters.map(({ orNone }) => (orNone ? Role.COUNTER_OR_NONE : Role.COUNTER)),
    ]
  }

  protected met(words: Int32Array): Uint8Array {
    return Uint8Array.from(this.rolesOf(this.letters.all[words[0]].split))
  }
}

export class Links extends Parts {
  readonly messages: Messages
  /** The numbers of the messages of each. */
  private readonly rows: (readonly number[])[] = []
  private readonly letters: Letters
  private readonly room: number
  private readonly longer = new PairTable()
  private readonly shorter = new PairTable()

  constructor(letters: Letters, room: number, exact: boolean) {
    super()
    this.letters = letters
    this.room = room
    this.messages = new Messages(letters, exact)
    this.numberOf([])
  }

  messagesOf(link: number): readonly number[] {
    return this.rows[link]
  }

  /** Whether a period waits for one of the messages. */
  isPeriodic(link: number): boolean {
    const { letters, messages } = this
    return this.rows[link].some((message) => letters.all[messages.all[message].words[0]].periodic)
  }

  /** A link that holds one message more; -1: there is no room. */
  with(link: number, message: number): number {
    const known = this.longer.get(link, message)
    if (known >= 0) return known
    const row = this.rows[link]
    if (row.length === this.room) return -1
    const longer = this.numberOf([...row, message])
    this.longer.set(link, message, longer)
    return longer
  }

  /** A link without the message at a place. */
  without(link: number, place: number): number {
    const known = this.shorter.get(link, place)
    if (known >= 0) return known
    const shorter = this.numberOf(this.rows[link].toSpliced(place, 1))
    this.shorter.set(link, place, shorter)
    return shorter
  }

  protected met(words: Int32Array): Uint8Array {
    const row: number[] = []
    const roles: number[] = []
    while (roles.length < words.length) {
      const at = roles.length
      const { split } = this.letters.all[words[at]]
      row.push(this.messages.number(words.subarray(at), 1 + split.values))
      roles.push(...this.messages.rolesOf(split))
    }
    this.rows.push(row)
    return Uint8Array.from(roles)
  }

  private numberOf(row: readonly number[]): number {
    const words = row.flatMap((message) => [...this.messages.all[message].words])
    return this.number(Int32Array.from(words), words.length)
  }
}
