/**
 * The TCP transport: checks its options and security, opens an endpoint with a listener, and sends frames over links
 * that are dialled when they are needed.
 *
 * On the loopback interface plaintext is the default. Elsewhere it needs mutual TLS 1.3, a pre-shared key, or
 * `insecurePlaintext`.
 */
import { createServer, type AddressInfo, type LookupFunction, type Server } from 'node:net'
import type { Json } from '../../core/schema.ts'
import { isLoopback, parseAddress, showAddress, type Address } from '../address.ts'
import type { Connection } from './connection.ts'
import {
  DEFAULT_LIMITS,
  newCounters,
  refuse,
  type EndpointContext,
  type Limits,
  type Security,
} from './endpoint-context.ts'
import { TransportError } from '../errors.ts'
import { jsonCodec, MAX_BODY, type Codec } from '../frame.ts'
import { newProcessToken } from '../handshake.ts'
import { Link } from './link.ts'
import { Listener } from './listener.ts'
import { bareSockets } from './plain-sockets.ts'
import { PreSharedKey } from './pre-shared-key.ts'
import { mutualTls, type TlsFiles } from './mutual-tls.ts'
import { eventsWhile } from '../scoped-events.ts'
import type { Endpoint, Identity, LinkEvents, Transport } from '../transport.ts'

export interface TcpOptions {
  /** Certificates for mutual TLS 1.3 (mutual-tls.ts). */
  readonly tls?: TlsFiles
  /** At least 32 random bytes that all members share: authenticity without secrecy (pre-shared-key.ts). */
  readonly key?: string | Uint8Array
  /** Plaintext beyond the loopback interface: anyone on the network path can read, change and forge frames. */
  readonly insecurePlaintext?: boolean
  readonly limits?: Partial<Limits>
  readonly codec?: Codec
  /** Resolves names at every dial; the system's resolver by default. */
  readonly lookup?: LookupFunction
}

export function tcp(options: TcpOptions = {}): Transport {
  const { key, tls } = options
  if (key !== undefined && tls !== undefined) {
    throw new TransportError('give certificates (tls) or a pre-shared key (key), not both')
  }
  const shared = key === undefined ? undefined : new PreSharedKey(key)
  return {
    async listen(identity, address, peers, events) {
      const at = parseAddress(address)
      const others = peers
        .filter(({ id }) => id !== identity.id)
        .map((peer) => ({ id: peer.id, address: parseAddress(peer.address) }))
      checkPlaintext(options, [at, ...others.map((peer) => peer.address)])
      const security =
        tls === undefined
          ? bareSockets(shared)
          : mutualTls(tls, identity.id, (reason) => events.refused(`TLS: ${reason}`))
      const endpoint = new TcpEndpoint(options, identity, others, events, security)
      await endpoint.open(at)
      return endpoint
    },
  }
}

function checkPlaintext(options: TcpOptions, addresses: readonly Address[]): void {
  if (options.key !== undefined || options.tls !== undefined || options.insecurePlaintext === true)
    return
  const outside = addresses.find(({ host }) => !isLoopback(host))
  if (outside === undefined) return
  throw new TransportError(
    `${showAddress(outside)} can be reached from outside this machine: give certificates (tls), ` +
      'a pre-shared key (key), or set insecurePlaintext',
  )
}

class TcpEndpoint implements Endpoint {
  private readonly context: EndpointContext
  private readonly links: ReadonlyMap<string, Link>
  private readonly listener: Listener
  private readonly server: Server
  private last: { readonly payload: Json; readonly body: Buffer } | undefined
  private bound: Address = { host: '', port: 0 }
  private closing: Promise<void> | undefined
  private closed = false

  constructor(
    options: TcpOptions,
    identity: Identity,
    peers: readonly { readonly id: string; readonly address: Address }[],
    events: LinkEvents,
    security: Security,
  ) {
    const context: EndpointContext = {
      identity,
      processToken: newProcessToken(),
      security,
      codec: options.codec ?? jsonCodec,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      lookup: options.lookup,
      counters: newCounters(),
      connections: new Set<Connection>(),
      events: eventsWhile(() => !this.closed, events),
    }
    this.context = context
    this.links = new Map(peers.map(({ id, address }) => [id, new Link(context, id, address)]))
    this.listener = new Listener(context, this.links)
    // Half-open: a connection that this side ends is read to its end (Connection.retire).
    this.server = createServer({ allowHalfOpen: true }, (socket) => this.listener.accept(socket))
  }

  get address(): string {
    return showAddress(this.bound)
  }

  get counters(): Readonly<Record<string, number>> {
    return this.context.counters
  }

  async open({ host, port }: Address): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', (error) => reject(listenError({ host, port }, error)))
      this.server.listen({ host, port }, resolve)
    })
    // Running out of descriptors must not end the process: the kernel keeps the connection waiting.
    this.server.removeAllListeners('error')
    this.server.on('error', (error) => refuse(this.context, 'overCap', error.message))
    this.bound = { host, port: (this.server.address() as AddressInfo).port }
  }

  send(peer: string, payload: Json): void {
    // A message to many peers is one object: it is encoded once.
    const body =
      payload === this.last?.payload ? this.last.body : this.context.codec.encode(payload)
    if (typeof payload === 'object') this.last = { payload, body }
    if (body.length > MAX_BODY) {
      const reason = `a frame for ${peer} has ${body.length} bytes: not sent`
      return refuse(this.context, 'oversized', reason)
    }
    this.linkTo(peer)?.send(body)
  }

  probe(peer: string): void {
    this.linkTo(peer)?.probe()
  }

  release(peer: string): void {
    this.linkTo(peer)?.release()
  }

  /** Frames that were sent are flushed, within the linger. */
  close(): Promise<void> {
    return (this.closing ??= this.shut())
  }

  private async shut(): Promise<void> {
    this.closed = true
    const listening = new Promise<void>((resolve) => {
      this.server.close(() => resolve())
    })
    this.listener.close()
    for (const link of this.links.values()) link.release()
    for (const connection of this.context.connections) connection.close()
    await listening
    await Promise.all([...this.context.connections].map((connection) => connection.socketClosed()))
  }

  private linkTo(peer: string): Link | undefined {
    if (this.closed) return undefined
    const link = this.links.get(peer)
    if (link === undefined) refuse(this.context, 'undelivered', `${peer} is not a peer`)
    return link
  }
}

function listenError(address: Address, cause: Error): TransportError {
  const code = (cause as NodeJS.ErrnoException).code
  const reason =
    code === 'EADDRINUSE'
      ? 'another process listens there: is this member running already?'
      : code === 'EADDRNOTAVAIL'
        ? 'this machine has no such address'
        : cause.message
  return new TransportError(`cannot listen on ${showAddress(address)}: ${reason}`, { cause })
}
