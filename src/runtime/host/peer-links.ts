/**
 * What leaves and reaches this member. The transport knows names and JSON, everybody else numbers and
 * frames. What a step sends waits here until the step is committed; malformed frames stop here.
 *
 * It remembers what a peer showed by its links and frames alone, whatever a detector makes of that.
 */
import { NONE, type NodeId } from '../../core/node-id.ts'
import { CodecError, type Json } from '../../core/schema.ts'
import type { Endpoint, LinkEvents, LinkLoss } from '../../transports/transport.ts'
import type { HostConfig, HostEvents } from './host-config.ts'
import type { StepQueue } from './step-queue.ts'
import { Wire, type Frame } from './wire.ts'

/** Who is told, each time in a step. */
interface Owner {
  connected(peer: NodeId, evidence: 'connected' | 'restarted'): void
  received(from: NodeId, frame: Frame): void
  lost(peer: NodeId, evidence: 'refused' | 'closed'): void
}

export class PeerLinks implements LinkEvents {
  /** Frames that came, and how many of them nobody could read. */
  frames = 0
  malformed = 0
  /** Peers with a connection. */
  readonly linked = new Set<NodeId>()
  private readonly config: HostConfig
  private readonly events: HostEvents
  private readonly steps: StepQueue
  private readonly owner: Owner
  private readonly wire: Wire
  private readonly idOf: ReadonlyMap<string, NodeId>
  private endpoint: Endpoint | null = null
  private readonly outbox: { readonly peer: NodeId; readonly frame: Frame }[] = []
  private readonly lives = new Map<NodeId, number>()
  /** Why a peer and I turn each other away. */
  private readonly misfits = new Map<NodeId, string>()
  private readonly heardAt = new Map<NodeId, number>()
  /** When a frame left to which none has come back; and how long that last took. */
  private readonly sentAt = new Map<NodeId, number>()
  private readonly roundTrips = new Map<NodeId, number>()

  constructor(config: HostConfig, events: HostEvents, steps: StepQueue, owner: Owner) {
    const { group, names, algorithm, detector } = config
    this.config = config
    this.events = events
    this.steps = steps
    this.owner = owner
    this.wire = new Wire(group.members, algorithm.messages, detector.messages)
    this.idOf = new Map(names.flatMap((name, id) => (id === NONE ? [] : [[name, id]])))
  }

  /** Throws what `listen` throws. */
  async open(incarnation: number): Promise<void> {
    const { transport, identity, listen, peers } = this.config
    this.endpoint = await transport.listen({ ...identity, incarnation }, listen, peers, this)
  }

  async close(): Promise<void> {
    await this.endpoint?.close()
  }

  get address(): string {
    return this.endpoint?.address ?? this.config.listen
  }

  get transportCounters(): Readonly<Record<string, number>> {
    return this.endpoint?.counters ?? {}
  }

  /** When a frame of the peer last came; undefined: never. */
  lastHeard(peer: NodeId): number | undefined {
    return this.heardAt.get(peer)
  }

  /** Milliseconds from a frame of mine to the next one of the peer, when last it was quick. */
  roundTrip(peer: NodeId): number | undefined {
    return this.roundTrips.get(peer)
  }

  /** Asks whether anybody is there. */
  probe(peer: NodeId): void {
    this.endpoint?.probe(this.config.names[peer])
  }

  release(peer: NodeId): void {
    this.endpoint?.release(this.config.names[peer])
  }

  // What a step sends.

  post(peer: NodeId, frame: Frame): void {
    this.outbox.push({ peer, frame })
  }

  postToAll(frame: Frame): void {
    const { group, me } = this.config
    for (const peer of group.everyone) if (peer !== me) this.post(peer, frame)
  }

  get hasPosted(): boolean {
    return this.outbox.length > 0
  }

  /** The step was not finished. */
  discard(): void {
    this.outbox.length = 0
  }

  /** The step is committed. */
  flush(): void {
    const { me, names } = this.config
    for (const { peer, frame } of this.outbox.splice(0)) {
      if (peer === me) this.steps.follow(() => this.receive(peer, frame))
      else {
        this.sentAt.set(peer, this.steps.now)
        this.endpoint?.send(names[peer], this.wire.encode(frame))
      }
    }
  }

  // What the transport tells.

  connected(name: string, incarnation: number): void {
    const peer = this.idOf.get(name)
    if (peer === undefined) return
    this.steps.run(() => {
      const known = this.lives.get(peer) ?? incarnation
      this.lives.set(peer, Math.max(known, incarnation))
      this.misfits.delete(peer)
      this.linked.add(peer)
      this.owner.connected(peer, incarnation > known ? 'restarted' : 'connected')
    })
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
    if (loss.kind === 'rejected') return this.turnedAway(peer, loss.field, loss.detail)
    this.steps.run(() => {
      this.linked.delete(peer)
      this.owner.lost(peer, loss.kind === 'refused' ? 'refused' : 'closed')
    })
  }

  refused(): void {
    this.malformed += 1
  }

  private receive(from: NodeId, frame: Frame): void {
    const { now } = this.steps
    this.heardAt.set(from, now)
    const sentAt = this.sentAt.get(from)
    this.sentAt.delete(from)
    if (sentAt !== undefined && now - sentAt < this.config.group.timing.messageMs) {
      this.roundTrips.set(from, Math.round(1000 * (now - sentAt)) / 1000)
    }
    this.owner.received(from, frame)
  }

  /** It lives, but we do not fit together. Told once, until it fits. */
  private turnedAway(peer: NodeId, field: string, detail: string): void {
    if (this.misfits.get(peer) === detail) return
    this.misfits.set(peer, detail)
    this.events.misfit(peer, field, detail)
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
