/**
 * Keeps the configuration of a group that changes while it runs: who votes, which of two configurations is newer, what
 * a majority is, and which change a leader may write.
 *
 * A configuration is a stamp (the term of the leader that wrote it, and a version), its voters, its observers, and the
 * host's data. Stamps are ordered by term, then by version. Term 0 is the first configuration, which the group names.
 * Two configurations that follow each other differ by one voter, so any majorities of them share a member. That keeps
 * majorities together only while no older configuration can elect a leader, and no two leaders write side by side:
 *
 *   - a member votes for no candidate whose configuration is older than its own;
 *   - a leader changes only a configuration that a majority of its voters has adopted *in the leader's own term*: the
 *     first time it is asked, it writes the content that it has again, under its own term. Then no leader of an earlier
 *     term can have its own change adopted: each majority includes a member with the newer stamp.
 *
 * The rules are those of logless reconfiguration (Schultz, Zhou, Dardik and Tripakis, OPODIS 2021), but that a new
 * leader writes its stamp only when it is to change something. A group that never changes has none of this.
 */
import {
  MAX_CONFIGURATION_DATA,
  type Change,
  type ChangeRefusal,
  type Configuration,
} from '../../core/configuration.ts'
import type { Group, MemberSequence } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { NodeSet, type ReadonlyNodeSet } from '../../core/node-set.ts'
import { majority } from '../../core/quorum.ts'
import {
  counter,
  flag,
  int,
  nodeSet,
  optional,
  orNone,
  stable,
  text,
  type Field,
  type RecordOf,
} from '../../core/schema.ts'

const version = optional(int(0, 2 ** 31 - 1))
/** No group reaches it. A malicious member may name a later one, after which the last one would soon be reached. */
export const MOST_VERSIONS = 2 ** 30
const data = optional(text(MAX_CONFIGURATION_DATA))

/** The term of a stamp is one of the algorithm's own, which are counters with this stride. */
export function termOfElection(stride: number): Field<number> {
  return orNone(counter(stride))
}

/** The stamp of the sender's configuration, in a message. */
export function stampFields(term: Field<number>): {
  configTerm: Field<number>
  configVersion: Field<number>
} {
  return { configTerm: optional(term), configVersion: version }
}

/** A configuration with its content, in a message. */
export function contentFields(term: Field<number>) {
  return { ...stampFields(term), voters: nodeSet, observers: nodeSet, data }
}

export function registerFields(term: Field<number>) {
  return {
    configTerm: stable(optional(term)),
    configVersion: stable(version),
    voters: stable(optional(nodeSet)), // of a configuration that was written; those of the first are the group's
    observers: stable(optional(nodeSet)),
    data: stable(data),
    committed: optional(flag), // leader: a majority has adopted this configuration in the leader's term
    confirmed: optional(nodeSet), // leader: which members have
  }
}

export type Stamp = RecordOf<ReturnType<typeof stampFields>>
type State = RecordOf<ReturnType<typeof registerFields>>
type Content = Readonly<Stamp> & Change

export function isNewer(a: Readonly<Stamp>, b: Readonly<Stamp>): boolean {
  if (a.configTerm !== b.configTerm) return a.configTerm > b.configTerm
  return a.configVersion > b.configVersion
}

export function isSame(a: Readonly<Stamp>, b: Readonly<Stamp>): boolean {
  return a.configTerm === b.configTerm && a.configVersion === b.configVersion
}

/** The configuration that a member has adopted, for messages. */
export function stampOf({ configTerm, configVersion }: State): Stamp {
  return { configTerm, configVersion }
}

export class Register {
  private readonly group: Group
  /** Whether all members of the group vote in the first configuration: large groups count fast. */
  private readonly allVote: boolean

  constructor(group: Group) {
    this.group = group
    this.allVote = group.voters.length === group.members
  }

  isVoter(s: State, seat: NodeId): boolean {
    return s.configTerm === 0 ? this.group.voters.has(seat) : s.voters.has(seat)
  }

  /** A voter may lead, unless it is a witness. */
  mayLead(s: State, seat: NodeId): boolean {
    return this.isVoter(s, seat) && this.group.mayStand(seat)
  }

  isMember(s: State, seat: NodeId): boolean {
    const { observers } = s.configTerm === 0 ? this.group : s
    return this.isVoter(s, seat) || observers.has(seat)
  }

  voters(s: State): Iterable<NodeId> {
    return s.configTerm === 0 ? this.group.voters : s.voters
  }

  observers(s: State): Iterable<NodeId> {
    return s.configTerm === 0 ? this.group.observers : s.observers
  }

  members(s: State): Iterable<NodeId> {
    if (s.configTerm === 0 && this.allVote) return this.group.everyone
    const { voters, observers } = s.configTerm === 0 ? this.group : s
    return [...voters, ...observers]
  }

  /** The voters that are stronger than a member. */
  superiors(s: State, me: NodeId): readonly NodeId[] | MemberSequence {
    return this.votersOf(s, this.group.superiors(me))
  }

  /** The voters that are weaker than a member. */
  juniors(s: State, me: NodeId): readonly NodeId[] | MemberSequence {
    return this.votersOf(s, this.group.juniors(me))
  }

  private votersOf(s: State, seats: MemberSequence): readonly NodeId[] | MemberSequence {
    if (s.configTerm === 0 && this.allVote) return seats
    return [...seats].filter((seat) => this.isVoter(s, seat))
  }

  /** Whether `answered` and `me`, as far as they vote, are a majority. */
  isMajority(s: State, answered: ReadonlyNodeSet, me: NodeId): boolean {
    if (s.configTerm === 0 && this.allVote) {
      return answered.size + 1 >= majority(this.group.members)
    }
    let votes = this.isVoter(s, me) && !answered.has(me) ? 1 : 0
    for (const seat of answered) if (this.isVoter(s, seat)) votes += 1
    const voters = s.configTerm === 0 ? this.group.voters.length : s.voters.size
    return votes >= majority(voters)
  }

  adopt(s: State, { configTerm, configVersion, ...content }: Content): void {
    s.configTerm = configTerm
    s.configVersion = configVersion
    this.fill(s, content)
  }

  /** The leader writes the content that it has under its own term. */
  restamp(s: State, term: number): void {
    const content = this.content(s)
    if (s.configVersion > MOST_VERSIONS) s.configVersion = 0
    s.configTerm = term
    this.fill(s, content)
  }

  /** The leader writes the change. Its configuration is of its own term. */
  write(s: State, change: Change): void {
    s.configVersion += 1
    this.fill(s, change)
  }

  content(s: State): Change {
    if (s.configTerm !== 0) return s
    const { voters, observers } = this.group
    return { voters: NodeSet.of(...voters), observers: NodeSet.of(...observers), data: s.data }
  }

  configuration(s: State): Configuration {
    const { voters, observers, data: given } = this.content(s)
    const content = { voters: voters.copy(), observers: observers.copy(), data: given }
    return {
      term: s.configTerm,
      version: s.configVersion,
      ...content,
      committed: s.committed,
    }
  }

  /** Why the leader of `term` may not write the change now. */
  refusal(s: State, change: Change, term: number): ChangeRefusal {
    const { voters, observers, data: given } = this.content(s)
    if (![...change.voters].some((seat) => this.group.mayStand(seat))) return 'no voter'
    if ([...change.voters].some((seat) => change.observers.has(seat))) return 'two roles'
    const added = [...change.voters].filter((seat) => !voters.has(seat))
    const removed = [...voters].filter((seat) => !change.voters.has(seat))
    if (added.length + removed.length > 1) return 'more than one voter'
    if (added.some((seat) => !observers.has(seat))) return 'not caught up'
    if (s.configTerm !== term || !s.committed) return 'not committed'
    if (added.some((seat) => !s.confirmed.has(seat))) return 'not caught up'
    const isSameContent =
      removed.length + added.length === 0 &&
      change.observers.equals(observers) &&
      change.data === given
    return isSameContent ? 'nothing changes' : ''
  }

  private fill(s: State, content: Change): void {
    s.voters = content.voters.copy()
    s.observers = content.observers.copy()
    s.data = content.data
    s.committed = false
    s.confirmed.clear()
  }
}
