/** Keeps the messages of each link in order: stores the time of the last one, and moves a later one behind it. */
import { assert } from '../../core/assert.ts'
import type { NodeId } from '../../core/node-id.ts'

/** Up to this many members the links are a square table; beyond, a hash table of those in use. */
const SQUARE = 1000

export class FifoOrder {
  private readonly width: number
  private readonly square: Float64Array | null
  private keys = new Float64Array(1 << 12)
  private times = new Float64Array(1 << 12)
  private used = 0

  constructor(members: number) {
    this.width = members + 1
    this.square = members <= SQUARE ? new Float64Array(this.width * this.width) : null
  }

  /** The time at which a message passes that would pass at `time` alone. */
  arrival(from: NodeId, to: NodeId, time: number): number {
    const key = from * this.width + to
    if (this.square !== null) {
      const last = this.square[key]
      if (last >= time) return last
      this.square[key] = time
      return time
    }
    const slot = this.slotOf(key)
    const last = this.times[slot]
    if (last >= time) return last
    if (this.keys[slot] === 0) this.occupy(slot, key, time)
    else this.times[slot] = time
    return time
  }

  /** The time at which the last message passes; 0 where there was none. */
  last(from: NodeId, to: NodeId): number {
    const key = from * this.width + to
    return this.square === null ? this.times[this.slotOf(key)] : this.square[key]
  }

  private slotOf(key: number): number {
    const mask = this.keys.length - 1
    let slot = Math.imul(key ^ Math.floor(key / 0x100000000), 0x9e3779b1) >>> 8
    for (slot &= mask; this.keys[slot] !== 0 && this.keys[slot] !== key; slot = (slot + 1) & mask);
    return slot
  }

  private occupy(slot: number, key: number, time: number): void {
    this.keys[slot] = key
    this.times[slot] = time
    this.used += 1
    if (2 * this.used < this.keys.length) return
    const [keys, times] = [this.keys, this.times]
    assert(keys.length < 1 << 28, 'too many links')
    this.keys = new Float64Array(2 * keys.length)
    this.times = new Float64Array(2 * keys.length)
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === 0) continue
      const moved = this.slotOf(keys[i])
      this.keys[moved] = keys[i]
      this.times[moved] = times[i]
    }
  }
}
