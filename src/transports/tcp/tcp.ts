/**
 * The TCP transport: checks its options and security, opens an endpoint with a listener, and sends frames over links
 * that are dialled when they are needed.
 *
 * Every connection is protected: by mutual TLS 1.3, by a pre-shared key, or, where all members are on this machine and
 * nothing is configured, by a key of this user (local-key.ts). Plaintext must be requested by name.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type AddressInfo, type LookupFunction, type Server } from 'node:net'
import { clearInterval, setInterval } from '../../clock/native-timers.ts'
import { checkNames } from '../../core/errors/configuration-error.ts'
import type { Json } from '../../core/schema.ts'
import { printable } from '../printable.ts'
import { parseAddress, showAddress, type Address } from '../address.ts'
import type { Connection } from './connection.ts'
import { DescriptorPlaces } from './descriptor-places.ts'
import {
  DEFAULT_LIMITS,
  newCounters,
  frameLimits,
  limitsFor,
  refuse,
  type EndpointContext,
  type Limits,
  type Security,
} from './endpoint-context.ts'
import { ListenError, TransportError } from '../errors.ts'
import { jsonCodec, MAX_BODY, type Codec } from '../frame.ts'
import { newProcessToken } from '../handshake.ts'
import { Link } from './link.ts'
import { Listener } from './listener.ts'
import { tickOf } from './silence.ts'
import type { TlsFiles } from './security/certificate-files.ts'
import { keyRing, type SharedKey } from './security/pre-shared-key.ts'
import { RecentHellos } from './security/recent-hellos.ts'
import { securityOf } from './security/security-of.ts'
import { visit } from './visit.ts'
import { warmUpTcp } from './warm-up.ts'
import { eventsWhile } from '../scoped-events.ts'
import type { Endpoint, Identity, LinkEvents, LinkTiming, Peer, Transport } from '../transport.ts'

/** Descriptors for what the process opens besides two connections to each peer. */
const SPARE_PLACES = 16

export interface TcpOptions {
  /** Certificates for mutual TLS 1.3. */
  readonly tls?: TlsFiles
  /** At least 32 random bytes that all members share, or several such keys: the first is used, all are accepted. */
  readonly key?: SharedKey
  /** A file with such keys, one in each line; it is read again when it has changed. */
  readonly keyFile?: string
  /** No protection: everyone who reaches the port can read, change and forge frames. */
  readonly insecurePlaintext?: boolean
  readonly limits?: Partial<Limits>
  readonly codec?: Codec
  /** Resolves names at every dial; the system's resolver by default. */
  readonly lookup?: LookupFunction
}

export function tcp(options: TcpOptions = {}): Transport {
  checkNames(options, NAMES, 'tcp')
  if (options.tls !== undefined) checkNames(options.tls, TLS_NAMES, 'tcp.tls')
  const given = PROTECTIONS.filter((name) => options[name] !== undefined && options[name] !== false)
  if (given.length > 1) {
    throw new TransportError(`give one of ${PROTECTIONS.join(', ')}, not ${given.join(' and ')}`)
  }
  if (options.insecurePlaintext === true) warnOfPlaintext()
  // A key that is too short is reported at once.
  const keys = options.key === undefined ? undefined : keyRing(options.key)
  return {
    async listen(identity, address, peers, events, timing) {
      const at = parseAddress(address)
      const others = peers
        .filter(({ id }) => id !== identity.id)
        .map(({ id, address, seat }) => ({ id, address: parseAddress(address), seat }))
      const addresses = [at, ...others.map((peer) => peer.address)]
      const refused = (reason: string): void => events.refused(reason)
      const security = securityOf({ ...options, keys }, identity, addresses, refused)
      const endpoint = new TcpEndpoint(options, identity, others, events, security)
      if (timing !== undefined) endpoint.setTiming(timing)
      await endpoint.open(at)
      return endpoint
    },
    visit: async (cluster, address, question, timeoutMs) =>
      visit({ ...options, keys }, { cluster, address, member: '' }, question, timeoutMs),
    warmUp: async () => warmUpTcp(tcp({ key: randomBytes(32) })),
  }
}

const NAMES = Object.keys({
  tls: true,
  key: true,
  keyFile: true,
  insecurePlaintext: true,
  limits: true,
  codec: true,
  lookup: true,
} satisfies Record<keyof TcpOptions, true>)
const TLS_NAMES = Object.keys({
  ca: true,
  certificate: true,
  key: true,
  revoked: true,
} satisfies Record<keyof TlsFiles, true>)
const PROTECTIONS = ['tls', 'key', 'keyFile', 'insecurePlaintext'] as const

let hasWarned = false

function warnOfPlaintext(): void {
  if (hasWarned) return
  hasWarned = true
  process.emitWarning(
    'members talk in plaintext: every process that reaches a port can take part',
    {
      type: 'SecurityWarning',
      code: 'BELLWETHER_PLAINTEXT',
    },
  )
}

class TcpEndpoint implements Endpoint {
  readonly counters: Readonly<Record<string, number>>
  private readonly context: EndpointContext
  private readonly links: Map<string, Link>
  private readonly givenLimits: Partial<Limits>
  private readonly listener: Listener
  private readonly server: Server
  private last: { readonly payload: Json; readonly body: Buffer } | undefined
  private bound: Address = { host: '', port: 0 }
  private closing: Promise<void> | undefined
  private closed = false
  private ticks: NodeJS.Timeout | undefined

  constructor(
    options: TcpOptions,
    identity: Identity,
    peers: readonly {
      readonly id: string
      readonly address: Address
      readonly seat?: number | undefined
    }[],
    events: LinkEvents,
    security: Security,
  ) {
    const recent = new RecentHellos()
    const context: EndpointContext = {
      identity,
      processToken: newProcessToken(),
      security,
      codec: options.codec ?? jsonCodec,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      lookup: options.lookup,
      counters: newCounters(),
      firstUse: (hello) => recent.firstUse(hello),
      connections: new Set<Connection>(),
      events: eventsWhile(() => !this.closed, withPrintableText(events)),
    }
    this.context = context
    this.givenLimits = options.limits ?? {}
    this.counters = context.counters
    this.links = new Map(
      peers.map(({ id, address, seat }) => [id, new Link(context, id, address, seat)]),
    )
    const addresses = peers.map(({ address }) => address)
    this.listener = new Listener(context, this.links, addresses)
    // Half-open: a connection that this side ends is read to its end (Connection.retire).
    this.server = createServer({ allowHalfOpen: true }, (socket) => this.listener.accept(socket))
  }

  get address(): string {
    return showAddress(this.bound)
  }

  async open({ host, port }: Address): Promise<void> {
    const places = new DescriptorPlaces(2 * this.links.size + SPARE_PLACES)
    try {
      await new Promise<void>((resolve, reject) => {
        this.server.once('error', (error) => reject(listenError({ host, port }, error)))
        this.server.listen({ host, port }, resolve)
      })
    } finally {
      places.free()
    }
    // Running out of descriptors must not end the process: the kernel keeps the connection waiting.
    this.server.removeAllListeners('error')
    this.server.on('error', (error) => refuse(this.context, 'overCap', error.message))
    this.bound = { host, port: (this.server.address() as AddressInfo).port }
    this.beginTicks()
  }

  /** Nothing to do where an endpoint does not listen yet, or does not measure silence. */
  private beginTicks(): void {
    const { silenceMs } = this.context.limits
    const tick = (): void => this.links.forEach((link) => link.tick())
    clearInterval(this.ticks)
    if (silenceMs > 0 && this.bound.host !== '') this.ticks = setInterval(tick, tickOf(silenceMs))
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

  setPeer({ id, address, seat = 0 }: Peer): void {
    if (this.closed || id === this.context.identity.id) return
    const parsed = parseAddress(address)
    this.listener.know(parsed)
    const link = this.links.get(id)
    if (link?.hasSeat(seat) === true) return link.moveTo(parsed)
    link?.close()
    this.links.set(id, new Link(this.context, id, parsed, seat))
  }

  removePeer(peer: string): void {
    this.links.get(peer)?.close()
    this.links.delete(peer)
  }

  setTiming({ answerMs, groups }: LinkTiming): void {
    const { context, links } = this
    const byDefault = { ...limitsFor(answerMs, links.size), ...frameLimits(groups) }
    context.limits = { ...context.limits, ...byDefault, ...this.givenLimits }
    for (const link of links.values()) link.limitRedial()
    this.beginTicks()
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
    clearInterval(this.ticks)
    this.context.security.close?.()
    for (const link of this.links.values()) link.close()
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

/** Reasons may quote a peer: they reach logs and terminals. */
function withPrintableText(events: LinkEvents): LinkEvents {
  return {
    connected: (...connected) => events.connected(...connected),
    frame: (peer, payload) => events.frame(peer, payload),
    lost(peer, loss) {
      if (loss.kind !== 'rejected') return events.lost(peer, loss)
      const [field, detail] = [printable(loss.field, 64), printable(loss.detail)]
      events.lost(peer, { ...loss, field, detail })
    },
    refused: (reason) => events.refused(printable(reason)),
    ...(events.asked && { asked: events.asked }),
  }
}

function listenError(address: Address, cause: Error): ListenError {
  const code = (cause as NodeJS.ErrnoException).code
  const reason =
    code === 'EADDRINUSE'
      ? 'another process listens there: is this member running already?'
      : code === 'EADDRNOTAVAIL'
        ? 'this machine has no such address'
        : cause.message
  return new ListenError(`cannot listen on ${showAddress(address)}: ${reason}`, { cause })
}
