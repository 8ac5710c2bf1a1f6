/**
 * Stores inboxes as numbered components (the messages in flight to a member, by sender, the oldest of each link
 * first), and adds and removes messages. Each distinct inbox has a number, the empty one 0; and so has each message.
 */
import type { NodeId } from '../../core/node-id.ts'
import { PairTable } from '../tables/pair-table.ts'
import { Components, recordRoles, Role } from './components.ts'
import type { MessageContents } from './message-contents.ts'

export const DEFAULT_LINK_CAPACITY = 12
/** Estimates: the entries of `senders` and `periodic` for an inbox, an entry of `taken`. */
const SENDERS_BYTES = 16
const TAKEN_BYTES = 40

/** Messages as components: a content, then the values of its ids and counters. */
class MessageComponents extends Components {
  private readonly contents: MessageContents
  private readonly exactIds: boolean

  constructor(contents: MessageContents, exactIds: boolean) {
    super()
    this.contents = contents
    this.exactIds = exactIds
  }

  rolesOf([content]: Int32Array): number[] {
    return recordRoles(this.contents.all[content].layout, this.exactIds)
  }

  protected added(): void {}
}

export interface InFlight {
  readonly from: NodeId
  readonly message: number
}

interface Taken {
  readonly message: number
  readonly rest: number
}

export class InboxComponents extends Components {
  readonly messages: MessageComponents
  /** For each inbox, bit j: it holds a message from member j; it holds one that a `period` waits for. */
  readonly senders: number[] = []
  readonly periodic: number[] = []
  private readonly contents: MessageContents
  private readonly linkCapacity: number
  private readonly withCache = new PairTable()
  private readonly takeCache = new PairTable()
  private readonly taken: Taken[] = []

  constructor(contents: MessageContents, linkCapacity: number, exactIds: boolean) {
    super()
    this.contents = contents
    this.linkCapacity = linkCapacity
    this.messages = new MessageComponents(contents, exactIds)
    this.numberOf([])
  }

  override get bytes(): number {
    const { senders, withCache, takeCache, taken } = this
    const arrays = senders.length * SENDERS_BYTES + taken.length * TAKEN_BYTES
    return super.bytes + withCache.bytes + takeCache.bytes + arrays
  }

  messagesIn(inbox: number): InFlight[] {
    const words = this.wordsOf(inbox)
    const messages: InFlight[] = []
    for (let at = 0; at < words.length; at = this.after(words, at)) {
      const length = this.after(words, at) - at - 1
      const message = this.messages.number(words.subarray(at + 1), length)
      messages.push({ from: words[at], message })
    }
    return messages
  }

  count(inbox: number, from: NodeId): number {
    const words = this.wordsOf(inbox)
    let count = 0
    for (let at = 0; at < words.length; at = this.after(words, at)) {
      if (words[at] === from) count += 1
    }
    return count
  }

  /** The inbox with one message more; 0: the link is full. */
  with(inbox: number, from: NodeId, message: number): number {
    const key = (message << 3) | from
    const known = this.withCache.get(inbox, key)
    if (known >= 0) return known
    const before = this.messagesIn(inbox)
    const place = before.filter((it) => it.from <= from).length
    const isFull = this.count(inbox, from) >= this.linkCapacity
    const after = isFull ? 0 : this.numberOf(before.toSpliced(place, 0, { from, message }))
    this.withCache.set(inbox, key, after)
    return after
  }

  take(inbox: number, from: NodeId, place: number): Taken {
    const key = (place << 3) | from
    const known = this.takeCache.get(inbox, key)
    if (known >= 0) return this.taken[known]
    const before = this.messagesIn(inbox)
    const at = before.findIndex((it) => it.from === from) + place
    const taken = { message: before[at].message, rest: this.numberOf(before.toSpliced(at, 1)) }
    this.takeCache.set(inbox, key, this.taken.push(taken) - 1)
    return taken
  }

  /** The inbox with these messages, which are ordered by sender. */
  numberOf(messages: readonly InFlight[]): number {
    const words = messages.flatMap((it) => [it.from, ...this.messages.wordsOf(it.message)])
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
      if (this.contents.all[words[at + 1]].periodic) periodic |= 1 << words[at]
    }
    this.senders.push(senders)
    this.periodic.push(periodic)
  }

  /** Where the next message begins: each is its sender, its content, its values. */
  private after(words: Int32Array, at: number): number {
    return at + 2 + this.contents.all[words[at + 1]].layout.values
  }
}
