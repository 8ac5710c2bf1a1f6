/**
 * Numbers for the fair actions: those that must happen if they stay possible. A transition of the
 * environment is not fair; its number is ENVIRONMENT.
 */
import type { NodeId } from '../../core/node-id.ts'

export const ENVIRONMENT = -1

const KINDS = { deliver: 0, answer: 1, watch: 2, start: 3, draw: 4, heal: 5, timeout: 6 } as const

/** `detail`: the sender, the peer or the timer; else 0. */
export function fairAction(kind: keyof typeof KINDS, node: NodeId, detail = 0): number {
  return KINDS[kind] | (node << 3) | (detail << 6)
}

/** The actions of a member's timers, bit t for timer t. */
export function timeoutActions(node: NodeId, timers: number): number[] {
  const actions: number[] = []
  for (let timer = 0; timers >>> timer !== 0; timer++) {
    if ((timers >>> timer) & 1) actions.push(fairAction('timeout', node, timer))
  }
  return actions
}
