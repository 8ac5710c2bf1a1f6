/**
 * The edges of a graph, a list for each node: bytes that hold the differences between target and node, the smaller
 * ones in fewer bytes, and end with 0. An edge from a node to itself has difference 0 and is left out.
 */
import type { GrowingMemory } from './growing-memory.ts'

/** A difference has at most 28 bits and a sign. */
export const MAX_EDGE_BYTES = 5

export class EdgeLists {
  private readonly first: GrowingMemory
  private readonly memory: GrowingMemory

  /** `first`: where the list of each node begins. At 0 of `memory` there is an empty list. */
  constructor(first: GrowingMemory, memory: GrowingMemory) {
    this.first = first
    this.memory = memory
  }

  firstOf(node: number): number {
    return this.first.words[node] >>> 0
  }

  /** The target of the edge at this place; -1: the list ends here. */
  targetAt(node: number, place: number): number {
    const { bytes } = this.memory
    let at = place
    let byte = bytes[at]
    if (byte === 0) return -1
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[++at]
      value |= (byte & 127) << shift
    }
    return node + ((value >>> 1) ^ -(value & 1))
  }

  after(place: number): number {
    const { bytes } = this.memory
    let at = place
    while (bytes[at] > 127) at += 1
    return at + 1
  }

  targetsOf(node: number): number[] {
    const targets: number[] = []
    for (let at = this.firstOf(node); ; at = this.after(at)) {
      const target = this.targetAt(node, at)
      if (target < 0) return targets
      targets.push(target)
    }
  }
}

/** Writes an edge at a place; returns the place after it. */
export function writeEdge(bytes: Uint8Array, place: number, node: number, target: number): number {
  const difference = target - node
  let value = (difference << 1) ^ (difference >> 31)
  let at = place
  for (; value > 127; value >>>= 7) bytes[at++] = (value & 127) | 128
  bytes[at++] = value
  return at
}
