/** A transport whose links can be cut by hand, silently, as a broken network cuts them. */
import type { Endpoint, LinkEvents, Transport } from '../transports/transport.ts'

export interface CuttableTransport {
  readonly transport: Transport
  /** From now on nothing goes to or comes from these peers; all others are healed. */
  cut(peers: Iterable<string>): void
}

export function makeCuttable(inner: Transport): CuttableTransport {
  let severed = new Set<string>()
  const isCut = (peer: string): boolean => severed.has(peer)
  const filtered = (events: LinkEvents): LinkEvents => ({
    connected: (peer, incarnation) => {
      if (!isCut(peer)) events.connected(peer, incarnation)
    },
    frame: (peer, payload) => {
      if (!severed.has(peer)) events.frame(peer, payload)
    },
    lost: (peer, loss) => {
      if (!isCut(peer)) events.lost(peer, loss)
    },
    refused: (reason) => events.refused(reason),
  })
  const guarded = (endpoint: Endpoint): Endpoint => ({
    address: endpoint.address,
    counters: endpoint.counters,
    send: (peer, payload) => {
      if (!severed.has(peer)) endpoint.send(peer, payload)
    },
    probe: (peer) => {
      if (!isCut(peer)) endpoint.probe(peer)
    },
    release: (peer) => endpoint.release(peer),
    close: async () => endpoint.close(),
  })
  return {
    transport: {
      listen: async (identity, address, peers, events) =>
        guarded(await inner.listen(identity, address, peers, filtered(events))),
    },
    cut(peers) {
      severed = new Set(peers)
    },
  }
}
