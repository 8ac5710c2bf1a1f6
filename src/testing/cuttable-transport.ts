/** A transport whose links can be cut: nothing passes, and nothing is reported, as in a broken network. */
import type { Endpoint, Identity, LinkEvents, Peer, Transport } from '../transports/transport.ts'

export class CuttableTransport implements Transport {
  private readonly inner: Transport
  private cutPeers: ReadonlySet<string> = new Set()

  constructor(inner: Transport) {
    this.inner = inner
  }

  /** Cuts the links to these peers; heals all others. */
  cut(peers: Iterable<string>): void {
    this.cutPeers = new Set(peers)
  }

  async listen(
    identity: Identity,
    address: string,
    peers: readonly Peer[],
    events: LinkEvents,
  ): Promise<Endpoint> {
    const isOpen = (peer: string): boolean => !this.cutPeers.has(peer)
    const endpoint = await this.inner.listen(identity, address, peers, {
      connected: (peer, incarnation) => isOpen(peer) && events.connected(peer, incarnation),
      frame: (peer, payload) => isOpen(peer) && events.frame(peer, payload),
      lost: (peer, loss) => isOpen(peer) && events.lost(peer, loss),
      refused: (reason) => events.refused(reason),
    })
    return {
      address: endpoint.address,
      counters: endpoint.counters,
      send: (peer, payload) => isOpen(peer) && endpoint.send(peer, payload),
      probe: (peer) => isOpen(peer) && endpoint.probe(peer),
      release: (peer) => endpoint.release(peer),
      close: async () => endpoint.close(),
    }
  }
}
