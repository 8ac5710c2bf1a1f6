/**
 * Stores the open requests of all members to their detectors; a new request about the same peer supersedes the earlier
 * one.
 */
import type { NodeId } from '../../core/node-id.ts'

export class Requests {
  open = 0
  private serial = 0
  /** For each member the serials of its open requests, by peer. */
  private readonly byMember: (Map<NodeId, number> | undefined)[]

  constructor(members: number) {
    this.byMember = new Array<Map<NodeId, number> | undefined>(members + 1)
  }

  add(me: NodeId, peer: NodeId): number {
    const open = (this.byMember[me] ??= new Map<NodeId, number>())
    if (!open.has(peer)) this.open += 1
    this.serial += 1
    open.set(peer, this.serial)
    return this.serial
  }

  /** The serial of the open request, or 0. */
  serialOf(me: NodeId, peer: NodeId): number {
    return this.byMember[me]?.get(peer) ?? 0
  }

  close(me: NodeId, peer: NodeId): boolean {
    const was = this.byMember[me]?.delete(peer) ?? false
    if (was) this.open -= 1
    return was
  }

  clear(me: NodeId): void {
    this.open -= this.byMember[me]?.size ?? 0
    this.byMember[me] = undefined
  }
}
