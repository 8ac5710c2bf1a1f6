/** While the engine is out of a leader's reach, peers that follow it may let it go on: both halves of that. */
import type { NodeId } from '../../core/node-id.ts'
import { majority } from '../../core/quorum.ts'
import { peersOf, type FencingConfig, type FencingEvents } from './fencing-config.ts'

/** Whoever vouched waits longer than the one for whom it did, as clocks drift. */
const DRIFT = 1.1

export class Vouching {
  private readonly config: FencingConfig
  private readonly events: FencingEvents
  private readonly needed: number
  /** The question that is out. */
  private round = 0
  private sentAt = 0
  private vouchers = new Set<NodeId>()
  private boundUntil = -Infinity

  constructor(config: FencingConfig, events: FencingEvents) {
    const members = config.names.length - 1
    this.config = config
    this.events = events
    this.needed = { nobody: Infinity, majority: majority(members), all: members }[config.vouch]
  }

  /** Asks all peers, if anybody's word would count. As `heard`. */
  ask(token: number): number | undefined {
    const { clock, me } = this.config
    if (this.needed === Infinity) return undefined
    this.round += 1
    this.sentAt = clock.now()
    this.vouchers = new Set()
    const question = { type: 'vouch?', token, round: this.round } as const
    for (const peer of peersOf(this.config)) this.events.tell(peer, question)
    return this.heard(me, this.round)
  }

  /** When the question was asked that enough have answered; undefined while they are too few. */
  heard(from: NodeId, round: number): number | undefined {
    if (round === this.round) this.vouchers.add(from)
    return this.vouchers.size >= this.needed ? this.sentAt : undefined
  }

  /** I follow it, and know of no later token: I shall take none until its lease must be over. */
  vouchFor(peer: NodeId, token: number, round: number): void {
    const { clock, leaseMs, store } = this.config
    if (this.events.leader() !== peer || token < store.largest) return
    this.boundUntil = clock.now() + DRIFT * leaseMs
    this.events.tell(peer, { type: 'vouch', round })
  }

  /** How long I must take no token, for I vouched for somebody. */
  get boundMs(): number {
    return this.boundUntil - this.config.clock.now()
  }
}
