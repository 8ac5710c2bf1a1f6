/** Keeps the messages of each link in order: stores the time of the last one, and moves a later one behind it. */
import { assert } from '../../core/assert.ts'
import type { NodeId } from '../../core/node-id.ts'

/** Up to this many members the links are a square table; beyond, a hash table of those with a message under way. */
const SQUARE = 1000

export class FifoOrder {
  private readonly width: number
  private readonly square: Float64Array | null
  private keys: Float64Array
  private times: Float64Array
  private used = 0

  constructor(members: number) {
    this.width = members + 1
    this.square = members <= SQUARE ? new Float64Array(this.width * this.width) : null
    // Room for one message of every member.
    const slots = this.square === null ? 1 << (34 - Math.clz32(members)) : 0
    this.keys = new Float64Array(slots)
    this.times = new Float64Array(slots)
  }

  /** The time at which a message passes that would pass at `time` alone; no later one is asked about before `now`. */
  arrival(from: NodeId, to: NodeId, time: number, now: number): number {
    const key = from * this.width + to
    if (this.square !== null) {
      const last = this.square[key]
      if (last >= time) return last
      this.square[key] = time
      return time
    }
    const slot = this.slotOf(key, from, to)
    const last = this.times[slot]
    if (last >= time) return last
    if (this.keys[slot] === 0) this.occupy(slot, key, time, now)
    else this.times[slot] = time
    return time
  }

  /** The time at which the last message passes; 0 where there was none. */
  last(from: NodeId, to: NodeId): number {
    const key = from * this.width + to
    return this.square === null ? this.times[this.slotOf(key, from, to)] : this.square[key]
  }

  /** The links of neighbours lie side by side: a message that goes round a ring meets them in order. */
  private slotOf(key: number, from: NodeId, to: NodeId): number {
    const mask = this.keys.length - 1
    const block = Math.imul((to - from) ^ Math.imul(from >>> 4, 0x85ebca6b), 0x9e3779b1) >>> 8
    let slot = ((block << 4) | ((2 * from + to) & 15)) & mask
    while (this.keys[slot] !== 0 && this.keys[slot] !== key) slot = (slot + 1) & mask
    return slot
  }

  private occupy(slot: number, key: number, time: number, now: number): void {
    this.keys[slot] = key
    this.times[slot] = time
    this.used += 1
    if (2 * this.used >= this.keys.length) this.makeRoom(now)
  }

  /** A time that is over holds up no message: its link is forgotten. A table that stays a quarter full is doubled. */
  private makeRoom(now: number): void {
    const [keys, times] = [this.keys, this.times]
    let left = 0
    for (let i = 0; i < keys.length; i++) if (keys[i] !== 0 && times[i] >= now) left += 1
    const size = 4 * left < keys.length ? keys.length : 2 * keys.length
    assert(size <= 1 << 28, 'too many links')
    this.keys = new Float64Array(size)
    this.times = new Float64Array(size)
    this.used = left
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === 0 || times[i] < now) continue
      const from = Math.floor(keys[i] / this.width)
      const moved = this.slotOf(keys[i], from, keys[i] - from * this.width)
      this.keys[moved] = keys[i]
      this.times[moved] = times[i]
    }
  }
}
