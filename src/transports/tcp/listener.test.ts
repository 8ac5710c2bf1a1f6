import {
  createConnection,
  createServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { jsonCodec } from '../frame.ts'
import { DEFAULT_LIMITS, newCounters, type EndpointContext } from './endpoint-context.ts'
import { Listener } from './listener.ts'
import { bareSockets } from './security/plain-sockets.ts'

let server: Server
const dialled: Socket[] = []

beforeEach(async () => {
  server = createServer({ allowHalfOpen: true })
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(async () => {
  for (const socket of dialled.splice(0)) socket.destroy()
  await once(server.close(), 'close')
})

function contextOf(): EndpointContext {
  return {
    identity: { id: 'b', cluster: 'test', configuration: 'c0ffee', incarnation: 1 },
    processToken: 'life',
    security: bareSockets(),
    codec: jsonCodec,
    limits: DEFAULT_LIMITS,
    lookup: undefined,
    counters: newCounters(),
    firstUse: () => true,
    connections: new Set(),
    events: { connected: () => {}, frame: () => {}, lost: () => {}, refused: () => {} },
  }
}

/** A connection that seems to come from this address. */
async function arriveFrom(remoteAddress: string): Promise<Socket> {
  const { port } = server.address() as AddressInfo
  const arrived = once(server, 'connection')
  const socket = createConnection(port, '127.0.0.1')
  dialled.push(socket.on('error', () => {}))
  const [raw] = (await arrived) as [Socket]
  return Object.defineProperty(raw, 'remoteAddress', { value: remoteAddress })
}

test('one address that is no peer has a few handshakes at once, and takes none from others', async () => {
  const context = contextOf()
  const listener = new Listener(context, new Map(), [{ host: '10.0.0.1', port: 7400 }])
  const raws: Socket[] = []
  for (const source of ['10.0.0.1', '10.0.0.9', '10.0.0.8']) {
    for (let i = 0; i < (source === '10.0.0.8' ? 1 : 40); i++) {
      const raw = await arriveFrom(source)
      raws.push(raw)
      listener.accept(raw)
    }
  }
  const openFrom = (source: string): number =>
    raws.filter((raw) => raw.remoteAddress === source && !raw.destroyed).length
  expect(openFrom('10.0.0.9')).toBe(DEFAULT_LIMITS.pendingPerSource)
  expect(context.counters.evicted).toBe(40 - DEFAULT_LIMITS.pendingPerSource)
  // Many members may share the address of a peer.
  expect([openFrom('10.0.0.1'), openFrom('10.0.0.8')]).toEqual([40, 1])
  listener.close()
})
