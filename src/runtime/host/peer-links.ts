/**
 * The links from one member to its peers: translates between NodeIds and frames and the transport's names and JSON,
 * holds a step's outbox until its commit, and rejects malformed frames.
 *
 * It records when a frame of each peer last arrived, whatever the detector concludes from it.
 */
import type { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { CodecError, type Json } from '../../core/schema.ts'
import type { Endpoint, LinkEvents, LinkLoss, LinkTiming } from '../../transports/transport.ts'
import type { HostConfig } from './host-config.ts'
import type { StepQueue } from './step-queue.ts'
import { Wire, type Frame } from './wire.ts'

/** What the links report to their member. All but `unreachable` and `rejected` run in a step. */
interface PeerLinksEvents {
  connected(peer: NodeId, evidence: 'connected' | 'restarted'): void
  received(from: NodeId, frame: Frame): void
  lost(peer: NodeId, evidence: 'refused' | 'closed'): void
  /** Reported once for each reason until they connect. */
  unreachable(peer: NodeId, reason: string): void
  /** This member and a peer reject each other in the handshake; reported once until they connect. */
  rejected(peer: NodeId, field: string, detail: string): void
  /** The peer rejects this member because it has seen this later incarnation of it. */
  outdated(peer: NodeId, seen: number): void
  /** Where groups share connections (rest.ts). */
  restAsked(leader: NodeId): boolean
  restAgreed(follower: NodeId): void
  woken(): void
}

export class PeerLinks implements LinkEvents {
  /** Frames that arrived, and how many of them were malformed. */
  frames = 0
  malformed = 0
  readonly connectedPeers = new Set<NodeId>()
  readonly asked: HostConfig['answer']
  private readonly config: HostConfig
  private readonly steps: StepQueue
  private readonly events: PeerLinksEvents
  private readonly wire: Wire
  private idOf: ReadonlyMap<string, NodeId>
  /** The version of the protocol that each peer speaks. */
  private readonly protocols = new Map<NodeId, number>()
  private endpoint: Endpoint | null = null
  private readonly outbox: { readonly peer: NodeId; readonly frame: Frame }[] = []
  private readonly incarnations = new Map<NodeId, number>()
  /** Why a peer is not connected. */
  private readonly troubles = new Map<NodeId, string>()
  private readonly receivedAt = new Map<NodeId, number>()
  /** When the last frame that is not answered yet left; and how long the last answer took. */
  private readonly sentAt = new Map<NodeId, number>()
  private readonly roundTrips = new Map<NodeId, number>()

  constructor(config: HostConfig, steps: StepQueue, events: PeerLinksEvents) {
    const { names, algorithm, detector } = config
    this.config = config
    this.asked = config.answer
    this.steps = steps
    this.events = events
    this.wire = new Wire(algorithm.messages, detector.messages)
    this.idOf = seatsOf(names)
  }

  /** The configuration has changed. Who was removed stays a peer: it may have to learn it. */
  reconfigure(): void {
    const { names, peers, group } = this.config
    for (const name of this.idOf.keys()) {
      if (!peers.some(({ id }) => id === name)) this.endpoint?.removePeer(name)
    }
    this.idOf = seatsOf(names)
    for (const peer of peers) this.endpoint?.setPeer(peer)
    this.endpoint?.setTiming(timingOf(group))
  }

  protocolOf(peer: NodeId): number | undefined {
    return this.protocols.get(peer)
  }

  /** Throws what `listen` throws. */
  async open(incarnation: number): Promise<void> {
    const { transport, identity, listen, peers, group } = this.config
    this.connectedPeers.clear()
    // Not copied: it changes with the configuration.
    const own = Object.assign(Object.create(identity) as typeof identity, { incarnation })
    this.endpoint = await transport.listen(own, listen, peers, this, timingOf(group))
  }

  async close(): Promise<void> {
    await this.endpoint?.close()
  }

  get address(): string {
    return this.endpoint?.address ?? this.config.listen
  }

  get counters(): Readonly<Record<string, number>> {
    return { malformed: this.malformed, frames: this.frames, ...this.endpoint?.counters }
  }

  /** When a frame of the peer last arrived; undefined: never. */
  lastReceivedAt(peer: NodeId): number | undefined {
    return this.receivedAt.get(peer)
  }

  /** Milliseconds from the last frame to the peer to the next one from it, if that was within `messageMs`. */
  roundTripMs(peer: NodeId): number | undefined {
    return this.roundTrips.get(peer)
  }

  /** The number of the peer's latest process that connected; 0: none has. */
  processOf(peer: NodeId): number {
    return this.incarnations.get(peer) ?? 0
  }

  /** Why the peer is not connected; undefined: it is, or nothing is known. */
  troubleOf(peer: NodeId): string | undefined {
    return this.troubles.get(peer)
  }

  /** Dials the peer if there is no connection. */
  probe(peer: NodeId): void {
    this.endpoint?.probe(this.config.names[peer])
  }

  release(peer: NodeId): void {
    this.endpoint?.release(this.config.names[peer])
  }

  // Rest, where groups share connections.

  get sharesConnections(): boolean {
    return this.endpoint?.beats !== undefined
  }

  askToRest(peers: readonly NodeId[]): void {
    this.endpoint?.beats?.ask(peers.map((peer) => this.config.names[peer]))
  }

  endRest(): void {
    this.endpoint?.beats?.end()
  }

  /** When the last beat that counts was sent, or arrived. */
  lastBeat(peer: NodeId): number {
    return this.endpoint?.beats?.lastBeat(this.config.names[peer]) ?? -Infinity
  }

  heardAt(peer: NodeId, moment: number): void {
    this.receivedAt.set(peer, moment)
  }

  // The outbox of a step.

  send(peer: NodeId, frame: Frame): void {
    this.outbox.push({ peer, frame })
  }

  get hasOutgoing(): boolean {
    return this.outbox.length > 0
  }

  discard(): void {
    this.outbox.length = 0
  }

  flush(): void {
    const { me, names } = this.config
    for (const { peer, frame } of this.outbox.splice(0)) {
      if (peer === me) this.steps.add(() => this.receive(peer, frame))
      else {
        // Another member may have the name of one that was removed.
        if (this.idOf.get(names[peer]) !== peer) continue
        this.sentAt.set(peer, this.steps.now)
        this.endpoint?.send(names[peer], this.wire.encode(frame))
      }
    }
  }

  // Events of the transport.

  connected(name: string, incarnation: number, protocol: number): void {
    const peer = this.idOf.get(name)
    if (peer === undefined) return
    this.steps.run(() => {
      const known = this.incarnations.get(peer) ?? incarnation
      this.incarnations.set(peer, Math.max(known, incarnation))
      this.protocols.set(peer, protocol)
      this.troubles.delete(peer)
      this.connectedPeers.add(peer)
      this.events.connected(peer, incarnation > known ? 'restarted' : 'connected')
    })
  }

  restAsked(name: string): boolean {
    const leader = this.idOf.get(name)
    return leader !== undefined && this.events.restAsked(leader)
  }

  restAgreed(name: string): void {
    const follower = this.idOf.get(name)
    if (follower !== undefined) this.events.restAgreed(follower)
  }

  woken(): void {
    this.events.woken()
  }

  frame(name: string, payload: Json): void {
    const from = this.idOf.get(name)
    if (from === undefined) return
    this.frames += 1
    const frame = this.decode(payload)
    if (frame !== null) this.steps.run(() => this.receive(from, frame))
  }

  lost(name: string, loss: LinkLoss): void {
    const peer = this.idOf.get(name)
    if (peer === undefined) return
    if (loss.kind === 'rejected') {
      this.rejected(peer, loss.field, loss.detail)
      const { seen } = loss
      if (seen !== undefined) this.steps.run(() => this.events.outdated(peer, seen))
      return
    }
    this.explain(peer, loss)
    this.steps.run(() => {
      this.connectedPeers.delete(peer)
      this.events.lost(peer, loss.kind === 'refused' ? 'refused' : 'closed')
    })
  }

  private explain(peer: NodeId, loss: Exclude<LinkLoss, { readonly kind: 'rejected' }>): void {
    const where = this.config.peers.find(({ id }) => id === this.config.names[peer])?.address
    if (loss.kind === 'closed') this.troubles.set(peer, 'its connection has ended')
    else if (loss.kind === 'refused') {
      const refused = `${where} refuses the connection: no process listens there`
      this.unreachable(peer, loss.cause === undefined ? refused : `${where}: ${loss.cause}`)
    } else if (loss.suspicion === undefined) this.unreachable(peer, `${where}: ${loss.cause}`)
    else this.rejected(peer, loss.suspicion.field, loss.suspicion.detail)
  }

  private unreachable(peer: NodeId, reason: string): void {
    if (this.isNewTrouble(peer, reason)) this.events.unreachable(peer, reason)
  }

  private rejected(peer: NodeId, field: string, detail: string): void {
    if (this.isNewTrouble(peer, detail)) this.events.rejected(peer, field, detail)
  }

  private isNewTrouble(peer: NodeId, trouble: string): boolean {
    const isNew = this.troubles.get(peer) !== trouble
    this.troubles.set(peer, trouble)
    return isNew
  }

  refused(): void {
    this.malformed += 1
  }

  private receive(from: NodeId, frame: Frame): void {
    const { now } = this.steps
    this.receivedAt.set(from, now)
    const sentAt = this.sentAt.get(from)
    this.sentAt.delete(from)
    if (sentAt !== undefined && now - sentAt < this.config.group.timing.messageMs) {
      this.roundTrips.set(from, Math.round(1000 * (now - sentAt)) / 1000)
    }
    this.events.received(from, frame)
  }

  private decode(payload: Json): Frame | null {
    try {
      return this.wire.decode(payload)
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      this.malformed += 1
      return null
    }
  }
}

function timingOf({ timing }: Group): LinkTiming {
  return { answerMs: timing.detectionMs, periodMs: timing.periodMs }
}

/** The seats of names; where two members had one name, the later one has it. */
function seatsOf(names: readonly string[]): ReadonlyMap<string, NodeId> {
  return new Map(names.flatMap((name, id) => (name === '' ? [] : [[name, id]])))
}
