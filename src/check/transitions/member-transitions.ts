/**
 * What comes of an event. A handler is run once for each case, that is, for all that it can tell apart:
 * the member's configuration, the event, who is reachable, and the ids and counters of member and message,
 * ids up to renaming and counters up to a shift (reactions.ts). Here a member becomes a case, and the
 * local is translated back into the ids and counters of that member. The transition is kept for each
 * member and event, so that on the hot path nothing is described and nothing translated.
 */
import { unreachable } from '../../core/assert.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { InboxComponents } from '../state/inbox-components.ts'
import type { MemberComponents } from '../state/member-components.ts'
import { PairTable } from '../tables/pair-table.ts'
import { FRESH_LABEL, NO_COUNTER } from '../state/components.ts'
import {
  EventKind,
  type LocalEvent,
  type LocalTransition,
  type TransitionCache,
} from './transition-cache.ts'
import type { RecordLayout } from '../state/record-layout.ts'

/** Words of a case's key before its ids and counters. */
const HEADER = 3
const MOST_VALUES = 64
const KINDS = Object.keys(EventKind) as LocalEvent['kind'][]

export interface MemberTransitionOptions {
  readonly members: MemberComponents
  readonly inboxes: InboxComponents
  readonly cache: TransitionCache
  readonly stride: number
  readonly exact: boolean
  /** Whether the last term in which a member led is remembered. */
  readonly tracksLastTermLed: boolean
}

export interface MemberTransition {
  readonly member: number
  /** Only to those who are reachable. */
  readonly sent: readonly { readonly to: NodeId; readonly message: number }[]
  /** How many new ids there are. */
  readonly fresh: number
  // As in the local.
  readonly timersSet: number
  readonly requested: number
  readonly termFell: boolean
  readonly idle: boolean
}

/** An event in one number. `detail`: the message, the timer, the number drawn. */
export function eventCode(kind: number, peer: NodeId, detail: number): number {
  return kind | (peer << 4) | (detail << 8)
}

const MOST_KNOWN = 2 ** 20

export class MemberTransitions {
  private readonly parts: MemberTransitionOptions
  private readonly layout: RecordLayout
  private readonly key = new Int32Array(MOST_VALUES)
  private readonly scratch = new Int32Array(MOST_VALUES)
  /** Which transition, by member and viewpoint, and event. */
  private readonly known = new PairTable()
  private readonly transitions: MemberTransition[] = []
  // Of the current case: its ids are 1..labels, what they stand for, by how much its counters are lowered.
  private labels = 0
  private readonly meant = new Int32Array(MOST_VALUES)
  private shift = 0
  /** The first label of those that are made. */
  private fresh = FRESH_LABEL

  constructor(parts: MemberTransitionOptions) {
    this.parts = parts
    this.layout = parts.cache.localStates.layout
  }

  /**
   * What comes of an event for a member. `reachable`: bit j says that member j is up and within reach; `fresh`:
   * the label that the next new id gets.
   */
  of(
    node: NodeId,
    member: number,
    reachable: number,
    event: number,
    fresh: number,
  ): MemberTransition {
    // Of more than a million different members the later ones are worked out each time.
    if (fresh !== FRESH_LABEL || member >= MOST_KNOWN) {
      return this.compute(node, member, reachable, event, fresh)
    }
    const who = (member << 11) | (reachable << 3) | node
    const known = this.known.get(who, event)
    if (known >= 0) return this.transitions[known]
    const transition = this.compute(node, member, reachable, event, fresh)
    this.known.set(who, event, this.transitions.push(transition) - 1)
    return transition
  }

  private compute(
    node: NodeId,
    member: number,
    reachable: number,
    event: number,
    fresh: number,
  ): MemberTransition {
    const { members, inboxes, tracksLastTermLed, cache } = this.parts
    this.fresh = fresh
    const local = this.localTransition(node, member, reachable, event)
    const { scratch, layout } = this
    scratch.set(members.wordsOf(member))
    scratch[0] = local.local
    let highest = this.translate(local.values, layout)
    if (tracksLastTermLed && local.leads) {
      scratch[1 + layout.values] = scratch[1 + layout.ids.length + cache.termIndex] + 1
    }
    const after = members.number(scratch, members.length)
    const sent = []
    for (const { to, content, values } of local.sent) {
      if (((reachable >>> to) & 1) === 0) continue
      const { layout: messageLayout } = cache.contents.all[content]
      scratch[0] = content
      highest = Math.max(highest, this.translate(values, messageLayout))
      sent.push({ to, message: inboxes.messages.number(scratch, 1 + messageLayout.values) })
    }
    const { timersSet, requested, termFell, idle } = local
    const made = Math.max(0, highest - this.labels)
    return { member: after, sent, fresh: made, timersSet, requested, termFell, idle }
  }

  private localTransition(
    node: NodeId,
    member: number,
    reachable: number,
    event: number,
  ): LocalTransition {
    const { key } = this
    const { members, inboxes, cache } = this.parts
    const words = members.wordsOf(member)
    const kind = event & 15
    const peer = (event >>> 4) & 15
    const message = kind === EventKind.message ? inboxes.messages.wordsOf(event >>> 8) : null
    const detail = message === null ? event >>> 8 : message[0]
    const length = this.describe(words, message)
    key[0] = length | (words[0] << 8)
    key[1] = eventCode(kind, peer, detail)
    key[2] = reachable | (node << 16)
    return (
      cache.find(key, length) ??
      cache.compute({
        me: node,
        event: eventOf(kind, peer, detail),
        local: words[0],
        reachable,
        values: key.slice(HEADER, length),
        labels: this.labels,
      })
    )
  }

  /** Writes the ids and counters of the case into the key, as the handler can tell them apart. */
  private describe(member: Int32Array, message: Int32Array | null): number {
    const { key, layout } = this
    const { cache, stride } = this.parts
    const sent = message === null ? null : cache.contents.all[message[0]].layout
    let least = leastOf(member, layout)
    if (message !== null) least = Math.min(least, leastOf(message, sent!))
    this.shift = least === NO_COUNTER ? 0 : least - (least % stride)
    this.labels = 0
    let end = this.describeIds(member, layout, HEADER)
    end = lower(member, layout, this.shift, key, end)
    if (message === null) return end
    end = this.describeIds(message, sent!, end)
    return lower(message, sent!, this.shift, key, end)
  }

  private describeIds(words: Int32Array, { ids }: RecordLayout, end: number): number {
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
  private translate(values: Int32Array, { ids, counters }: RecordLayout): number {
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
function leastOf(words: Int32Array, { ids, counters }: RecordLayout): number {
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
  { ids, counters }: RecordLayout,
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

function eventOf(code: number, peer: NodeId, detail: number): LocalEvent {
  const kind = KINDS[code]
  switch (kind) {
    case 'settled':
      return { kind, leader: peer }
    case 'message':
      return { kind, from: peer, content: detail }
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
