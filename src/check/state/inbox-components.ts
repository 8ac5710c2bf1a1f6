/** What is under way to a member, numbered: the messages of each link to it, oldest first. 0: nothing. */
import type { NodeId } from '../../core/node-id.ts'
import type { MessageContents } from './message-contents.ts'
import { PairTable } from '../tables/pair-table.ts'
import { Components, Role } from './components.ts'

/** As many messages as a link can hold where nothing else is said. */
export const DEFAULT_LINK_CAPACITY = 12
/** What entries of `senders` and `periodic`, and one of `taken` take, more or less. */
const SENDERS_BYTES = 16
const TAKEN_BYTES = 40

/** Messages with the values of their ids and counters: a letter, ids, counters. */
class MessageComponents extends Components {
  private readonly messageContents: MessageContents
  private readonly exact: boolean

  constructor(letters: MessageContents, exact: boolean) {
    super()
    this.messageContents = letters
    this.exact = exact
  }

  rolesOf([letter]: Int32Array): number[] {
    const { ids, counters } = this.messageContents.all[letter].layout
    return [
      Role.PLAIN,
      ...ids.map(() => (this.exact ? Role.PLAIN : Role.ID)),
      ...counters.map(({ orNone }) => (orNone ? Role.COUNTER_OR_NONE : Role.COUNTER)),
    ]
  }

  protected added(): void {}
}

export interface InFlight {
  readonly from: NodeId
  readonly message: number
}

/** A message that is taken out, and what is left. */
interface Taken {
  readonly message: number
  readonly rest: number
}

export class InboxComponents extends Components {
  readonly messages: MessageComponents
  /** For each, bit j: something from member j is in it; a period waits for something from it to arrive. */
  readonly senders: number[] = []
  readonly periodic: number[] = []
  private readonly messageContents: MessageContents
  private readonly linkCapacity: number
  private readonly withCache = new PairTable()
  private readonly takeCache = new PairTable()
  private readonly taken: Taken[] = []

  constructor(letters: MessageContents, room: number, exact: boolean) {
    super()
    this.messageContents = letters
    this.linkCapacity = room
    this.messages = new MessageComponents(letters, exact)
    this.numberOf([])
  }

  override get bytes(): number {
    const { senders, withCache, takeCache, taken } = this
    const kept = senders.length * SENDERS_BYTES + taken.length * TAKEN_BYTES
    return super.bytes + withCache.bytes + takeCache.bytes + kept
  }

  /** The messages, by sender. */
  contents(inbox: number): InFlight[] {
    const words = this.wordsOf(inbox)
    const contents: InFlight[] = []
    for (let at = 0; at < words.length; at = this.after(words, at)) {
      const length = this.after(words, at) - at - 1
      const message = this.messages.number(words.subarray(at + 1), length)
      contents.push({ from: words[at], message })
    }
    return contents
  }

  /** How many messages of a sender there are. */
  count(inbox: number, from: NodeId): number {
    const words = this.wordsOf(inbox)
    let count = 0
    for (let at = 0; at < words.length; at = this.after(words, at)) {
      if (words[at] === from) count += 1
    }
    return count
  }

  /** With one message more; 0: the link has no room for it. */
  with(inbox: number, from: NodeId, message: number): number {
    const key = (message << 3) | from
    const known = this.withCache.get(inbox, key)
    if (known >= 0) return known
    const before = this.contents(inbox)
    const place = before.filter((it) => it.from <= from).length
    const hasRoom = this.count(inbox, from) < this.linkCapacity
    const fuller = hasRoom ? this.numberOf(before.toSpliced(place, 0, { from, message })) : 0
    this.withCache.set(inbox, key, fuller)
    return fuller
  }

  /** Takes out the message at a place of a sender's link. */
  take(inbox: number, from: NodeId, place: number): Taken {
    const key = (place << 3) | from
    const known = this.takeCache.get(inbox, key)
    if (known >= 0) return this.taken[known]
    const before = this.contents(inbox)
    const at = before.findIndex((it) => it.from === from) + place
    const taken = { message: before[at].message, rest: this.numberOf(before.toSpliced(at, 1)) }
    this.takeCache.set(inbox, key, this.taken.push(taken) - 1)
    return taken
  }

  /** The number of what is under way, by sender. */
  numberOf(contents: readonly InFlight[]): number {
    const words = contents.flatMap((it) => [it.from, ...this.messages.wordsOf(it.message)])
    return this.number(Int32Array.from(words), words.length)
  }

  protected rolesOf(words: Int32Array): number[] {
    const roles: number[] = []
    while (roles.length < words.length) {
      roles.push(Role.PLAIN, ...this.messages.rolesOf(words.subarray(roles.length + 1)))
    }
    return roles
  }

  protected added(words: Int32Array): void {
    let senders = 0
    let periodic = 0
    for (let at = 0; at < words.length; at = this.after(words, at)) {
      senders |= 1 << words[at]
      if (this.messageContents.all[words[at + 1]].periodic) periodic |= 1 << words[at]
    }
    this.senders.push(senders)
    this.periodic.push(periodic)
  }

  /** Where the next message is: each is its sender, its letter, its values. */
  private after(words: Int32Array, at: number): number {
    return at + 2 + this.messageContents.all[words[at + 1]].values
  }
}
