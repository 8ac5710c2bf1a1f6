/**
 * The canonical, packed form of a global state: ids relabelled in the order in which they are met,
 * counters shifted so that the least is 0, everything in as few bytes as it needs, in 32-bit words.
 *
 * A shift keeps what handlers can see, which is comparisons and differences: all counters of all
 * members and messages move together, by a multiple of the stride; the 0 that means none stays.
 */
import { assert } from '../core/assert.ts'
import type { FloorPlan } from './frame.ts'
import type { Letters } from './letters.ts'
import { MOST_IDS } from './reactions.ts'
import type { Split } from './split.ts'

const MAX_WORDS = 255

export interface CodecParts {
  readonly plan: FloorPlan
  readonly member: Split
  readonly letters: Letters
  /** Ids stay as they are. */
  readonly exact: boolean
}

export class Codec {
  readonly words = new Int32Array(MAX_WORDS + 1)
  /** How far the counters of the state that was packed last are spread, in strides. */
  spread = 0
  /** Ids of the state that was unpacked last are 1..labels. */
  labels = 0
  readonly stride: number
  /** The configuration of members that never come back: they have no counters. */
  grave = -1
  private readonly bytes = new Uint8Array(this.words.buffer)
  private readonly plan: FloorPlan
  private readonly member: Split
  private readonly letters: Letters
  private readonly exact: boolean
  /** Whether there are counters at all. */
  private readonly counts: boolean
  /** Which label an id was given in which call. */
  private readonly relabelled = new Int32Array(MOST_IDS)
  private readonly givenIn = new Int32Array(MOST_IDS)
  private call = 0
  private nextLabel = 0
  private shift = 0
  private at = 0

  constructor(parts: CodecParts) {
    this.plan = parts.plan
    this.member = parts.member
    this.letters = parts.letters
    this.exact = parts.exact
    const strides = [parts.member, ...parts.letters.splits].map((split) => split.stride)
    this.stride = Math.max(1, ...strides)
    this.counts = strides.some((stride) => stride > 0)
    const agree = strides.every((stride) => stride === 0 || stride === this.stride)
    assert(agree, 'all counters of an algorithm have one stride')
  }

  /** Packs into `words`; returns how many. */
  pack(w: Int32Array): number {
    const { plan, bytes } = this
    this.call += 1
    this.nextLabel = 0
    this.shift = this.counts ? this.leastCounter(w) : 0
    this.spread = 0
    let at = put(bytes, 1, w[0] >>> 0)
    for (let node = 1; node <= plan.members; node++) at = this.putMember(w, node, at)
    at = this.putLinks(w, at)
    while ((at & 3) !== 0) bytes[at++] = 0
    const length = at >>> 2
    assert(length <= MAX_WORDS, 'a packed state has at most 255 words')
    bytes[0] = length
    return length
  }

  /** Unpacks `words`. */
  unpack(w: Int32Array): void {
    const { plan, letters } = this
    w.fill(0)
    this.labels = 0
    this.at = 1
    w[0] = this.take() | 0
    for (let node = 1; node <= plan.members; node++) this.takeMember(w, node)
    const held = this.take()
    for (let l = 0, rest = held; rest !== 0; l++, rest = Math.floor(rest / 2)) {
      if (rest % 2 === 0) continue
      const link = plan.links[l]
      let at = link + 1
      for (let more = 1; more === 1; at += plan.slotSize) {
        const coded = this.take()
        more = coded & 1
        const letter = coded >>> 1
        w[at] = letter
        const { ids, values } = letters.all[letter]
        for (let i = 0; i < values; i++) w[at + 1 + i] = i < ids ? this.takeId() : this.take()
        w[link] += 1
      }
    }
  }

  private putMember(w: Int32Array, node: number, from: number): number {
    const { member, plan, bytes } = this
    const ids = member.ids.length
    const { counters } = member
    let value = plan.values(node)
    const buried = w[node] === this.grave
    let at = put(bytes, from, w[node])
    for (let i = 0; i < ids; i++) at = put(bytes, at, this.relabel(w[value++]))
    for (let i = 0; i < counters.length; i++) {
      at = put(bytes, at, this.lower(w[value++], buried || counters[i].orNone))
    }
    for (const end = plan.values(node + 1); value < end; value++) {
      at = put(bytes, at, this.ghostOf(w[value]))
    }
    return at
  }

  private takeMember(w: Int32Array, node: number): void {
    const { member, plan } = this
    w[node] = this.take()
    const ids = member.ids.length
    let at = plan.values(node)
    for (let i = 0; i < ids; i++) w[at++] = this.takeId()
    for (let i = ids; i < plan.memberValues; i++) w[at++] = this.take()
  }

  private putLinks(w: Int32Array, from: number): number {
    const { bytes } = this
    const { links, slotSize } = this.plan
    let held = 0
    for (let l = 0, bit = 1; l < links.length; l++, bit *= 2) if (w[links[l]] !== 0) held += bit
    let at = put(bytes, from, held)
    if (held === 0) return at
    for (let l = 0; l < links.length; l++) {
      const link = links[l]
      const count = w[link]
      for (let k = 1, slot = link + 1; k <= count; k++, slot += slotSize) {
        const { ids, values, split } = this.letters.all[w[slot]]
        at = put(bytes, at, 2 * w[slot] + (k < count ? 1 : 0))
        for (let i = 1; i <= ids; i++) at = put(bytes, at, this.relabel(w[slot + i]))
        for (let i = ids; i < values; i++) {
          at = put(bytes, at, this.lower(w[slot + 1 + i], split.counters[i - ids].orNone))
        }
      }
    }
    return at
  }

  private relabel(id: number): number {
    if (id === 0 || this.exact) return id
    if (this.givenIn[id] !== this.call) {
      this.givenIn[id] = this.call
      this.relabelled[id] = ++this.nextLabel
    }
    return this.relabelled[id]
  }

  private takeId(): number {
    const id = this.take()
    if (id > this.labels) this.labels = id
    return id
  }

  private lower(value: number, orNone: boolean): number {
    if (orNone && value === 0) return 0
    const shifted = value - this.shift
    if (shifted > this.spread * this.stride) this.spread = Math.floor(shifted / this.stride)
    return shifted
  }

  /** A ghost is the term plus one, 0 for none. Below everything that lives it can meet nobody any more. */
  private ghostOf(value: number): number {
    return value <= this.shift ? 0 : value - this.shift
  }

  /** By how much the counters can be lowered together. */
  private leastCounter(w: Int32Array): number {
    const { plan, member, stride, letters } = this
    let least = Infinity
    const ids = member.ids.length
    const { counters } = member
    for (let node = 1; counters.length > 0 && node <= plan.members; node++) {
      if (w[node] === this.grave) continue
      const at = plan.values(node) + ids
      for (let i = 0; i < counters.length; i++) {
        const value = lowered(w[at + i], counters[i].orNone)
        if (value < least) least = value
      }
    }
    for (let l = 0; l < plan.links.length; l++) {
      const link = plan.links[l]
      for (let k = 0, at = link + 1; k < w[link]; k++, at += plan.slotSize) {
        const letter = letters.all[w[at]]
        for (let i = letter.ids; i < letter.values; i++) {
          const value = lowered(w[at + 1 + i], letter.split.counters[i - letter.ids].orNone)
          if (value < least) least = value
        }
      }
    }
    return least === Infinity ? 0 : least - (least % stride)
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

/** By how much a counter alone could be lowered: one that is not none must not become it. */
export function lowered(value: number, orNone: boolean): number {
  if (!orNone) return value
  return value === 0 ? Infinity : value - 1
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
