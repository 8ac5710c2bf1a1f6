import type { LinkEvents } from './transport.ts'

/** The owner's callbacks, silent once they are no longer asked for: nobody is called after `close`. */
export function eventsWhile(asked: () => boolean, events: LinkEvents): LinkEvents {
  return {
    connected: (peer, incarnation) => asked() && events.connected(peer, incarnation),
    frame: (peer, payload) => asked() && events.frame(peer, payload),
    lost: (peer, loss) => asked() && events.lost(peer, loss),
    refused: (reason) => asked() && events.refused(reason),
  }
}
