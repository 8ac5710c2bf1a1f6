/** The endpoint of one group on a shared port: its peers, its frames, and its rest. */
import type { Json } from '../../core/schema.ts'
import type { Endpoint, LinkTiming, Peer, SharedBeats } from '../transport.ts'
import type { Channel, LocalMember } from './channel.ts'
import type { Pair } from './pair.ts'
import type { SharedPort } from './shared-port.ts'

export class GroupEndpoint implements Endpoint, SharedBeats {
  readonly member: LocalMember
  /** Only where groups of this process rest. */
  readonly beats?: SharedBeats
  private readonly port: SharedPort
  private readonly pairs = new Map<string, Pair>()
  private isClosed = false

  constructor(port: SharedPort, member: LocalMember) {
    this.port = port
    this.member = member
    if (port.sharesHeartbeats) this.beats = this
  }

  get address(): string {
    return this.port.address
  }

  get counters(): Readonly<Record<string, number>> {
    return this.port.counters
  }

  send(peer: string, payload: Json): void {
    this.channelWith(peer)?.send(payload)
  }

  probe(peer: string): void {
    this.channelWith(peer)?.probe()
  }

  /** The connection belongs to other groups too, and notices its own silence. */
  release(): void {}

  setPeer({ id, address, seat = 0 }: Peer): void {
    if (id === this.port.id || this.isClosed) return
    const pair = this.port.pairWith({ id, address })
    this.pairs.set(id, pair)
    pair.add(this.member, seat)
  }

  removePeer(peer: string): void {
    this.pairs.get(peer)?.remove(this.member.group, this.isClosed)
    this.pairs.delete(peer)
  }

  setTiming({ answerMs, periodMs = Infinity }: LinkTiming): void {
    this.member.periodMs = periodMs
    this.port.setAnswerTime(this.member.group, answerMs)
  }

  async close(): Promise<void> {
    this.isClosed = true
    for (const peer of this.pairs.keys()) this.removePeer(peer)
    this.port.left(this.member.group)
    return Promise.resolve()
  }

  // Rest.

  ask(peers: readonly string[]): void {
    for (const [channel, pair] of this.channelsTo(peers)) pair.ask(channel)
  }

  end(): void {
    for (const [channel, pair] of this.channelsTo([...this.pairs.keys()])) pair.wake(channel)
  }

  lastBeat(peer: string): number {
    const channel = this.channelWith(peer)
    return channel === undefined ? -Infinity : this.pairs.get(peer)!.lastBeat(channel)
  }

  private channelsTo(peers: readonly string[]): (readonly [Channel, Pair])[] {
    return peers.flatMap((peer) => {
      const pair = this.pairs.get(peer)
      const channel = pair?.channels.get(this.member.group)
      return pair === undefined || channel === undefined ? [] : [[channel, pair] as const]
    })
  }

  private channelWith(peer: string): Channel | undefined {
    if (this.isClosed) return undefined
    return this.pairs.get(peer)?.channels.get(this.member.group)
  }
}
