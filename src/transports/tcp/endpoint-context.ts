/** What the parts of one TCP endpoint share. */
import type { LookupFunction, Socket } from 'node:net'
import type { Json } from '../../core/schema.ts'
import type { Address } from '../address.ts'
import type { Connection } from './connection.ts'
import type { Codec } from '../frame.ts'
import type { SecurityName } from '../handshake.ts'
import type { PreSharedKey } from './pre-shared-key.ts'
import type { Identity, LinkEvents } from '../transport.ts'

export interface Limits {
  /** From the first packet of a dial, or from accept, to the welcome. */
  readonly handshakeMs: number
  /** Handshakes under way on accepted connections, or one for each peer; the oldest makes room for the newest. */
  readonly pendingHandshakes: number
  /** Accepted connections of any kind; 0 means 4N + 16. */
  readonly connections: number
  /** Frames that wait for a connection or for a slow peer; the oldest are dropped. */
  readonly queueFrames: number
  /** Frames a second that a peer may send for long, and how many at once. */
  readonly framesPerSecond: number
  readonly burstFrames: number
  /** A failed dial is followed by a wait drawn from 0 to redialMs · 2ᵏ, at most redialMaxMs. */
  readonly redialMs: number
  readonly redialMaxMs: number
  /** How long a connection that we end may take to flush. */
  readonly lingerMs: number
}

export const DEFAULT_LIMITS: Limits = {
  handshakeMs: 3000,
  pendingHandshakes: 32,
  connections: 0,
  queueFrames: 256,
  framesPerSecond: 2000,
  burstFrames: 4000,
  redialMs: 20,
  redialMaxMs: 1000,
  lingerMs: 500,
}

/** How a connection is protected: which sockets it uses, and who is at their other end. */
export interface Security {
  readonly name: SecurityName
  /** Present where frames carry a tag. */
  readonly key?: PreSharedKey
  /** Begins a dial. `ready` is called once, when the peer's certificate, if any, has been accepted. */
  connect(address: Address, peer: string, lookup: LookupFunction | undefined): Dialling
  accept(
    raw: Socket,
    ready: (socket: Socket, credentials: Credentials) => void,
    failed: (reason: string) => void,
  ): void
}

/** What arrives lies in one buffer that is used again: it is valid during the call only. */
export interface Incoming {
  take(chunk: Buffer): void
}

/** What is known of whoever dialled, before it has said a word. */
export interface Credentials {
  /** The member that the certificate names; undefined where there are no certificates. */
  readonly member?: string
  /** Why it must be turned away without being listened to. */
  readonly problem?: string
}

interface Dialling {
  readonly socket: Socket
  /** Where what arrives is to go, if not to the listeners of the socket. */
  readonly incoming?: Incoming
  readonly readyEvent: 'connect' | 'secureConnect'
}

export interface Context {
  readonly identity: Identity
  readonly life: string
  readonly security: Security
  readonly codec: Codec
  readonly limits: Limits
  readonly lookup: LookupFunction | undefined
  readonly counters: Counters
  /** Every connection whose socket is not yet gone. */
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
    /** Sockets that exist now, in whatever state. */
    open: 0,
    connected: 0,
    closed: 0,
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

/** Counts something that was ignored or turned away, and says so. */
export function refuse(context: Context, counter: CounterName, reason: string): void {
  context.counters[counter] += 1
  context.events.refused(reason)
}

/** A handshake frame. */
export function partFrame(context: Context, kind: string, content: Json): Buffer {
  return context.codec.encode({ [kind]: content })
}
