/**
 * A member's place in the order of strength, 1..n: the larger, the stronger. Names and addresses stay
 * with the hosts; the direction in which a document counts its processes is a label (`Labels` in group.ts).
 */
export type NodeId = number

/** Nobody. */
export const NONE: NodeId = 0
