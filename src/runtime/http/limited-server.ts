/**
 * Makes HTTP servers that stay reachable: a request has little time to arrive, and when there are too many connections,
 * the one that has been without a request for the longest is closed, of the source that has the most.
 */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'

const MAX_CONNECTIONS = 128
const HEADERS_MS = 2000
const REQUEST_MS = 5000
/** How often Node looks for requests that are late. */
const CHECK_MS = 500

/** `isExempt`: a stream that the server itself limits is not closed. */
export function createLimitedServer(
  listener: RequestListener,
  isExempt: (socket: Socket) => boolean = () => false,
): Server {
  const limits = {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECK_MS,
  }
  const server = createServer(limits, listener)
  /** In the order of their last requests. */
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    const evictable = [...sockets].filter((one) => !isExempt(one))
    if (evictable.length > MAX_CONNECTIONS) oldestOfLargestSource(evictable).destroy()
  })
  server.on('request', ({ socket }) => {
    if (!sockets.delete(socket)) return
    sockets.add(socket)
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  return server
}

function oldestOfLargestSource(sockets: readonly Socket[]): Socket {
  const counts = new Map<string | undefined, number>()
  for (const { remoteAddress } of sockets) {
    counts.set(remoteAddress, (counts.get(remoteAddress) ?? 0) + 1)
  }
  const largest = Math.max(...counts.values())
  return sockets.find(({ remoteAddress }) => counts.get(remoteAddress) === largest)!
}
