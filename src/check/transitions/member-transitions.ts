/**
 * Computes and caches what an event does to a member component, by translating to and from the pairs of the transition
 * cache. The member and the message become a pair of local state and event, with ids renamed and counters shifted; the
 * transition cache knows what the pair leads to; and the result is translated back. The translation is cached for each
 * member component and event, so the hot path is one lookup.
 */
import type { NodeId } from '../../core/node-id.ts'
import { FIRST_NEW_ID, NO_COUNTER } from '../state/components.ts'
import type { RecordLayout } from '../state/record-layout.ts'
import { PairTable } from '../tables/pair-table.ts'
import { decodeEvent, encodeEvent, kindOf, type MemberEvent } from './events.ts'
import type { Model } from './model.ts'
import type { LocalTransition } from './transition-cache.ts'

const HEADER = 3
const MAX_VALUES = 64
const MAX_CACHED_MEMBERS = 2 ** 20

export interface MemberTransition extends Pick<
  LocalTransition,
  'timersSet' | 'requested' | 'termFell' | 'idle'
> {
  readonly member: number
  /** Messages to members that are reachable. */
  readonly sent: readonly { readonly to: NodeId; readonly message: number }[]
  readonly createdIds: number
  /** The member begins to lead in a term in which it has led before. */
  readonly leadsAgain: boolean
}

export class MemberTransitions {
  private readonly model: Model
  private readonly layout: RecordLayout
  private readonly exactIds: boolean
  private readonly key = new Int32Array(MAX_VALUES)
  private readonly scratch = new Int32Array(MAX_VALUES)
  private readonly known = new PairTable()
  private readonly transitions: MemberTransition[] = []
  // Of the current pair: its ids are 1 to maxId; the ids that they stand for; by how much its counters are lowered.
  private maxId = 0
  private readonly ids = new Int32Array(MAX_VALUES)
  private shift = 0
  private newId = FIRST_NEW_ID

  constructor(model: Model) {
    this.model = model
    this.layout = model.localStates.layout
    this.exactIds = model.exactIds
  }

  /** `reachable`: bit j says that member j is up and not cut off. `newId`: the first id that the step may create. */
  of(
    node: NodeId,
    member: number,
    reachable: number,
    event: number,
    newId = FIRST_NEW_ID,
  ): MemberTransition {
    this.newId = newId
    if (newId !== FIRST_NEW_ID || member >= MAX_CACHED_MEMBERS) {
      return this.compute(node, member, reachable, event)
    }
    const who = (member << 11) | (reachable << 3) | node
    const known = this.known.get(who, event)
    if (known >= 0) return this.transitions[known]
    const transition = this.compute(node, member, reachable, event)
    this.known.set(who, event, this.transitions.push(transition) - 1)
    return transition
  }

  private compute(
    node: NodeId,
    member: number,
    reachable: number,
    event: number,
  ): MemberTransition {
    const { members, inboxes, contents, history } = this.model
    const { scratch, layout } = this
    const local = this.lookUp(node, member, reachable, event)
    scratch.set(members.wordsOf(member))
    scratch[0] = local.local
    let maxId = this.translate(local.values, layout)
    let leadsAgain = false
    if (history.lastTermLed && local.leads) {
      const term = scratch[1 + layout.ids.length + layout.indexOf('term')]
      leadsAgain = local.beginsToLead && scratch[1 + layout.values] === term + 1
      scratch[1 + layout.values] = term + 1
    }
    const after = members.number(scratch, members.length)
    const sent = []
    for (const { to, content, values } of local.sent) {
      if (((reachable >>> to) & 1) === 0) continue
      const { layout: messageLayout } = contents.all[content]
      scratch[0] = content
      maxId = Math.max(maxId, this.translate(values, messageLayout))
      sent.push({ to, message: inboxes.messages.number(scratch, 1 + messageLayout.values) })
    }
    const { timersSet, requested, termFell, idle } = local
    const createdIds = Math.max(0, maxId - this.maxId)
    return { member: after, sent, createdIds, timersSet, requested, termFell, leadsAgain, idle }
  }

  private lookUp(node: NodeId, member: number, reachable: number, code: number): LocalTransition {
    const { key } = this
    const { members, inboxes, cache } = this.model
    const words = members.wordsOf(member)
    const event = decodeEvent(code)
    const message = event.kind === 'message' ? inboxes.messages.wordsOf(event.detail) : null
    const length = this.describe(words, message)
    const detail = message === null ? this.detailOf(event) : message[0]
    key[0] = words[0]
    key[1] = encodeEvent(kindOf(code), event.peer, detail)
    key[2] = reachable | (node << 16)
    return (
      cache.find(key, length) ??
      cache.add({
        me: node,
        event: { ...event, detail },
        local: words[0],
        reachable,
        values: key.slice(HEADER, length),
        maxId: this.maxId,
      })
    )
  }

  /** The incarnation of a proof is renamed as the member's ids are; 0 if the member does not know it. */
  private detailOf({ kind, detail }: MemberEvent): number {
    if (kind !== 'dead' || this.exactIds || detail === 0) return detail
    return Math.max(0, this.ids.subarray(1, this.maxId + 1).indexOf(detail) + 1)
  }

  /** Writes ids and counters into the key, as far as a handler can tell them apart. Returns its length. */
  private describe(member: Int32Array, message: Int32Array | null): number {
    const { layout, model } = this
    const messageLayout = message === null ? null : model.contents.all[message[0]].layout
    let min = minCounter(member, layout)
    if (message !== null) min = Math.min(min, minCounter(message, messageLayout!))
    this.shift = min === NO_COUNTER ? 0 : min - (min % model.stride)
    this.maxId = 0
    const end = this.describeRecord(member, layout, HEADER)
    return message === null ? end : this.describeRecord(message, messageLayout!, end)
  }

  private describeRecord(words: Int32Array, { ids, counters }: RecordLayout, at: number): number {
    const { key, shift } = this
    for (let i = 0; i < ids.length; i++) key[at + i] = this.renamed(words[1 + i])
    for (let i = ids.length; i < ids.length + counters.length; i++) {
      const value = words[1 + i]
      key[at + i] = counters[i - ids.length].orNone && value === 0 ? 0 : value - shift
    }
    return at + ids.length + counters.length
  }

  private renamed(id: number): number {
    if (this.exactIds || id === 0) return id
    for (let known = 1; known <= this.maxId; known++) if (this.ids[known] === id) return known
    this.ids[++this.maxId] = id
    return this.maxId
  }

  /** Writes ids and counters of the pair into the scratch as those of the member; returns the largest id. */
  private translate(values: Int32Array, { ids, counters }: RecordLayout): number {
    const { scratch, shift, newId } = this
    let maxId = 0
    for (let i = 0; i < ids.length; i++) {
      const id = values[i]
      if (this.exactIds || id === 0) scratch[1 + i] = id
      else {
        scratch[1 + i] = id <= this.maxId ? this.ids[id] : newId + id - this.maxId - 1
        if (id > maxId) maxId = id
      }
    }
    for (let i = 0; i < counters.length; i++) {
      const value = values[ids.length + i]
      scratch[1 + ids.length + i] = counters[i].orNone && value === 0 ? 0 : value + shift
    }
    return maxId
  }
}

/** By how much the counters of a component can be lowered. */
function minCounter(words: Int32Array, { ids, counters }: RecordLayout): number {
  let min = NO_COUNTER
  for (let i = 0; i < counters.length; i++) {
    const value = words[1 + ids.length + i]
    const { orNone } = counters[i]
    // A counter that is not none must stay above 0, which means none.
    if (!orNone || value !== 0) min = Math.min(min, orNone ? value - 1 : value)
  }
  return min
}
