/** Stores which peers each member watches, compactly where it watches one, as in a ring of a million members. */
import { NONE, type NodeId } from '../../core/node-id.ts'

export class Watches {
  /** One watched peer of each member, and the others of those that watch more. */
  private readonly one: Int32Array
  private readonly more = new Map<NodeId, Set<NodeId>>()

  constructor(members: number) {
    this.one = new Int32Array(members + 1)
  }

  has(me: NodeId, peer: NodeId): boolean {
    return this.one[me] === peer || (this.more.get(me)?.has(peer) ?? false)
  }

  /** Returns whether the watch is new. */
  add(me: NodeId, peer: NodeId): boolean {
    if (this.has(me, peer)) return false
    if (this.one[me] === NONE) this.one[me] = peer
    else {
      const more = this.more.get(me)
      if (more === undefined) this.more.set(me, new Set([peer]))
      else more.add(peer)
    }
    return true
  }

  delete(me: NodeId, peer: NodeId): boolean {
    if (this.one[me] !== peer) return this.more.get(me)?.delete(peer) ?? false
    this.one[me] = NONE
    return true
  }

  clear(me: NodeId): void {
    this.one[me] = NONE
    this.more.delete(me)
  }
}
