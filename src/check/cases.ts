/**
 * What comes of an event. A handler is run once for each case, that is, for all that it can tell apart:
 * the member's configuration, the event, who is alive, and the ids and counters of member and message,
 * ids up to renaming and counters up to a shift (reactions.ts). Here a member becomes a case, and the
 * reaction is translated back into the ids and counters of that member. The outcome is kept for each
 * member and event, so that on the hot path nothing is described and nothing translated.
 */
import { unreachable } from '../core/assert.ts'
import type { NodeId } from '../core/node-id.ts'
import { FRESH_LABEL } from './codec.ts'
import type { Links } from './links.ts'
import type { Members } from './members.ts'
import { PairTable } from './pair-table.ts'
import { NO_COUNTER } from './parts.ts'
import { Kind, type Event, type Reaction, type Reactions } from './reactions.ts'
import type { Split } from './split.ts'

/** Words of a case's key before its ids and counters. */
const HEADER = 3
const MOST_VALUES = 64
const NO_MESSAGE = new Int32Array(1)
const KINDS = Object.keys(Kind) as Event['kind'][]

export interface CaseParts {
  readonly members: Members
  readonly links: Links
  readonly reactions: Reactions
  readonly stride: number
  readonly exact: boolean
  /** Whether the last term in which a member led is remembered. */
  readonly ghost: boolean
}

/** What happens to whom. */
export interface Happening {
  node: NodeId
  member: number
  /** Bit j: member j is up and within reach. */
  alive: number
  kind: number
  peer: NodeId
  /** The message, the timer, the number drawn. */
  detail: number
}

export interface Outcome {
  readonly member: number
  /** Only to those who are alive. */
  readonly sendings: readonly { readonly to: NodeId; readonly message: number }[]
  /** How many new ids there are. */
  readonly fresh: number
  readonly reaction: Reaction
}

export class Cases {
  private readonly parts: CaseParts
  private readonly split: Split
  private readonly key = new Int32Array(MOST_VALUES)
  private readonly scratch = new Int32Array(MOST_VALUES)
  /** Members by who is alive to them, and the outcome of each event for each of these. */
  private readonly rows = new PairTable()
  private rowCount = 0
  private readonly places = new PairTable()
  private readonly outcomes: Outcome[] = []
  // Of the current case: its ids are 1..labels, what they stand for, by how much its counters are lowered.
  private labels = 0
  private readonly meant = new Int32Array(MOST_VALUES)
  private shift = 0
  /** The first label of those that are made. */
  private fresh = FRESH_LABEL

  constructor(parts: CaseParts) {
    this.parts = parts
    this.split = parts.reactions.locals.split
  }

  /** `fresh`: the label that the next new id gets. */
  outcome(the: Happening, fresh: number): Outcome {
    if (fresh !== FRESH_LABEL) return this.work(the, fresh)
    const viewpoint = (the.alive << 3) | the.node
    let row = this.rows.get(the.member, viewpoint)
    if (row < 0) {
      row = this.rowCount++
      this.rows.set(the.member, viewpoint, row)
    }
    const event = the.kind | (the.peer << 4) | (the.detail << 8)
    const known = this.places.get(row, event)
    if (known >= 0) return this.outcomes[known]
    const outcome = this.work(the, fresh)
    this.places.set(row, event, this.outcomes.push(outcome) - 1)
    return outcome
  }

  private work(the: Happening, fresh: number): Outcome {
    const { members, links, ghost } = this.parts
    this.fresh = fresh
    const reaction = this.reactionTo(the)
    const { scratch, split } = this
    scratch.set(members.all[the.member].words)
    scratch[0] = reaction.local
    let highest = this.translate(reaction.values, split)
    if (ghost && reaction.leads) {
      const term = scratch[1 + split.ids.length + this.parts.reactions.termIndex]
      scratch[1 + split.values] = term + 1
    }
    const member = members.number(scratch, members.length)
    const sendings = []
    for (const { to, letter, values } of reaction.sendings) {
      if (((the.alive >>> to) & 1) === 0) continue
      const { split: sent } = this.parts.reactions.letters.all[letter]
      scratch[0] = letter
      highest = Math.max(highest, this.translate(values, sent))
      sendings.push({ to, message: links.messages.number(scratch, 1 + sent.values) })
    }
    return { member, sendings, fresh: Math.max(0, highest - this.labels), reaction }
  }

  private reactionTo(the: Happening): Reaction {
    const { key } = this
    const { members, links, reactions } = this.parts
    const { words } = members.all[the.member]
    const handles = the.kind === Kind.message
    const message = handles ? links.messages.all[the.detail].words : NO_MESSAGE
    const length = this.describe(words, message, handles ? message[0] : -1)
    const detail = handles ? message[0] : the.detail
    key[0] = length | (words[0] << 8)
    key[1] = the.kind | (the.peer << 4) | (detail << 9)
    key[2] = the.alive | (the.node << 16)
    return (
      reactions.recall(key, length) ??
      reactions.learn({
        me: the.node,
        event: eventOf(the.kind, the.peer, detail),
        local: words[0],
        alive: the.alive,
        values: key.slice(HEADER, length),
        labels: this.labels,
      })
    )
  }

  /** Writes the ids and counters of the case into the key, as the handler can tell them apart. */
  private describe(member: Int32Array, message: Int32Array, letter: number): number {
    const { key, split } = this
    const { reactions, stride } = this.parts
    const sent = letter < 0 ? null : reactions.letters.all[letter].split
    let least = leastOf(member, split)
    if (sent !== null) least = Math.min(least, leastOf(message, sent))
    this.shift = least === NO_COUNTER ? 0 : least - (least % stride)
    this.labels = 0
    let end = this.describeIds(member, split, HEADER)
    end = lower(member, split, this.shift, key, end)
    if (sent === null) return end
    end = this.describeIds(message, sent, end)
    return lower(message, sent, this.shift, key, end)
  }

  private describeIds(words: Int32Array, { ids }: Split, end: number): number {
    const { key, meant } = this
    for (let i = 0; i < ids.length; i++) {
      const id = words[1 + i]
      if (this.parts.exact || id === 0) key[end + i] = id
      else {
        let label = 1
        while (label <= this.labels && meant[label] !== id) label += 1
        if (label > this.labels) meant[++this.labels] = id
        key[end + i] = label
      }
    }
    return end + ids.length
  }

  /** Translates ids and counters of the case back, into the scratch; returns the largest label of the case. */
  private translate(values: Int32Array, { ids, counters }: Split): number {
    const { scratch, labels, meant, shift, fresh } = this
    let highest = 0
    for (let i = 0; i < ids.length; i++) {
      const label = values[i]
      if (this.parts.exact || label === 0) scratch[1 + i] = label
      else {
        scratch[1 + i] = label <= labels ? meant[label] : fresh + label - labels - 1
        if (label > highest) highest = label
      }
    }
    for (let i = 0; i < counters.length; i++) {
      const value = values[ids.length + i]
      scratch[1 + ids.length + i] = counters[i].orNone && value === 0 ? 0 : value + shift
    }
    return highest
  }
}

/** By how much the counters can be lowered: one that is not none must not become it. */
function leastOf(words: Int32Array, { ids, counters }: Split): number {
  let least = NO_COUNTER
  for (let i = 0; i < counters.length; i++) {
    const value = words[1 + ids.length + i]
    const { orNone } = counters[i]
    if (!orNone || value !== 0) least = Math.min(least, orNone ? value - 1 : value)
  }
  return least
}

function lower(
  words: Int32Array,
  { ids, counters }: Split,
  shift: number,
  into: Int32Array,
  end: number,
): number {
  for (let i = 0; i < counters.length; i++) {
    const value = words[1 + ids.length + i]
    into[end + i] = counters[i].orNone && value === 0 ? 0 : value - shift
  }
  return end + counters.length
}

function eventOf(code: number, peer: NodeId, detail: number): Event {
  const kind = KINDS[code]
  switch (kind) {
    case 'settled':
      return { kind, leader: peer }
    case 'message':
      return { kind, from: peer, letter: detail }
    case 'timeout':
      return { kind, timer: detail }
    case 'drawn':
      return { kind, k: detail }
    case 'up':
    case 'down':
    case 'peerDown':
    case 'peerUp':
    case 'peerStarted':
      return { kind, peer }
    case 'start':
    case 'crash':
    case 'recover':
      return { kind }
    default:
      return unreachable(kind)
  }
}
