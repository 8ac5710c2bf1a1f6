/**
 * The types of what the parts of one TCP endpoint share (limits, counters, security, identity), the default limits,
 * and helpers that count refusals and write handshake frames.
 */
import type { LookupFunction, Socket } from 'node:net'
import type { Json } from '../../core/schema.ts'
import type { Address } from '../address.ts'
import type { Connection } from './connection.ts'
import type { Codec } from '../frame.ts'
import {
  introductionOf,
  type Introduction,
  type Rejection,
  type SecurityName,
} from '../handshake.ts'
import type { KeyRing } from './security/pre-shared-key.ts'
import type { Identity, LinkEvents } from '../transport.ts'

export type Limits = Readonly<typeof DEFAULT_LIMITS>

export const DEFAULT_LIMITS = {
  /** From the first packet of a dial, or from accept, to the welcome. */
  handshakeMs: 3000,
  /** Handshakes under way on accepted connections, or two for each peer (handshake-slots.ts). */
  pendingHandshakes: 128,
  /** Of these, from one address that is not known as a peer's. */
  pendingPerSource: 16,
  /** Accepted connections of any kind; 0 means 4N + 16. */
  connections: 0,
  /** Frames that wait for a connection or for a slow peer; the oldest are dropped. */
  queueFrames: 256,
  /** Frames of 512 bytes that a peer may send in a second on average, and at once. */
  framesPerSecond: 2000,
  burstFrames: 4000,
  /** A failed dial is followed by a wait drawn from half of redialMs · 2ᵏ to all of it, at most redialMaxMs. */
  redialMs: 20,
  redialMaxMs: 1000,
  /** After a refused dial the wait is drawn from half of this to all of it, if that is longer. */
  refusedMs: 0,
  /** From the first packet of a dial to its first answer: in a black hole a new dial finds a healed network sooner. */
  connectMs: 3000,
  /** A connection on which the peer answers nothing for this long is closed, and the peer dialled again; 0: never. */
  silenceMs: 0,
  /** For how long an incarnation that is not connected any more rejects lower ones. */
  incarnationMs: 10 * 60_000,
  /** How long a connection that this member ends may take to flush. */
  lingerMs: 500,
}

/** A peer that can be reached again is connected within half of `answerMs`, but not at the cost of many dials. */
const LEAST_REDIAL_MS = 100
const REDIAL_MS_PER_PEER = 5
/**
 * No process listens where a dial is refused, and one that starts there dials by itself. In a large group most peers are
 * missing while it starts: to dial them all again and again took more processor time than their handshakes.
 */
const FEW_PEERS = 8
const REFUSED_MS_PER_PEER = 40

/** The limits by default for peers that answer within `answerMs`. */
export function limitsFor(answerMs: number, peers: number): Partial<Limits> {
  const quarter = Math.max(LEAST_REDIAL_MS, answerMs / 4, REDIAL_MS_PER_PEER * peers)
  const redialMaxMs = Math.min(DEFAULT_LIMITS.redialMaxMs, quarter)
  return {
    silenceMs: answerMs,
    connectMs: Math.min(DEFAULT_LIMITS.connectMs, quarter),
    redialMaxMs,
    refusedMs: REFUSED_MS_PER_PEER * Math.max(0, peers - FEW_PEERS),
  }
}

/** How many frames one more group may send over the same connection, at once and in a second. */
const FRAMES_PER_GROUP = 40

/** Where many groups share a connection, all of them elect a leader at once. */
export function frameLimits(groups = 1): Partial<Limits> {
  const { queueFrames, framesPerSecond, burstFrames } = DEFAULT_LIMITS
  const more = FRAMES_PER_GROUP * (groups - 1)
  return {
    queueFrames: queueFrames + more,
    framesPerSecond: framesPerSecond + more,
    burstFrames: burstFrames + more,
  }
}

/** How connections are protected: which sockets they use, and how the peer is known. */
export interface Security {
  readonly name: SecurityName
  /** Present where frames are encrypted under a shared key. */
  readonly keys?: KeyRing
  /** What it means when a listener ends each handshake without an answer. */
  readonly silence?: Rejection
  /** The peer must have this name; empty: it is any member. */
  connect(address: Address, peer: string, lookup: LookupFunction | undefined): DialledSocket
  accept(raw: Socket, events: AcceptEvents): void
  /** Ends what it runs beside the connections. */
  close?(): void
}

export interface AcceptEvents {
  ready(socket: Socket, credentials: Credentials): void
  failed(reason: string): void
}

/** Receives the bytes of a socket. The chunk is valid during the call only: its buffer is used again. */
export interface ChunkReader {
  take(chunk: Buffer): void
}

/** What an accepted socket shows about the dialler before its first frame. */
export interface Credentials {
  /** The member that the certificate names, empty for an operator's; undefined where there are no certificates. */
  readonly member?: string
  readonly operator?: string
  /** Why it must be rejected before its first frame. */
  readonly problem?: string
}

interface DialledSocket {
  readonly socket: Socket
  /** Receives the bytes instead of the listeners of the socket. */
  readonly incoming?: ChunkReader
  readonly readyEvent: 'connect' | 'secureConnect'
}

export interface EndpointContext {
  readonly identity: Identity
  readonly processToken: string
  readonly security: Security
  readonly codec: Codec
  /** Some change with the timing of the group. */
  limits: Limits
  readonly lookup: LookupFunction | undefined
  readonly counters: Counters
  /** Whether this process has not seen this first message of a handshake before. */
  firstUse(hello: Buffer): boolean
  /** Every connection whose socket is not closed. */
  readonly connections: Set<Connection>
  /** The owner's callbacks, silent once the endpoint is closed. */
  readonly events: LinkEvents
}

type Counters = ReturnType<typeof newCounters>
export type CounterName = keyof Counters

export function newCounters() {
  return {
    framesSent: 0,
    framesReceived: 0,
    bytesSent: 0,
    bytesReceived: 0,
    /** Dropped because a queue was full, or because the dial that they waited for failed. */
    queueDropped: 0,
    undelivered: 0,
    dials: 0,
    dialsRefused: 0,
    dialsFailed: 0,
    accepted: 0,
    /** Sockets that are open now, in any state. */
    open: 0,
    connected: 0,
    closed: 0,
    /** Connections that were closed because the peer answered nothing. */
    silent: 0,
    /** Handshakes: mismatch, took too long, made room for newer ones, ended by the peer. */
    rejected: 0,
    expired: 0,
    evicted: 0,
    abandoned: 0,
    /** Connections beyond the cap. */
    overCap: 0,
    malformed: 0,
    oversized: 0,
    forged: 0,
    tlsErrors: 0,
    rateLimited: 0,
  }
}

/** Counts what was ignored or rejected, and reports it. */
export function refuse(context: EndpointContext, counter: CounterName, reason: string): void {
  context.counters[counter] += 1
  context.events.refused(reason)
}

export function handshakeFrame(context: EndpointContext, kind: string, content: Json): Buffer {
  return context.codec.encode({ [kind]: content })
}

export function introductionTo(context: EndpointContext, to: string): Introduction {
  const { identity, security, processToken: life } = context
  return introductionOf(identity, { security: security.name, life, to })
}
