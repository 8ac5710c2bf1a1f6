/**
 * Lets peers vouch for a leader that cannot reach the engine: asks for and counts vouches, gives them, and tells how
 * long this member is bound by its own.
 */
import type { NodeId } from '../../core/node-id.ts'
import { majority } from '../../core/quorum.ts'
import { broadcast, type FencingContext } from './fencing-config.ts'

/** A peer that vouched waits longer than the leader's lease, as clocks drift. */
const DRIFT = 1.1

export class Vouching {
  private readonly context: FencingContext
  private round = 0
  private sentAt = 0
  private vouchers = new Set<NodeId>()
  private boundUntil = -Infinity

  constructor(context: FencingContext) {
    this.context = context
  }

  private get needed(): number {
    const { members, vouch } = this.context
    const { length } = members
    return { nobody: Infinity, majority: majority(length), all: length }[vouch]
  }

  /** Asks all peers, where the configuration allows it. Returns what `vouched` returns. */
  ask(token: number): number | undefined {
    const { clock, me } = this.context
    if (this.needed === Infinity) return undefined
    this.round += 1
    this.sentAt = clock.now()
    this.vouchers = new Set()
    broadcast(this.context, { type: 'vouch?', token, round: this.round })
    return this.vouched(me, this.round)
  }

  /** When the round was sent that enough members have answered; undefined while there are too few. */
  vouched(from: NodeId, round: number): number | undefined {
    if (round === this.round) this.vouchers.add(from)
    return this.vouchers.size >= this.needed ? this.sentAt : undefined
  }

  /** Vouches for the leader of this member, unless a later token is known, and takes none during its lease. */
  vouchFor(peer: NodeId, token: number, round: number): void {
    const { clock, leaseMs, store } = this.context
    if (this.context.events.leader() !== peer || token < store.largest) return
    this.boundUntil = clock.now() + DRIFT * leaseMs
    this.context.events.send(peer, { type: 'vouch', round })
  }

  /** How long this member must take no token because it vouched. */
  get boundMs(): number {
    return this.boundUntil - this.context.clock.now()
  }
}
