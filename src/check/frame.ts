/**
 * A global state as the search works on it: a row of numbers. The budget that is left, the number of each
 * member (members.ts), and the number of what each link holds (links.ts).
 */
import type { NodeId } from '../core/node-id.ts'

/** The budget that is left and the cut that holds, in one word. */
export const Budget = {
  CRASHES: 0,
  RECOVERIES: 4,
  MISTAKES: 8,
  DROPS: 12,
  DUPLICATES: 16,
  CUTS: 20,
  /** 0: no cut; else which. */
  CUT: 24,
} as const
export const MAX_BUDGET = 15
export const MAX_CUT_SHAPES = 127

/** The places: the budget is at 0, a member at its own number. */
export class FloorPlan {
  readonly members: number
  /** The place of each link, but for those from a member to itself. */
  readonly links: Int32Array
  readonly size: number

  constructor(members: number) {
    this.members = members
    this.size = 1 + members + members * members
    const links: number[] = []
    for (let from = 1; from <= members; from++) {
      for (let to = 1; to <= members; to++) if (from !== to) links.push(this.link(from, to))
    }
    this.links = Int32Array.from(links)
  }

  link(from: NodeId, to: NodeId): number {
    return from * this.members + to
  }
}

export function budgetOf(word: number, shift: number): number {
  return (word >>> shift) & MAX_BUDGET
}

export function cutOf(word: number): number {
  return word >>> Budget.CUT
}
