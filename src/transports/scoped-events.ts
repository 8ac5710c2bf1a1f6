/** Stops the events of a transport when its endpoint closes. */
import type { LinkEvents } from './transport.ts'

/** Passes events on while `isActive` returns true. */
export function eventsWhile(isActive: () => boolean, events: LinkEvents): LinkEvents {
  return {
    connected: (peer, incarnation) => isActive() && events.connected(peer, incarnation),
    frame: (peer, payload) => isActive() && events.frame(peer, payload),
    lost: (peer, loss) => isActive() && events.lost(peer, loss),
    refused: (reason) => isActive() && events.refused(reason),
  }
}
