/**
 * Cases: what a handler can tell apart. A case is a member's configuration, an event, who is alive, and
 * the ids and counters of member and message, ids up to renaming and counters up to a shift. Here a
 * member of a global state becomes a case, and the case finds its reaction.
 *
 * Of the state that is being expanded each member is described once, and numbered; what happens to it
 * then is looked up by that number. Only where a step has changed something before is it described anew.
 */
import { unreachable } from '../core/assert.ts'
import type { NodeId } from '../core/node-id.ts'
import { lowered } from './codec.ts'
import type { FloorPlan } from './frame.ts'
import {
  EVENT_CODES,
  type Event,
  type EventKind,
  type Reaction,
  type Reactions,
} from './reactions.ts'
import type { Split } from './split.ts'
import { WordTable } from './word-table.ts'

/** Words of a case's key before its ids and counters. */
const HEADER = 3
const MOST_VALUES = 64
/** Events that are looked up in a row: answers by peer, time-outs by timer, then three more. */
const ROW = 36
const TIMEOUTS = 16
/** A counter that is none, as no difference can be. */
const NO_COUNTER = -(2 ** 30)

export interface CaseParts {
  readonly plan: FloorPlan
  readonly reactions: Reactions
  readonly stride: number
  readonly exact: boolean
  /** The state that is worked on, and the values of the message that is being handled. */
  readonly next: Int32Array
  readonly message: Int32Array
}

/** A member of the state that is being expanded. */
class Described {
  number = -1
  labels = 0
  least = 0
  alive = 0
  readonly meant = new Int32Array(MOST_VALUES)
}

export class Cases {
  /** Of the current case: its ids are 1..labels, what they stand for, by how much its counters are lowered. */
  labels = 0
  meant: Int32Array
  shift = 0
  private readonly own = new Int32Array(MOST_VALUES)
  private readonly key = new Int32Array(MOST_VALUES)
  private readonly parts: CaseParts
  private readonly member: Split
  private readonly described: Described[]
  private readonly bases = new WordTable()
  /** For each numbered member its reactions to events, a row each. */
  private readonly rows: (Reaction | undefined)[] = []
  private readonly deliveries = new WordTable()
  private readonly delivered: Reaction[] = []

  constructor(parts: CaseParts) {
    this.parts = parts
    this.meant = this.own
    this.member = parts.reactions.locals.split
    this.described = Array.from({ length: parts.plan.members + 1 }, () => new Described())
  }

  /** Another state is expanded. */
  begin(): void {
    for (let node = 1; node < this.described.length; node++) this.described[node].number = -1
  }

  /** The reaction of a member of the state that is being expanded, of which `next` is a copy. */
  first(
    node: NodeId,
    kind: EventKind,
    peer: NodeId,
    detail: number,
    aliveTo: (node: NodeId) => number,
  ): Reaction {
    const it = this.described[node]
    if (it.number < 0) this.number(it, node, aliveTo(node))
    if (kind === 'message') return this.delivery(it, node, peer, detail)
    const place = placeOf(kind, peer, detail)
    if (place < 0) return this.any(node, kind, peer, detail, it.alive)
    const known = this.rows[it.number * ROW + place]
    if (known === undefined) {
      const reaction = this.any(node, kind, peer, detail, it.alive)
      this.rows[it.number * ROW + place] = reaction
      return reaction
    }
    this.labels = it.labels
    this.meant = it.meant
    this.shift = this.shiftFor(it.least)
    return known
  }

  /** The reaction of a member of `next`, as it is there. */
  any(node: NodeId, kind: EventKind, peer: NodeId, detail: number, alive: number): Reaction {
    const { key } = this
    const { next, reactions } = this.parts
    const length = this.describe(node, kind === 'message' ? detail : -1)
    key[0] = length | (next[node] << 8)
    key[1] = EVENT_CODES[kind] | (peer << 4) | (detail << 9)
    key[2] = alive | (node << 16)
    return (
      reactions.recall(key, length) ??
      reactions.learn({
        me: node,
        event: eventOf(kind, peer, detail),
        local: next[node],
        alive,
        values: key.slice(HEADER, length),
        labels: this.labels,
      })
    )
  }

  private number(it: Described, node: NodeId, alive: number): void {
    const { key, member } = this
    const { next, plan } = this.parts
    const length = this.describe(node, -1)
    key[0] = length | (next[node] << 8)
    key[1] = 0
    key[2] = alive | (node << 16)
    it.number = this.bases.add(key, length)
    if (this.bases.added) for (let i = 0; i < ROW; i++) this.rows.push(undefined)
    it.labels = this.labels
    it.alive = alive
    for (let i = 1; i <= this.labels; i++) it.meant[i] = this.own[i]
    it.least = leastOf(next, plan.values(node) + member.ids.length, member)
  }

  private delivery(it: Described, node: NodeId, from: NodeId, letter: number): Reaction {
    const { key } = this
    const { message, reactions } = this.parts
    const { split } = reactions.letters.all[letter]
    const { counters } = split
    const ids = split.ids.length
    const mine = this.shiftFor(it.least)
    this.labels = it.labels
    this.meant = it.meant
    this.describeIds(message, 0, ids, 2)
    for (let i = 0; i < counters.length; i++) {
      const value = message[ids + i]
      key[2 + ids + i] = counters[i].orNone && value === 0 ? NO_COUNTER : value - mine
    }
    const length = 2 + ids + counters.length
    key[0] = length | (it.number << 8)
    key[1] = (letter << 4) | from
    const number = this.deliveries.add(key, length)
    if (this.deliveries.added) {
      const reaction = this.any(node, 'message', from, letter, it.alive)
      this.delivered.push(reaction)
      return reaction
    }
    this.shift = this.shiftFor(Math.min(it.least, leastOf(message, ids, split)))
    return this.delivered[number]
  }

  private shiftFor(least: number): number {
    return least === Infinity ? 0 : least - (least % this.parts.stride)
  }

  /** Writes the ids and counters of the case into the key, as the handler can tell them apart. */
  private describe(node: NodeId, letter: number): number {
    const { key, member } = this
    const { next, plan, message, reactions } = this.parts
    const at = plan.values(node)
    let least = leastOf(next, at + member.ids.length, member)
    this.labels = 0
    this.meant = this.own
    let end = this.describeIds(next, at, member.ids.length, HEADER)
    const counters = end
    end += member.counters.length
    let mine = end
    if (letter >= 0) {
      const { split } = reactions.letters.all[letter]
      least = Math.min(least, leastOf(message, split.ids.length, split))
      mine = this.describeIds(message, 0, split.ids.length, end)
      end = mine + split.counters.length
    }
    const shift = this.shiftFor(least)
    this.shift = shift
    lower(next, at + member.ids.length, member, shift, key, counters)
    if (letter >= 0) {
      const { split } = reactions.letters.all[letter]
      lower(message, split.ids.length, split, shift, key, mine)
    }
    return end
  }

  private describeIds(from: Int32Array, at: number, count: number, end: number): number {
    const { key, meant } = this
    for (let i = 0; i < count; i++) {
      const id = from[at + i]
      if (this.parts.exact || id === 0) key[end + i] = id
      else {
        let label = 1
        while (label <= this.labels && meant[label] !== id) label += 1
        if (label > this.labels) meant[++this.labels] = id
        key[end + i] = label
      }
    }
    return end + count
  }
}

function leastOf(from: Int32Array, at: number, { counters }: Split): number {
  let least = Infinity
  for (let i = 0; i < counters.length; i++) {
    const value = lowered(from[at + i], counters[i].orNone)
    if (value < least) least = value
  }
  return least
}

function lower(
  from: Int32Array,
  at: number,
  { counters }: Split,
  shift: number,
  into: Int32Array,
  end: number,
): void {
  for (let i = 0; i < counters.length; i++) {
    const value = from[at + i]
    into[end + i] = counters[i].orNone && value === 0 ? 0 : value - shift
  }
}

/** Where the reaction to an event is in a row; -1: nowhere. */
function placeOf(kind: EventKind, peer: NodeId, detail: number): number {
  if (kind === 'up') return peer
  if (kind === 'down') return 8 + peer
  if (kind === 'timeout') return detail < 16 ? TIMEOUTS + detail : -1
  if (kind === 'crash') return ROW - 4
  if (kind === 'recover') return ROW - 3
  if (kind === 'start') return ROW - 2
  return -1
}

function eventOf(kind: EventKind, peer: NodeId, detail: number): Event {
  switch (kind) {
    case 'settled':
      return { kind, leader: peer }
    case 'message':
      return { kind, from: peer, letter: detail }
    case 'timeout':
      return { kind, timer: detail }
    case 'drawn':
      return { kind, k: detail }
    case 'resign':
      return { kind, successor: peer }
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
