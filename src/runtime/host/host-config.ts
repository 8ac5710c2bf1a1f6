/** What a host is given, and what it tells whoever runs it. */
import type { Algorithm, OptionValues } from '../../core/algorithm.ts'
import type { Detector } from '../../core/detector.ts'
import type { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Json } from '../../core/schema.ts'
import type { Store } from '../../stores/store.ts'
import type { Identity, Peer, Transport } from '../../transports/transport.ts'
import type { Clock } from '../../clock/monotonic.ts'
import type { ResolvedOptions } from '../options/options.ts'
import type { HostMessage } from './wire.ts'

export interface HostConfig {
  readonly algorithm: Algorithm
  readonly options: OptionValues
  readonly detector: Detector
  readonly group: Group
  readonly me: NodeId
  /** The name of each member, by its NodeId; the first is nobody's. */
  readonly names: readonly string[]
  readonly identity: Omit<Identity, 'incarnation'>
  readonly listen: string
  readonly peers: readonly Peer[]
  readonly transport: Transport
  readonly store: Store
  /** A refused dial, or a handshake of a later life, proves the earlier life over. */
  readonly trustRefusals: boolean
  /** A leader without a lease that did nothing for longer than this has been replaced: it starts again. */
  readonly longestStallMs: number
  readonly clock: Clock
}

export interface HostEvents {
  /** What the member exposes (status, leader, term) has changed. */
  changed(): void
  /** The deadline has moved on: a majority answered. */
  renewed(deadline: number): void
  /** The detector's opinion of a peer has changed. */
  verdict(peer: NodeId, verdict: 'up' | 'down'): void
  connected(peer: NodeId): void
  /** A peer and this member turn each other away in the handshake, because of this field. */
  misfit(peer: NodeId, field: string, detail: string): void
  about(peer: NodeId, metadata: Json): void
  asked(peer: NodeId, message: HostMessage): void
  /** It cannot go on as it is: it takes no part until it was started again. */
  failed(error: Error): void
}

export function hostConfigOf(
  settings: ResolvedOptions,
  transport: Transport,
  store: Store,
  clock: Clock,
): HostConfig {
  const { id, names, addresses } = settings
  return {
    algorithm: settings.algorithm,
    options: settings.algorithmOptions,
    detector: settings.detector,
    group: settings.group,
    me: settings.me,
    names,
    identity: { id, cluster: settings.groupName, configuration: settings.hash },
    listen: settings.listen,
    peers: names
      .slice(1)
      .filter((name) => name !== id)
      .map((name) => ({ id: name, address: addresses.get(name)! })),
    transport,
    store,
    trustRefusals: settings.trustRefusals,
    longestStallMs: settings.leaseMs,
    clock,
  }
}
