/**
 * The canonical, packed form of a global state: ids relabelled in the order in which they are met,
 * counters shifted so that the least is 0, the numbers of its parts in as few bits as they need.
 *
 * A shift keeps what handlers can see, which is comparisons and differences: all counters of all
 * members and messages move together, by a multiple of the stride; the 0 that means none stays.
 */
import { BitFields } from '../tables/bit-fields.ts'
import type { FloorPlan } from './state-vector.ts'
import type { Inboxes } from './inbox-components.ts'
import type { Members } from './member-components.ts'
import {
  Fact,
  FACTS,
  FRESH_IN_SIGNATURE,
  FRESH_LABEL,
  ID_BITS,
  NO_COUNTER,
  type Parts,
} from './components.ts'

/** As many bits a part's number has at first, at least. */
const LEAST_BITS = 4
const MOST_IDS = 2 * FRESH_LABEL

export interface CodecParts {
  readonly plan: FloorPlan
  readonly members: Members
  readonly inboxes: Inboxes
  /** Of the counters; 0: there are none. */
  readonly stride: number
  /** The largest budget. */
  readonly budget: number
}

export class Codec {
  /** The packed form. */
  readonly words: Int32Array
  /** How far the counters of the state that was packed last are spread, in strides. */
  spread = 0
  private readonly plan: FloorPlan
  private readonly members: Members
  private readonly inboxes: Inboxes
  private readonly stride: number
  /** The canonical form of what is being packed. */
  private readonly canon: Int32Array
  /** Which label an id was given in which call. */
  private readonly labels = new Int32Array(MOST_IDS)
  private readonly givenIn = new Int32Array(MOST_IDS)
  private call = 0
  private nextLabel = 1
  private readonly budgetBits: number
  private fields: BitFields
  /** There are fields for as many members and inboxes. */
  private mostMembers = 0
  private mostInboxes = 0

  constructor({ plan, members, inboxes, stride, budget }: CodecParts) {
    this.plan = plan
    this.members = members
    this.inboxes = inboxes
    this.stride = stride
    this.canon = new Int32Array(plan.size)
    this.words = new Int32Array(plan.size)
    this.budgetBits = bitsOf(budget)
    this.fields = this.fieldsFor(LEAST_BITS, LEAST_BITS)
  }

  /** How many words a packed state takes. */
  get length(): number {
    return this.fields.words
  }

  /** Packs into `words`. Returns false where the fields are too narrow: `widen` them, and pack again. */
  pack(w: Int32Array): boolean {
    let from = w
    if (this.stride > 0) from = this.lowered(from)
    if (!this.isLabelled(from)) from = this.relabelled(from)
    this.fields.put(from, this.words)
    return this.members.size <= this.mostMembers && this.inboxes.size <= this.mostInboxes
  }

  /** Unpacks `words`. */
  unpack(w: Int32Array): void {
    this.fields.take(this.words, w)
  }

  /** Makes room for the parts that there are, and more. Returns how a state in `words` is packed anew. */
  widen(): () => void {
    const { canon, words, members, inboxes } = this
    const before = this.fields
    const after = this.fieldsFor(bitsOf(members.size), bitsOf(inboxes.size))
    this.fields = after
    return () => {
      before.take(words, canon)
      after.put(canon, words)
    }
  }

  /** Fields of at least so many bits: what the last word has left is shared among them. */
  private fieldsFor(memberBits: number, inboxBits: number): BitFields {
    const n = this.plan.members
    const needed = this.budgetBits + n * (memberBits + inboxBits)
    const spare = Math.floor((32 * Math.ceil(needed / 32) - needed) / n)
    const ownBits = memberBits + (spare >>> 1)
    const sentBits = inboxBits + spare - (spare >>> 1)
    this.mostMembers = 2 ** ownBits
    this.mostInboxes = 2 ** sentBits
    const row = (bits: number): number[] => Array.from({ length: n }, () => bits)
    return new BitFields([this.budgetBits, ...row(ownBits), ...row(sentBits)])
  }

  /** The same state with all counters lowered together. */
  private lowered(w: Int32Array): Int32Array {
    const { canon, plan, members, inboxes, stride } = this
    const n = plan.members
    let least = NO_COUNTER
    let most = -1
    for (let node = 1; node <= n; node++) {
      const own = FACTS * w[node]
      const sent = FACTS * w[n + node]
      least = Math.min(least, members.facts[own + Fact.LEAST], inboxes.facts[sent + Fact.LEAST])
      most = Math.max(most, members.facts[own + Fact.MOST], inboxes.facts[sent + Fact.MOST])
    }
    const shift = most < 0 ? 0 : least - (least % stride)
    this.spread = most < 0 ? 0 : Math.floor((most - shift) / stride)
    if (shift === 0) return w
    canon[0] = w[0]
    for (let node = 1; node <= n; node++) {
      canon[node] = members.lowered(w[node], shift)
      canon[n + node] = inboxes.lowered(w[n + node], shift)
    }
    return canon
  }

  /** Whether the ids are 1, 2, … in the order in which they are met. */
  private isLabelled(w: Int32Array): boolean {
    const { members, inboxes } = this
    const n = this.plan.members
    let top = 0
    for (let node = 1; node <= n; node++) {
      const own = FACTS * w[node]
      if (members.facts[own + Fact.FLOOR] > top) return false
      top = Math.max(top, members.facts[own + Fact.TOP])
    }
    for (let node = 1; node <= n; node++) {
      const sent = FACTS * w[n + node]
      if (inboxes.facts[sent + Fact.FLOOR] > top) return false
      top = Math.max(top, inboxes.facts[sent + Fact.TOP])
    }
    return true
  }

  /** The same state with its ids relabelled. */
  private relabelled(w: Int32Array): Int32Array {
    const { canon, members, inboxes } = this
    const n = this.plan.members
    this.call += 1
    this.nextLabel = 1
    canon[0] = w[0]
    for (let node = 1; node <= n; node++) canon[node] = this.relabel(members, w[node])
    for (let node = 1; node <= n; node++) canon[n + node] = this.relabel(inboxes, w[n + node])
    return canon
  }

  private relabel(parts: Parts, number: number): number {
    const before = parts.facts[FACTS * number + Fact.SIGNATURE]
    if (before === 0) return number
    if (before < 0) {
      for (const id of parts.idsOf(number)) this.labelOf(id)
      return parts.renamed(number, this.labels, -1)
    }
    let after = 0
    for (let rest = before, at = 0; rest !== 0; rest >>>= ID_BITS, at += ID_BITS) {
      const place = rest & (2 * FRESH_IN_SIGNATURE - 1)
      const fresh = place >= FRESH_IN_SIGNATURE
      after |= this.labelOf(fresh ? place - FRESH_IN_SIGNATURE + FRESH_LABEL : place) << at
    }
    if (this.nextLabel > FRESH_IN_SIGNATURE) return parts.renamed(number, this.labels, -1)
    return after === before ? number : parts.renamed(number, this.labels, after)
  }

  private labelOf(id: number): number {
    if (this.givenIn[id] !== this.call) {
      this.givenIn[id] = this.call
      this.labels[id] = this.nextLabel++
    }
    return this.labels[id]
  }
}

function bitsOf(largest: number): number {
  return 32 - Math.clz32(largest)
}
