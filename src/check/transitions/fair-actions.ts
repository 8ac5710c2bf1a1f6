/** Numbers for the fair actions, which must happen if they stay possible; ENVIRONMENT stands for all other transitions. */
import type { NodeId } from '../../core/node-id.ts'

export const ENVIRONMENT = -1

export const Fair = {
  DELIVER: 0,
  ANSWER: 1,
  WATCH: 2,
  START: 3,
  DRAW: 4,
  HEAL: 5,
  TIMEOUT: 6,
} as const

/** `detail`: the sender, the peer or the timer; else 0. */
export function fairAction(kind: number, node: NodeId, detail = 0): number {
  return kind | (node << 3) | (detail << 6)
}

/** The actions of a member's timers, bit t for timer t. */
export function timeoutActions(node: NodeId, timers: number): number[] {
  const actions: number[] = []
  for (let timer = 0; timers >>> timer !== 0; timer++) {
    if ((timers >>> timer) & 1) actions.push(fairAction(Fair.TIMEOUT, node, timer))
  }
  return actions
}
