/**
 * The simulated network: stores cuts, losses and delays, and decides whether a message arrives, when, and how often.
 */
import type { NodeId } from '../../core/node-id.ts'
import type { Random } from '../../core/random.ts'
import type { NetworkConfig } from '../config.ts'
import { draw } from './latency.ts'
import { FifoOrder } from './fifo-order.ts'

export class Network {
  /** What the network did to messages by chance. */
  readonly counts = { lost: 0, copied: 0, overtaking: 0 }
  private config: NetworkConfig
  private readonly random: Random
  private readonly members: number
  private readonly order: FifoOrder
  /** Sequential sending: when the last message of each link leaves. */
  private readonly departures: FifoOrder | null
  private readonly cuts = new Set<number>()
  private readonly drops = new Map<number, number>()
  /** Whether a message was ever delayed: then even links of constant latency must keep their order. */
  private delayed = false
  private boundUs = Infinity

  constructor(network: NetworkConfig, members: number, random: Random) {
    this.config = network
    this.random = random
    this.members = members
    this.order = new FifoOrder(members)
    this.departures = network.send === 'sequential' ? new FifoOrder(members) : null
  }

  isCut(from: NodeId, to: NodeId): boolean {
    return this.cuts.size > 0 && this.cuts.has(this.key(from, to))
  }

  cut(from: readonly NodeId[], to: readonly NodeId[]): void {
    for (const a of from) for (const b of to) if (a !== b) this.cuts.add(this.key(a, b))
  }

  /** Ends the cuts of these links, or all. */
  heal(from?: readonly NodeId[], to?: readonly NodeId[]): void {
    if (from === undefined || to === undefined) return this.cuts.clear()
    for (const a of from) for (const b of to) this.cuts.delete(this.key(a, b))
  }

  /** From now on no message is lost, copied, reordered or under way for longer than the bound. */
  calm(boundUs: number): void {
    this.config = { ...this.config, loss: 0, duplicate: 0, reorder: 0 }
    this.boundUs = boundUs
    this.drops.clear()
  }

  dropNext(from: NodeId, to: NodeId): void {
    const key = this.key(from, to)
    this.drops.set(key, (this.drops.get(key) ?? 0) + 1)
  }

  /** Why a message is lost as it is sent, or null. */
  lossOf(from: NodeId, to: NodeId): string | null {
    if (this.isCut(from, to)) return 'the link is cut'
    if (this.drops.size > 0 && this.takeDrop(this.key(from, to))) return 'dropped'
    if (this.config.loss === 0 || !this.random.chance(this.config.loss)) return null
    this.counts.lost += 1
    return 'lost'
  }

  /** When a message that leaves now arrives. Messages of a link keep their order unless the network reorders. */
  arrival(from: NodeId, to: NodeId, now: number): number {
    const time = now + Math.min(this.boundUs, draw(this.config.latency, this.random))
    if (this.config.latency.kind === 'constant' && !this.delayed) return time
    if (this.config.reorder > 0 && this.random.chance(this.config.reorder)) {
      if (time < this.order.last(from, to)) this.counts.overtaking += 1
      return time
    }
    return this.order.arrival(from, to, time, now)
  }

  /** Delays the messages of a link that are still to be sent: none arrives before `until`. */
  delayUntil(from: NodeId, to: NodeId, until: number, now: number): void {
    this.delayed = true
    this.order.arrival(from, to, until, now)
  }

  isDeparting(from: NodeId, to: NodeId, now: number): boolean {
    const last = this.departures?.last(from, to) ?? 0
    return last > 0 && last >= now
  }

  /** When a message leaves that would leave at `time` alone. */
  departure(from: NodeId, to: NodeId, time: number, now: number): number {
    return this.departures?.arrival(from, to, time, now) ?? time
  }

  isDuplicated(): boolean {
    if (this.config.duplicate === 0 || !this.random.chance(this.config.duplicate)) return false
    this.counts.copied += 1
    return true
  }

  private takeDrop(key: number): boolean {
    const left = this.drops.get(key) ?? 0
    if (left > 1) this.drops.set(key, left - 1)
    else this.drops.delete(key)
    return left > 0
  }

  private key(from: NodeId, to: NodeId): number {
    return from * (this.members + 1) + to
  }
}
