/** A transport whose links can be cut: nothing passes, and nothing is reported, as in a broken network. */
import { eventsWhile } from '../transports/scoped-events.ts'
import type { Transport } from '../transports/transport.ts'

export class CuttableTransport implements Transport {
  private readonly inner: Transport
  private cutPeers: ReadonlySet<string> = new Set()

  readonly visit?: NonNullable<Transport['visit']>

  constructor(inner: Transport) {
    this.inner = inner
    if (inner.visit !== undefined) this.visit = async (...asked) => inner.visit!(...asked)
  }

  /** Cuts the links to these peers; heals all others. */
  cut(peers: Iterable<string>): void {
    this.cutPeers = new Set(peers)
  }

  readonly listen: Transport['listen'] = async (identity, address, peers, events, timing) => {
    const isOpen = (peer?: string): boolean => peer === undefined || !this.cutPeers.has(peer)
    const reported = eventsWhile(isOpen, events)
    const endpoint = await this.inner.listen(identity, address, peers, reported, timing)
    return {
      address: endpoint.address,
      counters: endpoint.counters,
      send: (peer, payload) => isOpen(peer) && endpoint.send(peer, payload),
      probe: (peer) => isOpen(peer) && endpoint.probe(peer),
      release: (peer) => endpoint.release(peer),
      setPeer: (peer) => endpoint.setPeer(peer),
      removePeer: (peer) => endpoint.removePeer(peer),
      setTiming: (next) => endpoint.setTiming(next),
      close: async () => endpoint.close(),
    }
  }
}
