/**
 * Numbers for the fair actions: those that must happen if they stay possible. Transitions of the
 * environment are not fair; their number is ENVIRONMENT.
 */
import type { NodeId } from '../../core/node-id.ts'

export const ENVIRONMENT = -1

export class FairActions {
  private readonly n: number
  private readonly timers: number

  constructor(members: number, timers: number) {
    this.n = members
    this.timers = timers
  }

  deliver(from: NodeId, to: NodeId): number {
    return (from - 1) * this.n + to - 1
  }

  answer(node: NodeId, peer: NodeId): number {
    return this.n * this.n + this.deliver(node, peer)
  }

  watch(node: NodeId, peer: NodeId): number {
    return 2 * this.n * this.n + this.deliver(node, peer)
  }

  start(node: NodeId): number {
    return 3 * this.n * this.n + node
  }

  draw(node: NodeId): number {
    return 3 * this.n * this.n + this.n + node
  }

  get heal(): number {
    return 3 * this.n * this.n
  }

  timeout(node: NodeId, timer: number): number {
    return 3 * this.n * this.n + 2 * this.n + 1 + (node - 1) * this.timers + timer
  }

  /** The actions of a member's timers, given as a mask. */
  timeouts(node: NodeId, mask: number): number[] {
    const actions: number[] = []
    for (let timer = 0; timer < this.timers; timer++) {
      if ((mask >>> timer) & 1) actions.push(this.timeout(node, timer))
    }
    return actions
  }
}
