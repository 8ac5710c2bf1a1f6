/** Measures the TCP transport against bare sockets: latency of a frame (plain and with a key), of a seen close, of a refused dial, and of the first frame on a new link. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Json } from '../src/core/schema.ts'
import { parseAddress } from '../src/transports/address.ts'
import { frameOf, jsonCodec } from '../src/transports/frame.ts'
import { introductionOf } from '../src/transports/handshake.ts'
import { tcp, type TcpOptions } from '../src/transports/tcp/tcp.ts'
import type { Endpoint, LinkEvents } from '../src/transports/transport.ts'
import { row, type Entry, type Row, type Scale } from './harness.ts'

const IDENTITY = { cluster: 'bench', configuration: '', incarnation: 1 }
const PAYLOAD: Json = { to: 'election', message: { type: 'halt', id: [3, 17, 2], term: 2051 } }

/** An endpoint whose next event of each kind can be waited for. */
class Waiter implements LinkEvents {
  onFrame = (): void => {}
  onLost = (): void => {}
  onConnected = (): void => {}
  connected(): void {
    this.onConnected()
  }
  frame(): void {
    this.onFrame()
  }
  lost(): void {
    this.onLost()
  }
  refused(): void {}
}

async function member(
  id: string,
  peer: { readonly id: string; readonly address: string },
  options: TcpOptions = {},
): Promise<{ readonly endpoint: Endpoint; readonly events: Waiter }> {
  const events = new Waiter()
  const limits = { burstFrames: 1e9, redialMs: 0, redialMaxMs: 0, ...options.limits }
  const protection = options.key === undefined ? { insecurePlaintext: true } : {}
  const transport = tcp({ ...protection, ...options, limits })
  return {
    endpoint: await transport.listen({ ...IDENTITY, id }, '127.0.0.1:0', [peer], events),
    events,
  }
}

/** Microseconds from `begin` to the moment when the thing it starts calls back. */
async function time(begin: (done: () => void) => void): Promise<number> {
  let started = 0n
  const ended = await new Promise<bigint>((resolve) => {
    started = process.hrtime.bigint()
    begin(() => resolve(process.hrtime.bigint()))
  })
  return Number(ended - started) / 1000
}

interface Medians {
  readonly bareUs: number
  readonly oursUs: number
}

/** The medians of both, measured in turns, so that a neighbour's load falls on both alike. */
async function compare(
  repeats: number,
  bare: () => Promise<number>,
  ours: () => Promise<number>,
): Promise<Medians> {
  const times: [number[], number[]] = [[], []]
  // Long enough for the compiler to have seen both.
  const warmUp = repeats >> 1
  for (let i = 0; i < repeats + warmUp; i++) {
    const pair = [await bare(), await ours()]
    if (i >= warmUp) pair.forEach((value, k) => times[k].push(value))
  }
  const [bareUs, oursUs] = times.map((list) => list.toSorted((a, b) => a - b)[repeats >> 1])
  return { bareUs, oursUs }
}

async function bareServer(accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ noDelay: true }, accept)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

async function shut(server: Server): Promise<void> {
  await once(server.close(), 'close')
}

/** From send to the peer's callback, on a link that stands; the bare one sends and reads JSON too. */
async function frameLatency(repeats: number, options: TcpOptions) {
  let arrived = (_payload: unknown): void => {}
  const server = await bareServer((socket) =>
    socket.on('data', (chunk: Buffer) => arrived(JSON.parse(chunk.toString()))),
  )
  const client = connect({ port: portOf(server), host: '127.0.0.1', noDelay: true })
  const b = await member('b', { id: 'a', address: '127.0.0.1:1' }, options)
  const a = await member('a', { id: 'b', address: b.endpoint.address }, options)
  const result = await compare(
    repeats,
    () =>
      time((done) => {
        arrived = done
        client.write(JSON.stringify(PAYLOAD))
      }),
    () =>
      time((done) => {
        b.events.onFrame = done
        a.endpoint.send('b', PAYLOAD)
      }),
  )
  await Promise.all([a.endpoint.close(), b.endpoint.close()])
  client.destroy()
  await shut(server)
  return result
}

/** From the peer's end of the connection going away to knowing it. */
async function closeLatency(repeats: number) {
  let ended = (): void => {}
  let accepted = (): void => {}
  const server = await bareServer((socket) => {
    socket.on('data', () => {})
    socket.on('close', () => ended())
    accepted()
  })
  const b = await member('b', { id: 'a', address: '127.0.0.1:1' })
  const { port } = parseAddress(b.endpoint.address)
  const hello = introductionOf({ ...IDENTITY, id: 'a' }, { security: 'plain', life: 'x', to: 'b' })
  const result = await compare(
    repeats,
    async () => {
      const socket = connect({ port: portOf(server), host: '127.0.0.1' })
      await new Promise<void>((resolve) => {
        accepted = resolve
      })
      return time((done) => {
        ended = done
        socket.destroy()
      })
    },
    async () => {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.write(frameOf(jsonCodec.encode({ hello: { ...hello } })))
      await once(socket, 'data')
      return time((done) => {
        b.events.onLost = done
        socket.destroy()
      })
    },
  )
  await b.endpoint.close()
  await shut(server)
  return result
}

/** From the dial to the refusal. */
async function refusalLatency(repeats: number) {
  const server = await bareServer(() => {})
  const port = portOf(server)
  await shut(server)
  const a = await member('a', { id: 'b', address: `127.0.0.1:${port}` })
  const result = await compare(
    repeats,
    () => time((done) => connect({ port, host: '127.0.0.1' }).on('error', done)),
    () =>
      time((done) => {
        a.events.onLost = done
        a.endpoint.probe('b')
      }),
  )
  await a.endpoint.close()
  return result
}

/** From send, with no link yet, to the peer's callback. */
async function freshLatency(repeats: number) {
  let arrived = (): void => {}
  const server = await bareServer((socket) => socket.on('data', () => arrived()))
  const b = await member('b', { id: 'a', address: '127.0.0.1:1' })
  const a = await member('a', { id: 'b', address: b.endpoint.address })
  const bytes = frameOf(jsonCodec.encode(PAYLOAD))
  const result = await compare(
    repeats,
    async () => {
      const client = connect({ port: portOf(server), host: '127.0.0.1', noDelay: true })
      const us = await time((done) => {
        arrived = done
        client.write(bytes)
      })
      client.destroy()
      return us
    },
    async () => {
      const linked = new Promise<void>((resolve) => {
        a.events.onConnected = resolve
      })
      const us = await time((done) => {
        b.events.onFrame = done
        a.endpoint.send('b', PAYLOAD)
      })
      await linked
      const closed = new Promise<void>((resolve) => {
        b.events.onLost = resolve
      })
      a.endpoint.release('b')
      await closed
      return us
    },
  )
  await Promise.all([a.endpoint.close(), b.endpoint.close()])
  await shut(server)
  return result
}

function rows(what: string, { bareUs, oursUs }: Medians, max: number): Row[] {
  return [
    row(what, oursUs, 'µs', { note: `median; bare node:net: ${bareUs.toFixed(1)}` }),
    row(`${what}, against bare`, oursUs / bareUs, '×', { bound: { max } }),
  ]
}

async function run(scale: Scale): Promise<Row[]> {
  const repeats = scale === 'tiny' ? 10 : 3000
  const key = { key: 'k'.repeat(32) }
  return [
    ...rows('frame, one way', await frameLatency(repeats, {}), 1.5),
    ...rows('frame, one way, pre-shared key', await frameLatency(repeats, key), 2.5),
    ...rows('close seen', await closeLatency(repeats / 2), 1),
    ...rows('dial refused', await refusalLatency(repeats / 2), 2),
    ...rows('first frame over a new link', await freshLatency(repeats / 2), 2.5),
  ]
}

export default {
  name: 'transport',
  describe: 'TCP on loopback against bare node:net: frames, closes, refusals, fresh links',
  run,
} satisfies Entry
