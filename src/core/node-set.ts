/** NodeSet: a set of members, stored as bits. */
import { assert } from './assert.ts'
import type { NodeId } from './node-id.ts'

/** The part of NodeSet that handlers may use on a received message. */
export type ReadonlyNodeSet = Pick<NodeSet, 'size' | 'max' | 'has' | 'equals' | 'copy'> &
  Iterable<NodeId>

/** Members 1..31 are bits of one number; words for larger members are allocated when one is added. */
const INLINE = 32

/** Groups of up to 31 members never allocate. Iteration is in ascending order, the same on every machine. */
export class NodeSet {
  private low = 0
  private high: Int32Array | null = null
  private count = 0

  static of(...ids: NodeId[]): NodeSet {
    const set = new NodeSet()
    for (const id of ids) set.add(id)
    return set
  }

  get size(): number {
    return this.count
  }

  /** The strongest member of the set, or 0. */
  get max(): NodeId {
    if (this.high !== null) {
      for (let w = this.high.length - 1; w >= 0; w--) {
        if (this.high[w] !== 0) return INLINE * (w + 1) + 31 - Math.clz32(this.high[w])
      }
    }
    return this.low === 0 ? 0 : 31 - Math.clz32(this.low)
  }

  has(id: NodeId): boolean {
    if (id < INLINE) return id > 0 && (this.low & (1 << id)) !== 0
    const word = (id >>> 5) - 1
    return this.high !== null && word < this.high.length && (this.high[word] & (1 << id)) !== 0
  }

  /** Returns whether the set changed. */
  add(id: NodeId): boolean {
    assert(id > 0, `${id} is not a member: NodeIds begin at 1`)
    if (this.has(id)) return false
    this.count += 1
    if (id < INLINE) this.low |= 1 << id
    else this.reserve((id >>> 5) - 1)[(id >>> 5) - 1] |= 1 << id
    return true
  }

  delete(id: NodeId): boolean {
    if (!this.has(id)) return false
    this.count -= 1
    if (id < INLINE) this.low &= ~(1 << id)
    else this.high![(id >>> 5) - 1] &= ~(1 << id)
    return true
  }

  clear(): void {
    this.low = 0
    this.high = null
    this.count = 0
  }

  copy(): NodeSet {
    const copy = new NodeSet()
    copy.low = this.low
    copy.high = this.high === null ? null : this.high.slice()
    copy.count = this.count
    return copy
  }

  equals(other: ReadonlyNodeSet): boolean {
    if (this.count !== other.size) return false
    if (other instanceof NodeSet && this.high === null && other.high === null) {
      return this.low === other.low
    }
    for (const id of this) if (!other.has(id)) return false
    return true
  }

  /** The members up to 31 as bits (bit i: member i): for packing and hashing. */
  get bits(): number {
    return this.low
  }

  setBits(bits: number): void {
    this.low = bits | 0
    this.high = null
    this.count = popCount(bits)
  }

  /** The words beyond the first, for hashing; null while the set has had no member beyond 31. */
  get beyond(): Int32Array | null {
    return this.high
  }

  *[Symbol.iterator](): IterableIterator<NodeId> {
    yield* bitsOf(this.low, 0)
    if (this.high === null) return
    for (let w = 0; w < this.high.length; w++) yield* bitsOf(this.high[w], INLINE * (w + 1))
  }

  private reserve(word: number): Int32Array {
    if (this.high === null || word >= this.high.length) {
      const grown = new Int32Array(Math.max(word + 1, 2 * (this.high?.length ?? 0)))
      if (this.high !== null) grown.set(this.high)
      this.high = grown
    }
    return this.high
  }
}

function* bitsOf(word: number, base: number): IterableIterator<NodeId> {
  let rest = word
  while (rest !== 0) {
    const bit = rest & -rest
    yield base + 31 - Math.clz32(bit)
    rest ^= bit
  }
}

function popCount(word: number): number {
  let rest = word - ((word >>> 1) & 0x55555555)
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
