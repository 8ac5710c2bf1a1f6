/**
 * A global state as the search works on it: a row of numbers. The budget that is left, the number of each
 * member (members.ts), and the number of what is under way to it (inboxes.ts).
 */
import type { NodeId } from '../../core/node-id.ts'

/** The budget that is left and the cut that holds, in one word, without its sign. */
export const Budget = {
  CRASHES: 0,
  RECOVERIES: 4,
  MISTAKES: 8,
  DROPS: 12,
  DUPLICATES: 16,
  CUTS: 19,
  RESIGNATIONS: 22,
  /** 0: no cut; else which. */
  CUT: 24,
} as const
export const MAX_CUT_SHAPES = 127

/** The places: the budget is at 0, a member at its own number. */
export class VectorLayout {
  readonly members: number
  readonly size: number

  constructor(members: number) {
    this.members = members
    this.size = 1 + 2 * members
  }

  inbox(node: NodeId): number {
    return this.members + node
  }
}

/** The most that there is room for. */
export function largestBudget(shift: number): number {
  if (shift < Budget.DUPLICATES) return 15
  return shift < Budget.RESIGNATIONS ? 7 : 3
}

export function budgetOf(word: number, shift: number): number {
  return (word >>> shift) & largestBudget(shift)
}

export function cutOf(word: number): number {
  return word >>> Budget.CUT
}
