/**
 * The types of the configuration, events and shared context of a member's fencing, and functions that build the
 * configuration and broadcast a message.
 */
import type { Clock } from '../../clock/monotonic.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Json } from '../../core/schema.ts'
import type { Engine } from '../../engines/engine.ts'
import type { HostMessage } from '../host/wire.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import type { LostReason } from '../term.ts'
import type { EngineAccess } from './engine-access.ts'
import type { Fenced, Vouch } from './fenced.ts'
import type { TokenStore } from './token-store.ts'

export interface FencingConfig {
  readonly engine: Engine
  readonly vouch: Vouch
  readonly group: string
  readonly me: NodeId
  readonly metadata: Json
  // Of the moment: a change of the group's configuration changes them.
  readonly names: readonly string[]
  readonly members: readonly NodeId[]
  readonly leaseMs: number
  readonly periodMs: number
  readonly detectionMs: number
  readonly clock: Clock
  readonly store: TokenStore
}

/** What fencing reports to the election, and asks of it. */
export interface FencingEvents {
  /** This member holds the token, and the token is durable. */
  granted(token: number): void
  /** The token of this member no longer counts. */
  revoked(reason: LostReason): void
  renewed(untilMs: number): void
  /** The known holder has changed. */
  holderChanged(): void
  failed(error: Error): void
  send(peer: NodeId, message: HostMessage): void
  /** Asks the detector about a peer. */
  inquire(peer: NodeId): Promise<'up' | 'down'>
  /** The leader in the state of this member. */
  leader(): NodeId
  /** A peer reaches the engine and this member does not: the others should elect without it. */
  standAside(successor: NodeId): void
  /** This member reaches the engine again. */
  rejoin(): void
}

/** What the election needs of the layer that takes and holds tokens, with a mesh (fencing.ts) or without (candidate.ts). */
export interface Arbiter {
  /** The largest token that this member has seen. */
  readonly token: number
  /** Until when this member may lead, on the monotonic clock. */
  readonly deadline: number
  /** The name of the member that holds the token, as far as this one knows; or empty. */
  readonly holder: string
  /** Why the engine cannot be used, for the operator. */
  readonly trouble: Error | null
  open(): void
  close(): Promise<void>
  /** This member takes the next token as soon as it may. */
  stand(): void
  /** It gives up what it holds, and stands no longer. */
  leave(): void
  /** Lets an overdue deadline act now. */
  check(): void
  /** Returns whether the message of a peer was for this layer. */
  received(peer: NodeId, message: HostMessage): boolean
  connected(peer: NodeId): void
}

export function fencingConfigOf(
  options: ResolvedOptions,
  { engine, vouch }: Fenced,
  store: TokenStore,
  clock: Clock,
): FencingConfig {
  const { groupName: group, me, metadata } = options
  return {
    engine,
    vouch,
    group,
    me,
    metadata,
    clock,
    store,
    get names() {
      return options.names
    },
    get members() {
      return [...options.roles.keys()]
    },
    get leaseMs() {
      return options.leaseMs
    },
    get periodMs() {
      return options.group.timing.periodMs
    },
    get detectionMs() {
      return options.group.timing.detectionMs
    },
  }
}

/** What the parts of fencing share. */
export interface FencingContext extends FencingConfig {
  readonly events: FencingEvents
  readonly access: EngineAccess
}

/** What changes in the configuration changes in the context. */
export function contextOf(
  config: FencingConfig,
  parts: Pick<FencingContext, 'events' | 'access'>,
): FencingContext {
  return Object.assign(Object.create(config) as FencingConfig, parts)
}

/** Sends a message to every peer. */
export function broadcast({ members, me, events }: FencingContext, message: HostMessage): void {
  for (const peer of members) if (peer !== me) events.send(peer, message)
}
