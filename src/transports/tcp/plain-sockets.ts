/**
 * Opens and accepts sockets without TLS: for the loopback interface, under a pre-shared key, or with
 * `insecurePlaintext`.
 */
import { connect } from 'node:net'
import type { ChunkReader, Security } from './endpoint-context.ts'
import type { PreSharedKey } from './pre-shared-key.ts'

/** Holds hundreds of heartbeats, or one large frame. */
const CHUNK = 16 * 1024

/** A pre-shared key changes the handshake and the frames, not the socket. */
export function bareSockets(key?: PreSharedKey): Security {
  return {
    name: key === undefined ? 'plain' : 'psk',
    ...(key !== undefined && { key }),
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
    accept: (raw, ready) => ready(raw, {}),
  }
}
