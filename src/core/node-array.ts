/** NodeArray: a number for each member, stored in a typed array that is allocated on first use. */
import type { NodeId } from './node-id.ts'

/** The part of NodeArray that handlers may use on a received message. */
export type ReadonlyNodeArray = Pick<NodeArray, 'get' | 'length' | 'equals' | 'copy'>

/** Each number is 0 until it is set. */
export class NodeArray {
  private values: Float64Array | null = null

  get(id: NodeId): number {
    return this.values !== null && id < this.values.length ? this.values[id] : 0
  }

  set(id: NodeId, value: number): void {
    if (this.values === null || id >= this.values.length) {
      if (value === 0) return
      const grown = new Float64Array(Math.max(id + 1, 2 * (this.values?.length ?? 4)))
      if (this.values !== null) grown.set(this.values)
      this.values = grown
    }
    this.values[id] = value
  }

  /** The members whose number is not 0, with their numbers. */
  *[Symbol.iterator](): IterableIterator<[id: NodeId, value: number]> {
    for (let id = 1; id < this.length; id++) if (this.get(id) !== 0) yield [id, this.get(id)]
  }

  clear(): void {
    this.values = null
  }

  /** One more than the largest member that may hold a number other than 0. */
  get length(): number {
    return this.values?.length ?? 0
  }

  copy(): NodeArray {
    const copy = new NodeArray()
    copy.values = this.values === null ? null : this.values.slice()
    return copy
  }

  equals(other: ReadonlyNodeArray): boolean {
    const length = Math.max(this.length, other.length)
    for (let id = 0; id < length; id++) if (this.get(id) !== other.get(id)) return false
    return true
  }
}
