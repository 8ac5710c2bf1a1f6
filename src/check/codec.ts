/**
 * The canonical, packed form of a global state: ids relabelled in the order in which they are met,
 * counters shifted so that the least is 0, the numbers of its parts in as few bytes as they need, in
 * 32-bit words.
 *
 * A shift keeps what handlers can see, which is comparisons and differences: all counters of all
 * members and messages move together, by a multiple of the stride; the 0 that means none stays.
 */
import { assert } from '../core/assert.ts'
import type { FloorPlan } from './frame.ts'
import type { Inboxes } from './inboxes.ts'
import type { Members } from './members.ts'
import { Fact, FACTS, NO_COUNTER } from './parts.ts'

const MAX_WORDS = 255
/** An id that is new has a label from here on until the state is packed. */
export const FRESH_LABEL = 2 ** 12
const MOST_LABELS = 2 ** 13

export interface CodecParts {
  readonly plan: FloorPlan
  readonly members: Members
  readonly inboxes: Inboxes
  /** Of the counters; 0: there are none. */
  readonly stride: number
}

export class Codec {
  readonly words = new Int32Array(MAX_WORDS + 1)
  /** How far the counters of the state that was packed last are spread, in strides. */
  spread = 0
  private readonly bytes = new Uint8Array(this.words.buffer)
  private readonly plan: FloorPlan
  private readonly members: Members
  private readonly inboxes: Inboxes
  private readonly stride: number
  /** The canonical form of what is being packed. */
  private readonly canon: Int32Array
  /** Which label an id was given in which call. */
  private readonly labels = new Int32Array(MOST_LABELS)
  private readonly givenIn = new Int32Array(MOST_LABELS)
  private call = 0
  private at = 0

  constructor({ plan, members, inboxes, stride }: CodecParts) {
    this.plan = plan
    this.members = members
    this.inboxes = inboxes
    this.stride = stride
    this.canon = new Int32Array(plan.size)
  }

  /** Packs into `words`; returns how many. */
  pack(w: Int32Array): number {
    const { bytes, plan } = this
    let from = w
    if (this.stride > 0) from = this.lowered(from)
    if (!this.isLabelled(from)) from = this.relabelled(from)
    let at = 1
    for (let i = 0; i < plan.size; i++) at = put(bytes, at, from[i])
    while ((at & 3) !== 0) bytes[at++] = 0
    const length = at >>> 2
    assert(length <= MAX_WORDS, 'a packed state has at most 255 words')
    bytes[0] = length
    return length
  }

  /** Unpacks `words`. */
  unpack(w: Int32Array): void {
    this.at = 1
    for (let i = 0; i < w.length; i++) w[i] = this.take()
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
    const { canon, members, inboxes, labels } = this
    const n = this.plan.members
    this.call += 1
    let next = 1
    canon[0] = w[0]
    for (let node = 1; node <= n; node++) {
      next = this.label(members.all[w[node]].ids, next)
      canon[node] = members.renamed(w[node], labels)
    }
    for (let node = 1; node <= n; node++) {
      next = this.label(inboxes.all[w[n + node]].ids, next)
      canon[n + node] = inboxes.renamed(w[n + node], labels)
    }
    return canon
  }

  /** Gives labels to ids that have none yet. */
  private label(ids: Int32Array, next: number): number {
    const { labels, givenIn, call } = this
    let label = next
    for (let i = 0; i < ids.length; i++) {
      if (givenIn[ids[i]] === call) continue
      givenIn[ids[i]] = call
      labels[ids[i]] = label++
    }
    return label
  }

  private take(): number {
    const { bytes } = this
    let byte = bytes[this.at++]
    let value = byte & 127
    for (let bits = 7; byte > 127; bits += 7) {
      byte = bytes[this.at++]
      value |= (byte & 127) << bits
    }
    return value
  }
}

/** Writes 32 bits in groups of seven, as few as they need; returns where the next number goes. */
function put(bytes: Uint8Array, at: number, value: number): number {
  let end = at
  let rest = value
  while (rest >>> 7 !== 0) {
    bytes[end++] = (rest & 127) | 128
    rest >>>= 7
  }
  bytes[end] = rest
  return end + 1
}
