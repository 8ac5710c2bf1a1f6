/** While the engine is out of a leader's reach, peers that follow it may let it go on: both halves of that. */
import type { NodeId } from '../core/node-id.ts'
import { majority } from '../core/quorum.ts'
import type { Clock } from './clock.ts'
import type { Vouch } from './fenced.ts'

/** Whoever vouched waits longer than the one for whom it did, as clocks drift. */
const DRIFT = 1.1

export class Vouching {
  /** The question that is out. */
  round = 0
  private readonly needed: number
  private readonly leaseMs: number
  private readonly clock: Clock
  private sentAt = 0
  private vouchers = new Set<NodeId>()
  private boundUntil = -Infinity

  constructor(vouch: Vouch, members: number, leaseMs: number, clock: Clock) {
    this.needed = { nobody: Infinity, majority: majority(members), all: members }[vouch]
    this.leaseMs = leaseMs
    this.clock = clock
  }

  /** Whether anybody's word would count. */
  get isWanted(): boolean {
    return this.needed < Infinity
  }

  /** How long I must take no token, for I vouched for somebody. */
  get boundMs(): number {
    return this.boundUntil - this.clock.now()
  }

  begin(): void {
    this.round += 1
    this.sentAt = this.clock.now()
    this.vouchers = new Set()
  }

  /** When the question was asked that enough have answered; undefined while they are too few. */
  heard(from: NodeId, round = this.round): number | undefined {
    if (round === this.round) this.vouchers.add(from)
    return this.vouchers.size >= this.needed ? this.sentAt : undefined
  }

  /** Until its lease must be over. */
  bind(): void {
    this.boundUntil = this.clock.now() + DRIFT * this.leaseMs
  }
}
