/**
 * The types of a host's configuration, events and view of a peer, and the function that builds the configuration from
 * the options of `join`; limits how much longer a change may make leases and bonds.
 */
import type { Algorithm, OptionValues } from '../../core/algorithm.ts'
import type { Change } from '../../core/configuration.ts'
import type { Detector } from '../../core/detector.ts'
import type { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Json } from '../../core/schema.ts'
import type { Store } from '../../stores/store.ts'
import type { Identity, Peer, Transport } from '../../transports/transport.ts'
import { processLeaps, type Leaps } from '../../clock/leaps.ts'
import type { Clock } from '../../clock/monotonic.ts'
import type { MemberRole } from '../membership/group-configuration.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import type { Verdict } from './detector-host.ts'
import type { StepCause } from './step-queue.ts'
import type { HostFrame } from './wire.ts'

/** In leases: a change of the timing makes the lease at most MOST_GROWTH times as long, and bonds are longer than leases. */
export const MOST_GROWTH = 4
const LONGEST_BOND = 2 * MOST_GROWTH

export interface HostConfig {
  readonly algorithm: Algorithm
  readonly options: OptionValues
  readonly detector: Detector
  readonly group: Group
  readonly me: NodeId
  /** The name of each member, by its NodeId; the first entry is empty. */
  readonly names: readonly string[]
  readonly identity: Omit<Identity, 'incarnation'>
  readonly listen: string
  readonly peers: readonly Peer[]
  /** The members of the moment by seat. */
  readonly roles: ReadonlyMap<NodeId, MemberRole>
  readonly transport: Transport
  readonly store: Store
  /** Whether the members must be those that the state was written under: not where an engine arbitrates. */
  readonly fixedMembers: boolean
  /** Whether a refused dial, or a handshake of a later incarnation, proves that the earlier incarnation has ended. */
  readonly trustRefusals: boolean
  /** The lease. A leader without one whose event loop stalled for longer has been replaced: it starts again. */
  readonly longestStallMs: number
  readonly clock: Clock
  readonly leaps: Leaps
  /** The key of the member's state, where it joined a running group. */
  readonly key: string
  /** The options become those of this configuration; returns whether they were others. Throws where they cannot. */
  readonly adopt: (data: string) => boolean
  /** No peer may ask this member to be bound for longer. */
  readonly longestBondMs: number
  /** Whether a configuration that a peer sends can be adopted: its parts fit each other and this group. */
  readonly accepts: (content: Change) => boolean
  /** Whether nobody listens to each renewal of the lease (rest.ts). */
  readonly mayRest?: () => boolean
  /** Answers a visitor, which is no member, or a member under another name. */
  readonly answer: (visitor: string, question: Json) => Promise<Json>
}

/** What a host reports to the election. */
export interface HostEvents {
  /** The member has adopted another configuration. */
  reconfigured(): void
  /** The status, the leader or the term of the member has changed. */
  changed(cause: StepCause | null): void
  /** A majority answered: the deadline has moved. */
  renewed(deadline: number): void
  verdictChanged(peer: NodeId, verdict: Verdict): void
  connected(peer: NodeId): void
  /** The peer cannot be reached, for another reason than before. */
  unreachable(peer: NodeId, reason: string): void
  /** This member and a peer reject each other in the handshake because of this field. */
  rejected(peer: NodeId, field: string, detail: string): void
  received(peer: NodeId, frame: HostFrame): void
  /** A step failed: the member takes no part until it has started again. */
  failed(error: Error): void
  /** Durable writes take too long for the lease, or the stored state is older than what a peer has seen. */
  warned(error: Error): void
}

/** What a host knows about a peer. */
export interface PeerState {
  readonly verdict: Verdict | 'unknown'
  /** When a frame last arrived, on the monotonic clock; undefined: never. */
  readonly lastReceivedAt: number | undefined
  readonly roundTripMs: number | undefined
  /** Why it is not connected, as far as it is known. */
  readonly trouble: string | undefined
}

/** What follows from the options holds until the group's configuration changes, which it does between two steps. */
export function hostConfigOf(
  settings: ResolvedOptions,
  surroundings: Pick<
    HostConfig,
    'transport' | 'store' | 'clock' | 'adopt' | 'accepts' | 'answer' | 'key' | 'mayRest'
  >,
): HostConfig {
  const { id, groupName, algorithm, detector, me, listen, fenced, trustRefusals } = settings
  return {
    algorithm,
    detector,
    me,
    listen,
    trustRefusals,
    fixedMembers: fenced === null && settings.configuration === null,
    leaps: processLeaps(),
    ...surroundings,
    get options() {
      return settings.algorithmOptions
    },
    get group() {
      return settings.group
    },
    get names() {
      return settings.names
    },
    get peers() {
      return settings.peers
    },
    get roles() {
      return settings.roles
    },
    get longestBondMs() {
      return settings.leaseMs === 0 ? Infinity : LONGEST_BOND * settings.leaseMs
    },
    get longestStallMs() {
      return settings.leaseMs
    },
    identity: {
      id,
      cluster: groupName,
      seat: me,
      get configuration() {
        return settings.hash
      },
      get fixed() {
        return settings.fixedHash
      },
      get changed() {
        return settings.configuration !== null
      },
      get options() {
        return settings.shared
      },
    },
  }
}
