/** No protection: for the loopback interface, or where somebody asked for it by name. */
import { connect } from 'node:net'
import type { Security } from './context.ts'
import type { PreSharedKey } from './psk.ts'

/** Bare sockets. A pre-shared key changes the handshake and the frames, not the socket. */
export function bareSockets(key?: PreSharedKey): Security {
  return {
    name: key === undefined ? 'plain' : 'psk',
    ...(key !== undefined && { key }),
    connect: ({ host, port }, _peer, lookup) => ({
      socket: connect({
        host,
        port,
        allowHalfOpen: true,
        noDelay: true,
        ...(lookup && { lookup }),
      }),
      readyEvent: 'connect',
    }),
    accept: (raw, ready) => ready(raw, {}),
  }
}
