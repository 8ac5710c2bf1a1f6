/**
 * A group as algorithms see it (members in the order of strength and on the ring, time bounds), the ordering of
 * configured members by strength, the parts of a network that is cut, and the labels of documents.
 */
import { assert } from './assert.ts'
import { NONE, type NodeId } from './node-id.ts'

/** The bounds from which algorithms compute their time-outs, in milliseconds. */
export interface Timing {
  /** Tm: a message arrives within this. */
  readonly messageMs: number
  /** Tp: a member handles a message within this. */
  readonly processingMs: number
  /** To: the failure detector answers within this. */
  readonly detectionMs: number
  /** A watch reports a crash within this: with some detectors much later than an answer. */
  readonly watchMs: number
  /** τ: the interval of periodic work. */
  readonly periodMs: number
}

/** Some members of a group, in a fixed order. */
export interface MemberSequence extends Iterable<NodeId> {
  readonly length: number
  has(id: NodeId): boolean
}

/** What a group says of its members beyond their number. */
export interface GroupOptions {
  /** The strength of each seat, at its number: the larger, the stronger. Equal ones: the larger seat. null: the seat itself. */
  readonly strength?: readonly number[] | null
  /** The first configuration. null: all members vote. Who is named in neither is outside. */
  readonly voters?: readonly NodeId[] | null
  readonly observers?: readonly NodeId[]
  /** Voters that never lead, and so are weaker than all others. */
  readonly witnesses?: readonly NodeId[]
}

/** Consecutive members first..last in the order of strength, without an array. */
export class MemberRange implements MemberSequence {
  readonly first: NodeId
  readonly last: NodeId

  constructor(first: NodeId, last: NodeId) {
    this.first = first
    this.last = last
  }

  get length(): number {
    return Math.max(0, this.last - this.first + 1)
  }

  has(id: NodeId): boolean {
    return id >= this.first && id <= this.last
  }

  [Symbol.iterator](): Iterator<NodeId> {
    return new MemberIterator(this.first, this.last)
  }
}

/** Serves as its own iterator result, so that a broadcast to thousands of members allocates one object. */
class MemberIterator implements Iterator<NodeId> {
  value: NodeId = NONE
  done = false
  private at: NodeId
  private readonly last: NodeId

  constructor(first: NodeId, last: NodeId) {
    this.at = first
    this.last = last
  }

  next(): IteratorResult<NodeId> {
    if (this.at <= this.last) this.value = this.at++
    else this.done = true
    return this as IteratorResult<NodeId>
  }
}

class MemberList implements MemberSequence {
  private readonly ids: readonly NodeId[]

  constructor(ids: readonly NodeId[]) {
    this.ids = ids
  }

  get length(): number {
    return this.ids.length
  }

  has(id: NodeId): boolean {
    return this.ids.includes(id)
  }

  [Symbol.iterator](): Iterator<NodeId> {
    return this.ids[Symbol.iterator]()
  }
}

const LARGE = 10
/** How many members of a large group look for all others: one would do, and may be slow to start. */
const FOUNDERS = 2

export class Group {
  /** The number of seats: the members are 1 to this one. */
  readonly members: number
  readonly timing: Timing
  /** Ring order: place → member and member → place; null where the ring is 1, 2, …, n. */
  private readonly ring: Int32Array | null
  private readonly place: Int32Array | null
  /** The members of the first configuration that vote, and those that only follow. */
  readonly voters: MemberSequence
  readonly observers: MemberSequence
  private readonly witnesses: MemberSequence
  /** The seats from the weakest to the strongest; null: 1, 2, …, n. */
  private readonly order: readonly NodeId[] | null
  private readonly strength: readonly number[] | null

  constructor(
    members: number,
    timing: Timing,
    ring: readonly NodeId[] | null = null,
    { strength: given = null, voters = null, observers = [], witnesses = [] }: GroupOptions = {},
  ) {
    assert(Number.isInteger(members) && members >= 1, 'a group has at least one member')
    this.members = members
    this.timing = timing
    this.ring = ring === null ? null : Int32Array.from(ring)
    this.place = ring === null ? null : new Int32Array(members + 1)
    ring?.forEach((id, place) => (this.place![id] = place))
    const isRing = ring?.every((id, place) => id > 0 && this.place![id] === place) ?? true
    assert(isRing && (ring?.length ?? members) === members, 'a ring names each member once')
    this.witnesses = new MemberList(witnesses)
    const strength = witnesses.length === 0 ? given : this.withoutWitnesses(given)
    this.strength = strength
    this.order =
      strength === null ? null : [...this.everyone].sort((a, b) => (this.outranks(a, b) ? 1 : -1))
    this.voters = voters === null ? this.everyone : new MemberList(voters)
    this.observers = new MemberList(observers)
    assert(this.voters.length > 0, 'a group has at least one voter')
  }

  /** Whether the member may stand where it votes: who may not is a witness. */
  mayStand(member: NodeId): boolean {
    return !this.witnesses.has(member)
  }

  /** The strongest voter of the first configuration. */
  get strongest(): NodeId {
    if (this.order === null && this.voters instanceof MemberRange) return this.members
    return [...this.voters].reduce((a, b) => (this.outranks(a, b) ? a : b))
  }

  get everyone(): MemberRange {
    return new MemberRange(1, this.members)
  }

  /**
   * Whether a member that starts looks for all others at once. In a large group only the strongest do: connections
   * between all others would cost more than everything else that happens until there is a leader.
   */
  looksForAll(me: NodeId): boolean {
    return this.members < LARGE || this.superiors(me).length < FOUNDERS
  }

  /** The members that are stronger than `me`: the papers' less(i). */
  superiors(me: NodeId): MemberSequence {
    if (this.order === null) return new MemberRange(me + 1, this.members)
    return new MemberList(this.order.slice(this.order.indexOf(me) + 1))
  }

  /** The members that are weaker than `me`: the papers' greater(i). */
  juniors(me: NodeId): MemberSequence {
    if (this.order === null) return new MemberRange(1, me - 1)
    return new MemberList(this.order.slice(0, this.order.indexOf(me)))
  }

  /** The strength of each seat, where witnesses are weaker than the weakest of the others. */
  private withoutWitnesses(given: readonly number[] | null): number[] {
    return Array.from({ length: this.members + 1 }, (_, seat) =>
      this.witnesses.has(seat) ? -Infinity : (given?.[seat] ?? seat),
    )
  }

  outranks(a: NodeId, b: NodeId): boolean {
    const { strength } = this
    if (strength === null || strength[a] === strength[b]) return a > b
    return strength[a] > strength[b]
  }

  /** The k-th member after `me` on the ring, k = 1, 2, … */
  successor(me: NodeId, k = 1): NodeId {
    const place = this.place === null ? me - 1 : this.place[me]
    const next = (place + k) % this.members
    return this.ring === null ? next + 1 : this.ring[next]
  }
}

export interface ConfiguredMember {
  readonly name: string
  readonly priority: number
  /** False: a witness, which is weaker than all members that may lead. */
  readonly lead?: boolean
}

/** Names in the order of strength, weakest first: NodeId i is the i-th. By priority, then by name in code units. */
export function orderByStrength(members: readonly ConfiguredMember[]): string[] {
  const mayLead = ({ lead = true }: ConfiguredMember): number => Number(lead)
  const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
  return [...members]
    .sort((a, b) => mayLead(a) - mayLead(b) || a.priority - b.priority || byName(a.name, b.name))
    .map(({ name }) => name)
}

/**
 * The parts of a network that is cut: up members that reach each other and nobody else. Members whose links are cut in another way, so that they reach different peers, belong to no
 * part.
 */
export function partsOf(
  members: readonly NodeId[],
  reaches: (from: NodeId, to: NodeId) => boolean,
): NodeId[][] {
  const peersOf = new Map<NodeId, NodeId[]>()
  for (const a of members) {
    peersOf.set(
      a,
      members.filter((b) => a === b || (reaches(a, b) && reaches(b, a))),
    )
  }
  const isPart = (peers: readonly NodeId[]): boolean =>
    peers.every((peer) => String(peersOf.get(peer)) === String(peers)) &&
    members.every((other) => peers.includes(other) || !peers.some((a) => reaches(a, other)))
  return [...peersOf].filter(([a, peers]) => peers[0] === a && isPart(peers)).map(([, it]) => it)
}

/** The number that a document gives to a member. 002 and 004 call the strongest n, 000 and 001 call it 1. */
export class Labels {
  readonly members: number
  readonly strongest: 'highest' | 'lowest'

  constructor(members: number, strongest: 'highest' | 'lowest' = 'highest') {
    this.members = members
    this.strongest = strongest
  }

  /** The label of a member, and the member of a label: the map is its own inverse. */
  of(id: NodeId): number {
    return id === NONE || this.strongest === 'highest' ? id : this.members + 1 - id
  }
}
