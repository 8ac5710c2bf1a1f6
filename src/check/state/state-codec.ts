/**
 * The canonical, packed form of a global state: ids relabelled in the order in which they are met,
 * counters shifted so that the least is 0, the numbers of its parts in as few bits as they need.
 *
 * A shift keeps what handlers can see, which is comparisons and differences: all counters of all
 * members and messages move together, by a multiple of the stride; the 0 that means none stays.
 */
import { BitFields } from '../tables/bit-fields.ts'
import type { VectorLayout } from './state-vector.ts'
import type { InboxComponents } from './inbox-components.ts'
import type { MemberComponents } from './member-components.ts'
import {
  Summary,
  SUMMARY_WORDS,
  FRESH_IN_SIGNATURE,
  FRESH_LABEL,
  ID_BITS,
  NO_COUNTER,
  type Components,
} from './components.ts'

/** As many bits a part's number has at first, at least. */
const LEAST_BITS = 4
const MOST_IDS = 2 * FRESH_LABEL

export interface CodecOptions {
  readonly vector: VectorLayout
  readonly members: MemberComponents
  readonly inboxes: InboxComponents
  /** Of the counters; 0: there are none. */
  readonly stride: number
  /** The largest budget. */
  readonly budget: number
}

export class StateCodec {
  /** The packed form. */
  readonly words: Int32Array
  /** How far the counters of the state that was packed last are spread, in strides. */
  spread = 0
  private readonly plan: VectorLayout
  private readonly members: MemberComponents
  private readonly inboxes: InboxComponents
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

  constructor({ vector, members, inboxes, stride, budget }: CodecOptions) {
    this.plan = vector
    this.members = members
    this.inboxes = inboxes
    this.stride = stride
    this.canon = new Int32Array(vector.size)
    this.words = new Int32Array(vector.size)
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
    if (this.stride > 0) from = this.withLeastCounters(from)
    if (!this.hasCanonicalIds(from)) from = this.withCanonicalIds(from)
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
  private withLeastCounters(w: Int32Array): Int32Array {
    const { canon, plan, members, inboxes, stride } = this
    const n = plan.members
    let least = NO_COUNTER
    let most = -1
    for (let node = 1; node <= n; node++) {
      const own = SUMMARY_WORDS * w[node]
      const sent = SUMMARY_WORDS * w[n + node]
      least = Math.min(
        least,
        members.summaries[own + Summary.MIN_COUNTER],
        inboxes.summaries[sent + Summary.MIN_COUNTER],
      )
      most = Math.max(
        most,
        members.summaries[own + Summary.MAX_COUNTER],
        inboxes.summaries[sent + Summary.MAX_COUNTER],
      )
    }
    const shift = most < 0 ? 0 : least - (least % stride)
    this.spread = most < 0 ? 0 : Math.floor((most - shift) / stride)
    if (shift === 0) return w
    canon[0] = w[0]
    for (let node = 1; node <= n; node++) {
      canon[node] = members.shifted(w[node], shift)
      canon[n + node] = inboxes.shifted(w[n + node], shift)
    }
    return canon
  }

  /** Whether the ids are 1, 2, … in the order in which they are met. */
  private hasCanonicalIds(w: Int32Array): boolean {
    const { members, inboxes } = this
    const n = this.plan.members
    let top = 0
    for (let node = 1; node <= n; node++) {
      const own = SUMMARY_WORDS * w[node]
      if (members.summaries[own + Summary.IDS_BEFORE] > top) return false
      top = Math.max(top, members.summaries[own + Summary.MAX_ID])
    }
    for (let node = 1; node <= n; node++) {
      const sent = SUMMARY_WORDS * w[n + node]
      if (inboxes.summaries[sent + Summary.IDS_BEFORE] > top) return false
      top = Math.max(top, inboxes.summaries[sent + Summary.MAX_ID])
    }
    return true
  }

  /** The same state with its ids relabelled. */
  private withCanonicalIds(w: Int32Array): Int32Array {
    const { canon, members, inboxes } = this
    const n = this.plan.members
    this.call += 1
    this.nextLabel = 1
    canon[0] = w[0]
    for (let node = 1; node <= n; node++) canon[node] = this.relabel(members, w[node])
    for (let node = 1; node <= n; node++) canon[n + node] = this.relabel(inboxes, w[n + node])
    return canon
  }

  private relabel(parts: Components, number: number): number {
    const before = parts.summaries[SUMMARY_WORDS * number + Summary.SIGNATURE]
    if (before === 0) return number
    if (before < 0) {
      for (const id of parts.idsOf(number)) this.labelOf(id)
      return parts.withIds(number, this.labels, -1)
    }
    let after = 0
    for (let rest = before, at = 0; rest !== 0; rest >>>= ID_BITS, at += ID_BITS) {
      const place = rest & (2 * FRESH_IN_SIGNATURE - 1)
      const fresh = place >= FRESH_IN_SIGNATURE
      after |= this.labelOf(fresh ? place - FRESH_IN_SIGNATURE + FRESH_LABEL : place) << at
    }
    if (this.nextLabel > FRESH_IN_SIGNATURE) return parts.withIds(number, this.labels, -1)
    return after === before ? number : parts.withIds(number, this.labels, after)
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
