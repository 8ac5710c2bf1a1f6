/** Opens and accepts sockets without TLS: under a shared key, or with `insecurePlaintext`. */
import { connect } from 'node:net'
import type { ChunkReader, Security } from '../endpoint-context.ts'
import type { KeyRing } from './pre-shared-key.ts'

/** Holds hundreds of heartbeats, or one large frame. */
const CHUNK = 16 * 1024

const OTHER_KEY = {
  field: 'key',
  detail:
    'the process at its address ends every handshake: it may hold another key, belong to another group, or be a proxy of a member that is not up',
}

/** A shared key changes the handshake and the frames, not the socket. */
export function bareSockets(keys?: KeyRing): Security {
  return {
    name: keys === undefined ? 'plain' : 'psk',
    ...(keys !== undefined && { keys, silence: OTHER_KEY }),
    connect({ host, port }, _peer, lookup) {
      const incoming: ChunkReader = { take: () => undefined }
      const socket = connect({
        host,
        port,
        allowHalfOpen: true,
        noDelay: true,
        onread: {
          buffer: Buffer.allocUnsafe(CHUNK),
          callback: (length, buffer) => {
            incoming.take((buffer as Buffer).subarray(0, length))
            return true
          },
        },
        ...(lookup && { lookup }),
      })
      return { socket, incoming, readyEvent: 'connect' }
    },
    accept: (raw, events) => events.ready(raw, {}),
  }
}
