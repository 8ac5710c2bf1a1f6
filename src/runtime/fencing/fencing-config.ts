/** What a member's dealings with the engine are given, and what they tell. */
import type { NodeId } from '../../core/node-id.ts'
import type { Json } from '../../core/schema.ts'
import type { Engine } from '../../engines/engine.ts'
import type { Clock } from '../../clock/monotonic.ts'
import type { Fenced, Vouch } from './fenced.ts'
import type { ResolvedOptions } from '../options/options.ts'
import type { LostReason } from '../term.ts'
import type { TokenStore } from './token-store.ts'
import type { HostMessage } from '../host/wire.ts'

export interface FencingConfig {
  readonly engine: Engine
  readonly vouch: Vouch
  readonly group: string
  readonly me: NodeId
  readonly names: readonly string[]
  readonly metadata: Json
  readonly leaseMs: number
  readonly periodMs: number
  readonly detectionMs: number
  readonly clock: Clock
  readonly store: TokenStore
}

export interface FencingEvents {
  /** The token is mine, and durable. */
  granted(token: number): void
  /** It no longer counts. */
  revoked(reason: LostReason): void
  renewed(untilMs: number): void
  /** What is known about the holder has changed. */
  learnt(): void
  failed(error: Error): void
  tell(peer: NodeId, message: HostMessage): void
  /** What the detector says of a peer, asked now. */
  inquire(peer: NodeId): Promise<'up' | 'down'>
  /** Whom the election has elected, as this member knows. */
  leader(): NodeId
  /** The engine is out of my reach, but within that of a peer: others should elect without me. */
  standAside(successor: NodeId): void
  /** It is within my reach again. */
  comeBack(): void
}

export function fencingConfigOf(
  settings: ResolvedOptions,
  { engine, vouch }: Fenced,
  store: TokenStore,
  clock: Clock,
): FencingConfig {
  const { groupName: group, me, names, metadata, leaseMs } = settings
  const { periodMs, detectionMs } = settings.group.timing
  const given = { engine, vouch, group, me, names, metadata, leaseMs }
  return { ...given, periodMs, detectionMs, clock, store }
}

/** Everybody but me. */
export function* peersOf({ names, me }: FencingConfig): Iterable<NodeId> {
  for (let peer = 1; peer < names.length; peer++) if (peer !== me) yield peer
}
