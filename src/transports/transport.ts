/**
 * What carries frames between members. A transport knows names, addresses and connections; it knows no
 * election. Every frame's sender comes from the connection that it arrived on, never from a field.
 */
import type { Json } from '../core/schema.ts'

/** Who I am to my peers. Both sides compare it in the handshake and refuse, naming the field, on mismatch. */
export interface Identity {
  /** My name in the configuration. */
  readonly id: string
  /** The cluster and group: traffic of another one is refused. */
  readonly cluster: string
  /** Canonical hash of the configuration that all members must share. */
  readonly configuration: string
  /** Rises with every start of this member: a higher one proves the earlier life over. */
  readonly incarnation: number
}

export interface Peer {
  readonly id: string
  /** `host:port`, resolved at every dial: identity is not address. */
  readonly address: string
}

/** Why a peer cannot be reached or was turned away. `refused` alone proves that no process listens there. */
export type LinkLoss =
  | { readonly kind: 'closed' } // an established connection ended
  | { readonly kind: 'refused' } // the dial was refused
  | { readonly kind: 'unreachable'; readonly cause: string } // time-out, no route, name not found
  | { readonly kind: 'rejected'; readonly field: string; readonly detail: string } // handshake

/** What a transport tells its owner. Callbacks never throw into the transport and are never called after `close` resolved. */
export interface LinkEvents {
  /** A connection in either direction passed its handshake. */
  connected(peer: string, incarnation: number): void
  /** A frame that was small enough and well-formed JSON; its content is checked by whoever reads it. */
  frame(peer: string, payload: Json): void
  lost(peer: string, loss: LinkLoss): void
  /** Something was ignored and counted: malformed, oversized, rate-limited, from a stranger. */
  refused(reason: string): void
}

export interface Endpoint {
  /** Where I listen, with the port that was given or chosen. */
  readonly address: string
  /** Sends a frame, dialling first where there is no connection. Never blocks; a full queue drops the oldest and counts it.
   * The payload must never change afterwards: one that goes to many peers is encoded once. */
  send(peer: string, payload: Json): void
  /** Asks whether anybody is there: dials if there is no connection. The outcome is an event. */
  probe(peer: string): void
  /** Closes the connection to a peer, if there is one: silence made it suspect, or it is no longer needed. */
  release(peer: string): void
  /** Counters for metrics: frames, bytes, drops, refusals, dials. */
  readonly counters: Readonly<Record<string, number>>
  close(): Promise<void>
}

export interface Transport {
  listen(
    identity: Identity,
    address: string,
    peers: readonly Peer[],
    events: LinkEvents,
  ): Promise<Endpoint>
}
