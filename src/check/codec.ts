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
import type { Links } from './links.ts'
import type { Members } from './members.ts'
import { Fact, FACTS, NO_COUNTER } from './parts.ts'

const MAX_WORDS = 255
/** An id that is new has a label from here on until the state is packed. */
export const FRESH_LABEL = 2 ** 12
const MOST_LABELS = 2 ** 13

export interface CodecParts {
  readonly plan: FloorPlan
  readonly members: Members
  readonly links: Links
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
  private readonly links: Links
  private readonly stride: number
  /** The canonical form of what is being packed. */
  private readonly canon: Int32Array
  /** Which label an id was given in which call. */
  private readonly labels = new Int32Array(MOST_LABELS)
  private readonly givenIn = new Int32Array(MOST_LABELS)
  private call = 0
  private at = 0

  constructor({ plan, members, links, stride }: CodecParts) {
    this.plan = plan
    this.members = members
    this.links = links
    this.stride = stride
    this.canon = new Int32Array(plan.size)
  }

  /** Packs into `words`; returns how many. */
  pack(w: Int32Array): number {
    const { bytes, plan } = this
    const { links } = plan
    let from = w
    if (this.stride > 0) from = this.lowered(from)
    if (!this.isLabelled(from)) from = this.relabelled(from)
    let at = put(bytes, 1, from[0] >>> 0)
    for (let node = 1; node <= plan.members; node++) at = put(bytes, at, from[node])
    let held = 0
    for (let l = 0, bit = 1; l < links.length; l++, bit *= 2) if (from[links[l]] !== 0) held += bit
    at = put(bytes, at, held)
    for (let l = 0; l < links.length; l++) {
      const link = from[links[l]]
      if (link !== 0) at = put(bytes, at, link)
    }
    while ((at & 3) !== 0) bytes[at++] = 0
    const length = at >>> 2
    assert(length <= MAX_WORDS, 'a packed state has at most 255 words')
    bytes[0] = length
    return length
  }

  /** Unpacks `words`. */
  unpack(w: Int32Array): void {
    const { plan } = this
    this.at = 1
    w[0] = this.take() | 0
    for (let node = 1; node <= plan.members; node++) w[node] = this.take()
    let held = this.take()
    for (let l = 0; l < plan.links.length; l++) {
      const holds = held % 2 === 1
      w[plan.links[l]] = holds ? this.take() : 0
      held = (held - (holds ? 1 : 0)) / 2
    }
  }

  /** The same state with all counters lowered together. */
  private lowered(w: Int32Array): Int32Array {
    const { canon, plan, members, links, stride } = this
    let least = NO_COUNTER
    let most = -1
    for (let node = 1; node <= plan.members; node++) {
      const at = FACTS * w[node]
      least = Math.min(least, members.facts[at + Fact.LEAST])
      most = Math.max(most, members.facts[at + Fact.MOST])
    }
    for (let l = 0; l < plan.links.length; l++) {
      const at = FACTS * w[plan.links[l]]
      least = Math.min(least, links.facts[at + Fact.LEAST])
      most = Math.max(most, links.facts[at + Fact.MOST])
    }
    const shift = most < 0 ? 0 : least - (least % stride)
    this.spread = most < 0 ? 0 : Math.floor((most - shift) / stride)
    if (shift === 0) return w
    canon[0] = w[0]
    for (let node = 1; node <= plan.members; node++) canon[node] = members.lowered(w[node], shift)
    for (let l = 0; l < plan.links.length; l++) {
      const link = w[plan.links[l]]
      canon[plan.links[l]] = link === 0 ? 0 : links.lowered(link, shift)
    }
    return canon
  }

  /** Whether the ids are 1, 2, … in the order in which they are met. */
  private isLabelled(w: Int32Array): boolean {
    const { plan, members, links } = this
    let top = 0
    for (let node = 1; node <= plan.members; node++) {
      const at = FACTS * w[node]
      if (members.facts[at + Fact.FLOOR] > top) return false
      top = Math.max(top, members.facts[at + Fact.TOP])
    }
    for (let l = 0; l < plan.links.length; l++) {
      const at = FACTS * w[plan.links[l]]
      if (links.facts[at + Fact.FLOOR] > top) return false
      top = Math.max(top, links.facts[at + Fact.TOP])
    }
    return true
  }

  /** The same state with its ids relabelled. */
  private relabelled(w: Int32Array): Int32Array {
    const { canon, plan, members, links, labels } = this
    this.call += 1
    let next = 1
    canon[0] = w[0]
    for (let node = 1; node <= plan.members; node++) {
      next = this.label(members.all[w[node]].ids, next)
      canon[node] = members.renamed(w[node], labels)
    }
    for (let l = 0; l < plan.links.length; l++) {
      const place = plan.links[l]
      const link = w[place]
      next = this.label(links.all[link].ids, next)
      canon[place] = links.renamed(link, labels)
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
    if (byte < 128) return byte
    let value = byte & 127
    let scale = 128
    do {
      byte = bytes[this.at++]
      value += (byte & 127) * scale
      scale *= 128
    } while (byte > 127)
    return value
  }
}

/** Writes a number below 2^53 in groups of seven bits; returns where the next one goes. */
function put(bytes: Uint8Array, at: number, value: number): number {
  if (value < 128) {
    bytes[at] = value
    return at + 1
  }
  let end = at
  let rest = value
  while (rest > 127) {
    bytes[end++] = (rest & 127) | 128
    rest = rest < 0x80000000 ? rest >>> 7 : Math.floor(rest / 128)
  }
  bytes[end] = rest
  return end + 1
}
