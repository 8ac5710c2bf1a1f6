/**
 * The contract of a transport, which carries frames between members: types of endpoints, peers, link events and
 * losses. A transport knows names, addresses and connections, not elections. The sender of a frame is known from its
 * connection, never from a field.
 */
import type { Json } from '../core/schema.ts'

/** The identity of a member. Both sides compare it in the handshake, and name the field that differs. */
export interface Identity {
  readonly id: string
  /** The group: members of another one are rejected. */
  readonly cluster: string
  /** The hash of the configuration that all members must share. */
  readonly configuration: string
  /** The hash of the part of it that never changes. Empty: none of it can change. */
  readonly fixed?: string
  /** Whether the rest has changed since the group was founded: then members bring each other up to date. */
  readonly changed?: boolean
  /** The number of this member in a configuration that has changed, which no other member ever gets. 0: not known. */
  readonly seat?: number
  /** What is hashed, as texts: members whose hashes differ say in which of them. */
  readonly options?: Readonly<Record<string, string>>
  /** Rises with every start of this member: a higher one proves that the earlier incarnation has ended. */
  readonly incarnation: number
}

export interface Peer {
  readonly id: string
  /** `host:port`, resolved at every dial: identity is not address. */
  readonly address: string
  /** Another member may have had the name before, in another seat. */
  readonly seat?: number
}

/** The field in which two members differ, and a sentence for the operator. */
interface Difference {
  readonly field: string
  readonly detail: string
}

/**
 * Why a peer cannot be reached. Only `refused` proves that no process listens at its address; where a process of the peer
 * has connected, that its last one listens no more.
 */
export type LinkLoss =
  | { readonly kind: 'closed' } // an established connection ended
  // The dial was refused, where the peer's last process was. Or the peer's process, which several groups share, runs
  // without a member of this group: `cause`.
  | { readonly kind: 'refused'; readonly cause?: string }
  // Time-out, no route, name not found; or the peer ends handshakes in silence, which suggests why it rejects them.
  | { readonly kind: 'unreachable'; readonly cause: string; readonly suspicion?: Difference }
  // Handshake. `seen`: the peer has seen this later incarnation of this member, which is not connected now.
  | ({ readonly kind: 'rejected'; readonly seen?: number } & Difference)

/** What a transport reports to its owner. Callbacks must not throw, and none is called after `close` has resolved. */
export interface LinkEvents {
  /** A connection in either direction passed its handshake. `protocol`: the version that the peer speaks. */
  connected(peer: string, incarnation: number, protocol: number): void
  /** A frame of well-formed JSON; the owner checks its content. */
  frame(peer: string, payload: Json): void
  lost(peer: string, loss: LinkLoss): void
  /**
   * A visitor, which holds the key or a certificate of the group and is no member, asks for something; resolves to the
   * answer. `visitor` is the name in its certificate, empty under a key. Without this, visitors are rejected.
   */
  readonly asked?: (visitor: string, question: Json) => Promise<Json>
  /** Something was ignored and counted: malformed, oversized, rate-limited, from an unknown peer. */
  refused(reason: string): void
  /** A leader that this member follows asks whether beats may stand for heartbeats: the member rests if it returns true. */
  readonly restAsked?: (peer: string) => boolean
  /** A follower of this leader rests. */
  readonly restAgreed?: (peer: string) => void
  /** Beats no longer stand for heartbeats: they are late, or the peer's member woke. */
  readonly woken?: () => void
}

/**
 * Beats of the connection of two processes, which stand for the heartbeats of all groups on it that rest. A group rests
 * while nothing happens to it: its leader asks, its followers agree, and a member that has something to do ends it.
 */
export interface SharedBeats {
  /** The leader asks these followers to rest. */
  ask(peers: readonly string[]): void
  /** This member wakes: those that rest with it are told, before anything else leaves. */
  end(): void
  /** When the last beat was sent that the peer, which follows, has answered; or when its last one arrived, if it leads. */
  lastBeat(peer: string): number
}

export interface Endpoint {
  /** Where this endpoint listens, with the port that was given or chosen. */
  readonly address: string
  /** Sends a frame; dials where there is no connection. A full queue drops the oldest frame and counts it.
   * The payload must never change afterwards: a payload for many peers is encoded once. */
  send(peer: string, payload: Json): void
  /** Dials where there is no connection. The outcome is an event. */
  probe(peer: string): void
  /** Closes the connection to a peer, if there is one. */
  release(peer: string): void
  /** Adds a peer, or gives it another address: an open connection stays, later dials go to the new address. */
  setPeer(peer: Peer): void
  /** Ends the connection to a peer without an event. Its handshakes are rejected from now on. */
  removePeer(peer: string): void
  /** Replaces what `listen` was given. */
  setTiming(timing: LinkTiming): void
  /** Where several groups share the connections. */
  readonly beats?: SharedBeats
  /** Counters for metrics: frames, bytes, drops, refusals, dials. */
  readonly counters: Readonly<Record<string, number>>
  close(): Promise<void>
}

export interface LinkTiming {
  /** A connection on which a peer answers nothing for this long is closed, and the peer is dialled anew. */
  readonly answerMs: number
  /** The time between two heartbeats. */
  readonly periodMs?: number
  /** How many groups share the connections: limits on frames grow with them. */
  readonly groups?: number
}

export interface Transport {
  /** Runs its code once, so that it is compiled before a leader is lost. Nothing depends on it. */
  warmUp?(): Promise<void>
  /** Asks whichever member of the group has the address. Rejects with TransportError, which says why nobody answers. */
  visit?(cluster: string, address: string, question: Json, timeoutMs: number): Promise<Json>
  /** Without `timing`, connections end when the operating system notices. */
  listen(
    identity: Identity,
    address: string,
    peers: readonly Peer[],
    events: LinkEvents,
    timing?: LinkTiming,
  ): Promise<Endpoint>
}
