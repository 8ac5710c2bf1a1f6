/**
 * A proxy on loopback that stands between a member and a peer and understands their frames: it delays,
 * loses, repeats, reorders and corrupts them, holds them up or swallows them, each direction by itself,
 * changed at any time while members run. The kernel can do none of that to us without rights.
 *
 * A proxy accepts before it knows whether its target does: a dead member behind one looks unreachable,
 * not refused, unless the proxy itself is told to `refuse`.
 *
 *     const proxy = await FaultProxy.open('127.0.0.1:7402', { seed: 7 })
 *     … members: { a: '127.0.0.1:7401', b: proxy.address } …
 *     proxy.there.set({ loss: 0.3 }); proxy.back.set({ cut: true }); proxy.heal()
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { Random } from '../core/random.ts'
import { parseAddress, showAddress, type Address } from '../transports/address.ts'
import { NO_FAULTS, type Faults } from './frame-faults.ts'
import { Pipe, type Way } from './faulty-pipe.ts'

export interface FaultProxyOptions {
  readonly seed?: number
  /** Where to listen; any free port of loopback unless told. */
  readonly address?: string
  /** How many frames at the start of a connection, its handshake, loss and its like leave alone. */
  readonly spared?: number
  /** False for TLS, whose frames cannot be seen: then only delay, stall, cut and corruption make sense. */
  readonly framed?: boolean
}

/** One direction through the proxy. */
export class Direction {
  /** What happened to frames so far. */
  readonly counters = { passed: 0, cut: 0, lost: 0, duplicated: 0, reordered: 0, corrupted: 0 }
  private readonly way: Way
  private readonly pipes = new Set<Pipe>()

  constructor(random: Random, { spared = 3, framed = true }: FaultProxyOptions) {
    this.way = { faults: NO_FAULTS, random, spared, framed, counters: this.counters }
  }

  /** Changes the faults that are named; the others stay as they are. */
  set(faults: Partial<Faults>): void {
    this.way.faults = { ...this.way.faults, ...faults }
    for (const pipe of this.pipes) pipe.obey()
  }

  /** No more faults; what a stall held up goes on its way. */
  heal(): void {
    this.set(NO_FAULTS)
  }

  /** @internal */
  join(from: Socket, to: Socket): void {
    const pipe = new Pipe(from, to, this.way)
    this.pipes.add(pipe)
    to.once('close', () => this.pipes.delete(pipe))
  }
}

export class FaultProxy implements AsyncDisposable {
  /** From those who dial the proxy to the target, and back. */
  readonly there: Direction
  readonly back: Direction
  private readonly target: Address
  private readonly server: Server
  private readonly sockets = new Set<Socket>()
  private bound: Address

  private constructor(target: Address, options: FaultProxyOptions) {
    const random = new Random(options.seed ?? 1)
    this.target = target
    this.there = new Direction(random, options)
    this.back = new Direction(random, options)
    this.bound = parseAddress(options.address ?? '127.0.0.1:0')
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (dialled) =>
      this.join(dialled),
    )
  }

  static async open(target: string, options: FaultProxyOptions = {}): Promise<FaultProxy> {
    const proxy = new FaultProxy(parseAddress(target), options)
    await proxy.listen()
    return proxy
  }

  /** What to give to members in place of the target's address. */
  get address(): string {
    return showAddress(this.bound)
  }

  /** Ends every connection at once; both sides see them close. */
  sever(): void {
    for (const socket of this.sockets) socket.resetAndDestroy()
  }

  /** Nobody listens any more: dials are refused, as if the process had died. Connections stay. */
  refuse(): void {
    this.server.close()
  }

  /** Listens again after `refuse`, on the same address. */
  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(this.bound, () => {
        this.server.off('error', reject)
        const address = this.server.address()
        if (typeof address === 'object' && address !== null) {
          this.bound = { host: this.bound.host, port: address.port }
        }
        resolve()
      })
    })
  }

  /** Both directions. */
  heal(): void {
    this.there.heal()
    this.back.heal()
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve())
    })
    for (const socket of this.sockets) socket.destroy()
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  private join(dialled: Socket): void {
    const reached = connect({ ...this.target, allowHalfOpen: true, noDelay: true })
    for (const socket of [dialled, reached]) {
      this.sockets.add(socket)
      socket.once('close', () => this.sockets.delete(socket))
    }
    this.there.join(dialled, reached)
    this.back.join(reached, dialled)
  }
}
