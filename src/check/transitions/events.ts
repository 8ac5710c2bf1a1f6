/** Defines the events of a member, and encodes each as one number for the keys of the caches. */
import type { NodeId } from '../../core/node-id.ts'

/** `tick` and those of a peer run no handler: the latter record what detector or host may later report of it. */
export const EventKind = {
  start: 0,
  settled: 1,
  message: 2,
  timeout: 3,
  up: 4,
  down: 5,
  drawn: 6,
  resign: 7,
  crash: 8,
  recover: 9,
  peerDown: 10,
  peerUp: 11,
  peerStarted: 12,
  tick: 13,
  dead: 14,
  peerEnded: 15,
  change: 16,
} as const

export interface MemberEvent {
  readonly kind: keyof typeof EventKind
  /** The sender, the peer of a verdict or of a proof, the settled leader, the successor or the seat; else 0. */
  readonly peer: NodeId
  /** The message, the timer, the number drawn, the role of the seat, or the incarnation of the peer that is not over; else 0. */
  readonly detail: number
}

const KINDS = Object.keys(EventKind) as MemberEvent['kind'][]

export function encodeEvent(kind: number, peer: NodeId, detail: number): number {
  return kind | (peer << 5) | (detail << 9)
}

export function kindOf(code: number): number {
  return code & 31
}

export function decodeEvent(code: number): MemberEvent {
  return { kind: KINDS[kindOf(code)], peer: (code >>> 5) & 15, detail: code >>> 9 }
}
