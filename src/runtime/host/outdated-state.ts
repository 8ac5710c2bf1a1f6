/**
 * Decides what a member does whose peers have seen a later incarnation of it: its state was lost, or restored from a
 * copy.
 *
 * Without votes it has promised nothing, and begins the incarnation after the one that was seen: its peers accept it.
 * With votes it lacks those of the incarnations since the copy, unless another process has its name and the later
 * incarnation is that one's. Its peers reject it, the operator is told both, and restarts do not bring it nearer: an
 * incarnation that no peer has accepted is begun again.
 */
import type { AnyState } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import { StoreError } from '../../stores/store.ts'
import type { DurableState } from './durable-state.ts'
import type { HostConfig } from './host-config.ts'

/** What messages name. */
type Names = Pick<HostConfig, 'names' | 'me'>

/** How far the incarnation of one process may leap in all: peers accept no larger leap (transports/tcp/link.ts). */
const MOST_LEAP = 1000

interface OutdatedEvents {
  told(error: Error): void
  beginAfter(incarnation: number): void
}

export class OutdatedState {
  private readonly durable: DurableState
  private readonly place: string
  private readonly config: Names
  private readonly events: OutdatedEvents
  /** Peers that connected, and those that have rejected this incarnation, whatever they send on their own dials. */
  private readonly accepting = new Set<NodeId>()
  private readonly rejecting = new Set<NodeId>()
  private isTold = false
  /** A peer that lies makes this member begin anew once. */
  private readonly believed = new Set<NodeId>()
  private leapt = 0

  constructor(durable: DurableState, place: string, config: Names, events: OutdatedEvents) {
    this.durable = durable
    this.place = place
    this.config = config
    this.events = events
  }

  /** In a step, before it sends anything: where a peer has accepted this incarnation, its number is used up. */
  connected(peer: NodeId): void {
    if (this.rejecting.has(peer)) return
    this.accepting.add(peer)
    this.durable.giveNumberBack(false)
  }

  /** In a step. */
  rejected(state: AnyState, peer: NodeId, seen: number): void {
    const { durable } = this
    this.rejecting.add(peer)
    this.accepting.delete(peer)
    const leap = seen - durable.incarnation
    if (leap <= 0) return
    if (!durable.hasVotes(state)) return this.leap(peer, seen, leap)
    if (this.accepting.size === 0) durable.giveNumberBack(true)
    if (this.isTold) return
    this.isTold = true
    const { names, me } = this.config
    const now = `${names[peer]} has seen incarnation ${seen} of this member, and this is ${durable.incarnation}`
    const remedy =
      `either another process runs as ${names[me]} elsewhere, such as one with a copied configuration: stop that one, keep ` +
      'this file, and wait for up to ten minutes; or this file was restored from an old copy: stop this member, delete the ' +
      'file and start it again'
    this.events.told(new StoreError(`${this.place}: ${now}: ${remedy}`))
  }

  private leap(peer: NodeId, seen: number, leap: number): void {
    if (this.believed.has(peer) || this.leapt + leap > MOST_LEAP) return
    this.believed.add(peer)
    this.leapt += leap
    this.accepting.clear()
    this.rejecting.clear()
    this.events.beginAfter(seen)
  }
}
