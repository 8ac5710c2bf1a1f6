/**
 * A transport between endpoints of one process, for tests, with directed cuts and crashes. One queue carries out all
 * actions in order, after the code that caused them has returned: runs are repeatable, and no callback re-enters. Cuts
 * are directed, are not reported and keep connections open, as in a real network.
 */
import type { Json } from '../core/schema.ts'
import { ListenError, TransportError } from './errors.ts'
import { jsonCodec, MAX_BODY } from './frame.ts'
import {
  compare,
  compareSeats,
  introductionOf,
  newProcessToken,
  PROTOCOL,
  quote,
  type Introduction,
  type Rejection,
} from './handshake.ts'
import { eventsWhile } from './scoped-events.ts'
import type { Endpoint, Identity, LinkEvents, LinkLoss, Peer, Transport } from './transport.ts'

export interface HubOptions {
  /** Schedules a run of the queue; a test that steps by hand passes a function that does nothing and calls `run`. */
  readonly schedule?: (run: () => void) => void
}

export class MemoryHub implements Transport {
  /** @internal By address. */
  readonly listening = new Map<string, MemoryEndpoint>()
  private readonly cuts = new Set<string>()
  private readonly queue: (() => void)[] = []
  private readonly schedule: (run: () => void) => void
  private running = false
  private ports = 0

  constructor({ schedule = queueMicrotask }: HubOptions = {}) {
    this.schedule = schedule
  }

  /** An address that is taken is an error, one that ends in `:0` is given a number. */
  readonly listen: Transport['listen'] = async (identity, address, peers, events) => {
    const bound = address.replace(/:0$/, () => `:${(this.ports += 1)}`)
    if (this.listening.has(bound)) {
      throw new ListenError(`cannot listen on ${bound}: another endpoint listens there`)
    }
    const endpoint = new MemoryEndpoint(this, identity, bound, peers, events)
    this.listening.set(bound, endpoint)
    return Promise.resolve(endpoint)
  }

  readonly visit: NonNullable<Transport['visit']> = async (cluster, address, question) => {
    const { identity, visitors } = this.listening.get(address) ?? {}
    if (identity?.cluster !== cluster) throw new TransportError('no process listens there')
    if (visitors === undefined) throw new TransportError('this member answers no visitors')
    return visitors('', question)
  }

  /** Cuts the link between two members; with `one`, in this direction only. */
  cut(from: string, to: string, ways: 'both' | 'one' = 'both'): void {
    this.cuts.add(way(from, to))
    if (ways === 'both') this.cuts.add(way(to, from))
  }

  heal(from?: string, to?: string): void {
    if (from === undefined || to === undefined) return this.cuts.clear()
    this.cuts.delete(way(from, to))
    this.cuts.delete(way(to, from))
  }

  /** Crashes a member: its connections close, and its address refuses dials. */
  crash(id: string): void {
    for (const endpoint of this.listening.values()) {
      if (endpoint.identity.id === id) endpoint.crash()
    }
  }

  run(): void {
    if (this.running) return
    this.running = true
    try {
      for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) next()
    } finally {
      this.running = false
      if (this.queue.length > 0) this.schedule(() => this.run())
    }
  }

  /** @internal */
  enqueue(action: () => void): void {
    this.queue.push(action)
    if (this.queue.length === 1 && !this.running) this.schedule(() => this.run())
  }

  /** @internal */
  passes(from: string, to: string): boolean {
    return !this.cuts.has(way(from, to))
  }
}

function way(from: string, to: string): string {
  return JSON.stringify([from, to])
}

class MemoryEndpoint implements Endpoint {
  readonly address: string
  readonly identity: Identity
  readonly counters = { framesSent: 0, framesReceived: 0, undelivered: 0, dials: 0, rejected: 0 }
  private readonly hub: MemoryHub
  readonly visitors: LinkEvents['asked']
  private readonly events: LinkEvents
  private readonly addresses: Map<string, string>
  /** Where the last process of each peer listened. */
  private readonly places = new Map<string, string>()
  private readonly seats: Map<string, number>
  private readonly life = newProcessToken()
  private readonly connected = new Map<string, MemoryEndpoint>()
  private readonly seen = new Map<string, number>()
  private open = true
  private isClosing = false

  constructor(
    hub: MemoryHub,
    identity: Identity,
    address: string,
    peers: readonly Peer[],
    events: LinkEvents,
  ) {
    this.hub = hub
    this.identity = identity
    this.address = address
    this.visitors = events.asked
    this.events = eventsWhile(() => this.open && !this.isClosing, events)
    const others = peers.filter(({ id }) => id !== identity.id)
    this.addresses = new Map(others.map((peer) => [peer.id, peer.address]))
    this.seats = new Map(others.map(({ id, seat = 0 }) => [id, seat]))
  }

  send(peer: string, payload: Json): void {
    if (!this.knows(peer)) return
    const body = jsonCodec.encode(payload)
    if (body.length > MAX_BODY) {
      this.events.refused(`a frame for ${peer} has ${body.length} bytes: not sent`)
      return
    }
    this.counters.framesSent += 1
    this.hub.enqueue(() => this.deliver(peer, body))
  }

  probe(peer: string): void {
    if (this.knows(peer)) this.hub.enqueue(() => this.dial(peer))
  }

  release(peer: string): void {
    const other = this.connected.get(peer)
    if (other === undefined) return
    this.connected.delete(peer)
    this.hub.enqueue(() => other.ended(this))
  }

  setPeer({ id, address, seat = 0 }: Peer): void {
    if ((this.seats.get(id) ?? seat) !== seat) this.release(id)
    this.seats.set(id, seat)
    this.addresses.set(id, address)
  }

  removePeer(peer: string): void {
    this.release(peer)
    this.addresses.delete(peer)
  }

  /** Here the end of a connection is always noticed. */
  setTiming(): void {}

  /** Reports nothing from now on; closes when the frames that were sent before have arrived. */
  close(): Promise<void> {
    this.isClosing = true
    return new Promise((resolve) => {
      this.hub.enqueue(() => {
        this.crash()
        resolve()
      })
    })
  }

  /** @internal Stops at once; the connected peers are notified in turn. */
  crash(): void {
    if (!this.open) return
    this.open = false
    this.hub.listening.delete(this.address)
    for (const other of this.connected.values()) this.hub.enqueue(() => other.ended(this))
    this.connected.clear()
  }

  /** @internal The connection to this endpoint has ended; a cut hides it. */
  ended(other: MemoryEndpoint): void {
    const { id } = other.identity
    const isCurrent = this.open && this.connected.get(id) === other
    if (!isCurrent || !this.hub.passes(id, this.identity.id)) return
    this.connected.delete(id)
    this.events.lost(id, { kind: 'closed' })
  }

  private knows(peer: string): boolean {
    if (!this.open || this.isClosing) return false
    if (this.addresses.has(peer)) return true
    this.counters.undelivered += 1
    this.events.refused(`${peer} is not a peer`)
    return false
  }

  private deliver(peer: string, body: Buffer): void {
    const other = this.dial(peer)
    const arrives = other?.open === true && this.hub.passes(this.identity.id, peer)
    if (!arrives) {
      this.counters.undelivered += 1
      // A closed process answers data with a reset.
      if (other !== undefined && !other.open) this.ended(other)
      return
    }
    other.counters.framesReceived += 1
    other.events.frame(this.identity.id, jsonCodec.decode(body))
  }

  private dial(peer: string): MemoryEndpoint | undefined {
    if (!this.open) return undefined
    const known = this.connected.get(peer)
    if (known !== undefined) return known
    this.counters.dials += 1
    const { id } = this.identity
    if (!this.hub.passes(id, peer) || !this.hub.passes(peer, id)) {
      return this.lose(peer, { kind: 'unreachable', cause: 'cut' })
    }
    const other = this.hub.listening.get(this.addresses.get(peer) ?? '')
    if (other === undefined) {
      const place = this.places.get(peer) ?? this.addresses.get(peer)
      // The process that connected last may still listen where it was.
      if (place === this.addresses.get(peer)) return this.lose(peer, { kind: 'refused' })
      return this.lose(peer, {
        kind: 'unreachable',
        cause: 'refuses the connection; its last process was at another address',
      })
    }
    const rejection =
      other.judge(id, this.introduction(peer)) ?? this.judge(peer, other.introduction(id))
    if (rejection !== undefined) {
      other.rejectPeer(id, rejection)
      return this.lose(peer, { kind: 'rejected', ...rejection })
    }
    other.connect(this)
    this.connect(other)
    return other.open ? other : undefined
  }

  private judge(expected: string, theirs: Introduction): Rejection | undefined {
    const difference = compare(this.introduction(theirs.id), theirs)
    if (difference !== undefined) return difference
    if (theirs.id !== expected || !this.addresses.has(theirs.id)) {
      return { field: 'id', detail: `${quote(theirs.id)} is not the expected peer` }
    }
    const wrongSeat = compareSeats(this.seats.get(theirs.id) ?? 0, theirs)
    if (wrongSeat !== undefined) return wrongSeat
    const seen = this.seen.get(theirs.id) ?? -1
    if (theirs.incarnation >= seen) return undefined
    const detail = `incarnation ${theirs.incarnation} is over: ${seen} has been seen`
    return { field: 'incarnation', detail }
  }

  private rejectPeer(id: string, rejection: Rejection): void {
    this.counters.rejected += 1
    this.events.refused(`${rejection.field}: ${rejection.detail}`)
    const known = this.addresses.has(id) && !this.connected.has(id)
    if (known) this.events.lost(id, { kind: 'rejected', ...rejection })
  }

  private connect(other: MemoryEndpoint): void {
    const { id, incarnation } = other.identity
    const old = this.connected.get(id)
    this.connected.set(id, other)
    this.seen.set(id, incarnation)
    this.places.set(id, other.address)
    if (old !== undefined && old !== other) this.events.lost(id, { kind: 'closed' })
    this.events.connected(id, incarnation, PROTOCOL)
  }

  private introduction(to: string): Introduction {
    return introductionOf(this.identity, { security: 'plain', life: this.life, to })
  }

  private lose(peer: string, loss: LinkLoss): undefined {
    this.events.lost(peer, loss)
    return undefined
  }
}
