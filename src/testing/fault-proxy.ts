/**
 * A TCP proxy between a member and a peer that delays, loses, duplicates, reorders, corrupts, stalls or cuts their
 * frames, separately for each direction, while the members run. It needs no privileges.
 *
 * A proxy accepts a connection before it reaches its target: a member behind a proxy that has crashed seems
 * unreachable. Use `refuse` to make its connections fail.
 *
 *     const proxy = await FaultProxy.open('127.0.0.1:7402', { seed: 7 })
 *     … members: { a: '127.0.0.1:7401', b: proxy.address } …
 *     proxy.there.set({ loss: 0.3 }); proxy.back.set({ cut: true }); proxy.heal()
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { Random } from '../core/random.ts'
import { parseAddress, showAddress, type Address } from '../transports/address.ts'
import { NO_FAULTS, type Faults } from './frame-faults.ts'
import { NO_COUNTS, Pipe, type Way } from './faulty-pipe.ts'

export interface FaultProxyOptions {
  readonly seed?: number
  /** Where to listen; by default a free port of the loopback interface. */
  readonly address?: string
  /** How many frames at the start of a connection, its handshake, suffer no fault but a cut. */
  readonly spared?: number
  /** False for TLS, whose frames the proxy cannot see: only delay, stall, cut and corrupt then apply. */
  readonly framed?: boolean
}

export class Direction {
  /** How many frames passed or suffered a fault. */
  readonly counters = { ...NO_COUNTS }
  private readonly way: Way
  private readonly pipes = new Set<Pipe>()

  constructor(random: Random, { spared = 3, framed = true }: FaultProxyOptions) {
    this.way = { faults: NO_FAULTS, random, spared, framed, counters: this.counters }
  }

  /** Changes these faults and no others. */
  set(faults: Partial<Faults>): void {
    this.way.faults = { ...this.way.faults, ...faults }
    for (const pipe of this.pipes) pipe.applyFaults()
  }

  /** Ends all faults; stalled frames are sent. */
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
  /** From the member that connects to the target, and back. */
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

  /** The address that members use instead of the target's. */
  get address(): string {
    return showAddress(this.bound)
  }

  /** Resets every connection; both sides see it close. */
  sever(): void {
    for (const socket of this.sockets) socket.resetAndDestroy()
  }

  /** Refuses new connections, as if the process had ended. Open connections stay. */
  refuse(): void {
    this.server.close()
  }

  /** Listens again after `refuse`, on the same address. */
  async listen(): Promise<void> {
    this.server.listen(this.bound)
    await once(this.server, 'listening')
    this.bound = { ...this.bound, port: (this.server.address() as AddressInfo).port }
  }

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
