/** Passes on the events of a transport while a condition holds: its endpoint is open, its link to the peer is not cut. */
import type { LinkEvents } from './transport.ts'

export function eventsWhile(isActive: (peer?: string) => boolean, events: LinkEvents): LinkEvents {
  return {
    connected: (peer, ...process) => isActive(peer) && events.connected(peer, ...process),
    frame: (peer, payload) => isActive(peer) && events.frame(peer, payload),
    lost: (peer, loss) => isActive(peer) && events.lost(peer, loss),
    ...(events.asked && { asked: events.asked }),
    refused: (reason) => isActive() && events.refused(reason),
  }
}
