/**
 * Judges how an algorithm keeps what it promises (its `safeguards`): that a majority is bonded to each holder of a lease
 * for at least as long, and that too few members for a majority may still vote below a term that was led in. The
 * votes that a candidate has counted are judged likewise, while they can make it lead.
 *
 * Where the configuration changes, a lease rests on the voters of the configuration under which it was last extended;
 * and the members that may still vote are counted for each configuration that a member has: those of its voters that
 * have adopted no newer one.
 */
import type { AnyState, Safeguards } from '../../core/algorithm.ts'
import { isNewerConfiguration, type Configuration } from '../../core/configuration.ts'
import { NONE, nodesTo, type NodeId } from '../../core/node-id.ts'
import { NodeSet, type ReadonlyNodeSet } from '../../core/node-set.ts'
import { majority } from '../../core/quorum.ts'
import type { LeaseMonitor } from './lease-monitor.ts'

/** Supports whichever member holds a lease: it votes for none. */
const ANY_HOLDER = 0
const NO_HOLDER = -1

export type SafeguardBreak = 'kept leases' | 'kept votes'
/** When a timer of a member ends; null: it is not set. */
type EndOf = (node: NodeId, timer: string) => number | null

/** What a member is like after a step. */
export interface EndedStep {
  readonly s: AnyState
  readonly endOf: EndOf
  /** When its lease ends. */
  readonly deadline: number
  /** Null: all members have the same one for the whole run. */
  readonly configuration: Configuration | null
}

export class SafeguardMonitor {
  private readonly safeguards: Safeguards
  private readonly leases: LeaseMonitor
  private readonly members: number
  private readonly everyone: ReadonlyNodeSet
  private readonly label: (id: NodeId) => number
  private readonly violate: (property: SafeguardBreak, at: number, sentence: string) => void
  /** Whose lease each member supports, and until when. One that is down binds itself when it starts. */
  private readonly holder: Int32Array
  private readonly until: Float64Array
  /** The largest vote of each member that may vote; Infinity: it may not. */
  private readonly vote: Float64Array
  private largestLed = 0
  /** What each member has adopted, and under which configuration each lease was last extended. */
  private readonly configurations: (Configuration | null)[] = []
  private readonly bases = new Map<
    NodeId,
    { readonly end: number; readonly voters: ReadonlyNodeSet }
  >()
  /** The candidates, and when the lease ends with which they would lead. */
  private readonly candidates = new Map<NodeId, { readonly s: AnyState; readonly end: number }>()

  constructor(
    safeguards: Safeguards,
    members: number,
    leases: LeaseMonitor,
    label: (id: NodeId) => number,
    violate: (property: SafeguardBreak, at: number, sentence: string) => void,
  ) {
    this.safeguards = safeguards
    this.leases = leases
    this.members = members
    this.everyone = NodeSet.of(...nodesTo(members))
    this.label = label
    this.violate = violate
    this.holder = new Int32Array(members + 1).fill(ANY_HOLDER)
    this.until = new Float64Array(members + 1).fill(Infinity)
    this.vote = new Float64Array(members + 1).fill(Infinity)
  }

  /** A member that is up has ended a step. */
  stepped(node: NodeId, { s, endOf, deadline, configuration }: EndedStep, now: number): void {
    const { safeguards, holder, until } = this
    // A member that leads supports itself, whatever it is bound to.
    if (s.leader === node) holder[node] = node
    else if (s[safeguards.admitted] !== true) {
      holder[node] = ANY_HOLDER
      // In a group that has changed, a member without state waits for good.
      until[node] = configuration === null ? (endOf(node, safeguards.wait) ?? now) : Infinity
    } else if (s[safeguards.bonded] === true) {
      const bondedTo = s[safeguards.bondedTo] as NodeId
      holder[node] = bondedTo === NONE ? ANY_HOLDER : bondedTo
      until[node] = endOf(node, safeguards.bond) ?? now
    } else holder[node] = NO_HOLDER
    if (s.leader === node) this.largestLed = Math.max(this.largestLed, s.term)
    if (s.status === safeguards.counted?.status) this.candidates.set(node, { s, end: deadline })
    else if (this.candidates.size > 0) this.candidates.delete(node)
    this.stored(node, s, configuration, now)
    if (configuration !== null) this.noteBasis(node, configuration.voters)
    this.judgeLeases(now)
    if (this.candidates.size > 0) this.judgeCandidates(now)
  }

  /** The member has crashed, or lost its state: `s` is what it stores. */
  wentDown(node: NodeId, s: AnyState, configuration: Configuration | null, now: number): void {
    this.holder[node] = ANY_HOLDER
    this.until[node] = Infinity
    this.candidates.delete(node)
    this.stored(node, s, configuration, now)
  }

  private stored(
    node: NodeId,
    s: AnyState,
    configuration: Configuration | null,
    now: number,
  ): void {
    const { admitted, vote } = this.safeguards
    this.vote[node] = s[admitted] === true ? (s[vote] as number) : Infinity
    this.configurations[node] = configuration
    if (configuration !== null) return this.judgeConfigurations(now)
    const below = this.countBelow(this.everyone)
    if (below > this.members - majority(this.members)) this.reportVotes(below, now)
  }

  /** None of the configurations that members have may make a member lead below a term that was led in. */
  private judgeConfigurations(now: number): void {
    for (const [node, own] of this.configurations.entries()) {
      if (!own || this.vote[node] === Infinity || !own.voters.has(node)) continue
      const below = this.countBelow(own.voters, own)
      if (below >= majority(own.voters.size)) return this.reportVotes(below, now)
    }
  }

  /** How many voters may still vote below a term that was led in, for a candidate with this configuration. */
  private countBelow(voters: ReadonlyNodeSet, candidate: Configuration | null = null): number {
    let below = 0
    for (const voter of voters) {
      if (this.vote[voter] >= this.largestLed) continue
      const own = candidate === null ? null : this.configurations[voter]
      if (!own || !isNewerConfiguration(own, candidate!)) below += 1
    }
    return below
  }

  private reportVotes(below: number, now: number): void {
    const sentence = `${below} members may still vote below term ${this.largestLed}, which was led in`
    this.violate('kept votes', now, sentence)
  }

  /** The lease of this member may have been extended in its step. */
  private noteBasis(node: NodeId, voters: ReadonlyNodeSet): void {
    if (!this.leases.isHolder(node)) this.bases.delete(node)
    else {
      const end = this.leases.endOf(node)
      if (end > (this.bases.get(node)?.end ?? -Infinity)) this.bases.set(node, { end, voters })
    }
  }

  private judgeLeases(now: number): void {
    for (const leader of this.leases.holders) {
      const end = this.leases.endOf(leader)
      if (end <= now) continue
      const voters = this.bases.get(leader)?.voters ?? this.everyone
      let supporters = 0
      for (const peer of voters) {
        if (peer === leader || this.supports(peer, leader, end)) supporters += 1
      }
      if (supporters >= majority(voters.size)) continue
      const lease = `member ${this.label(leader)} until ${end / 1000} ms`
      const sentence = `${supporters} of ${voters.size} members support the lease of ${lease}`
      this.violate('kept leases', now, sentence)
    }
  }

  private supports(peer: NodeId, holder: NodeId, end: number): boolean {
    const whom = this.holder[peer]
    return (whom === ANY_HOLDER || whom === holder) && this.until[peer] >= end
  }

  private judgeCandidates(now: number): void {
    const counted = this.safeguards.counted!
    for (const [candidate, { s, end }] of this.candidates) {
      // What a candidate does after this time begins with the end of its lease.
      if (end <= now || s.status !== counted.status) continue
      const term = counted.termOf(s, candidate)
      for (const voter of s[counted.voters] as ReadonlyNodeSet) {
        const who = `${this.label(voter)}, whose vote ${this.label(candidate)} has counted for term ${term},`
        if (this.vote[voter] < term) {
          this.violate('kept votes', now, `member ${who} may still vote below it`)
        }
        // A vote for a larger term follows when a leader has it: then this candidate finds no majority.
        if (this.vote[voter] > term || this.supports(voter, candidate, end)) continue
        this.violate('kept leases', now, `member ${who} is not bonded until ${end / 1000} ms`)
      }
    }
  }
}
