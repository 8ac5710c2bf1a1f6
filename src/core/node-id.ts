/**
 * Defines NodeId, the number of a member's seat, from 1 (its place in the order of strength, unless the group states
 * strengths), and NONE, 0. Only hosts know names and addresses. Documents number their processes in either direction: see `Labels` in group.ts.
 */
export type NodeId = number

/** No member. */
export const NONE: NodeId = 0

/** 1, …, n. */
export function nodesTo(n: number): NodeId[] {
  return Array.from({ length: n }, (_, i) => i + 1)
}
