/**
 * Judges how an algorithm keeps what it promises (its `safeguards`): that a majority is bonded to each holder of a lease
 * for at least as long, and that too few members for a majority may still vote below a term that was led in. The
 * votes that a candidate has counted are judged likewise, while they can make it lead.
 */
import type { AnyState, Safeguards } from '../../core/algorithm.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { ReadonlyNodeSet } from '../../core/node-set.ts'
import { majority } from '../../core/quorum.ts'
import type { LeaseMonitor } from './lease-monitor.ts'

/** Supports whichever member holds a lease: it votes for none. */
const ANY_HOLDER = 0
const NO_HOLDER = -1

export type SafeguardBreak = 'kept leases' | 'kept votes'
/** When a timer of a member ends; null: it is not set. */
type EndOf = (node: NodeId, timer: string) => number | null

export class SafeguardMonitor {
  private readonly safeguards: Safeguards
  private readonly leases: LeaseMonitor
  private readonly quorum: number
  private readonly members: number
  private readonly label: (id: NodeId) => number
  private readonly violate: (property: SafeguardBreak, at: number, sentence: string) => void
  /** Whose lease each member supports, and until when. One that is down binds itself when it starts. */
  private readonly holder: Int32Array
  private readonly until: Float64Array
  /** The largest vote of each member that may vote; Infinity: it may not. */
  private readonly vote: Float64Array
  private largestLed = 0
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
    this.quorum = majority(members)
    this.members = members
    this.label = label
    this.violate = violate
    this.holder = new Int32Array(members + 1).fill(ANY_HOLDER)
    this.until = new Float64Array(members + 1).fill(Infinity)
    this.vote = new Float64Array(members + 1).fill(Infinity)
  }

  /** A member that is up has ended a step. */
  stepped(node: NodeId, s: AnyState, endOf: EndOf, deadline: number, now: number): void {
    const { safeguards, holder, until } = this
    // A member that leads supports itself, whatever it is bound to.
    if (s.leader === node) holder[node] = node
    else if (s[safeguards.admitted] !== true) {
      holder[node] = ANY_HOLDER
      until[node] = endOf(node, safeguards.wait) ?? now
    } else if (s[safeguards.bonded] === true) {
      const bondedTo = s[safeguards.bondedTo] as NodeId
      holder[node] = bondedTo === NONE ? ANY_HOLDER : bondedTo
      until[node] = endOf(node, safeguards.bond) ?? now
    } else holder[node] = NO_HOLDER
    if (s.leader === node) this.largestLed = Math.max(this.largestLed, s.term)
    if (s.status === safeguards.counted?.status) this.candidates.set(node, { s, end: deadline })
    else if (this.candidates.size > 0) this.candidates.delete(node)
    this.stored(node, s, now)
    this.judgeLeases(now)
    if (this.candidates.size > 0) this.judgeCandidates(now)
  }

  /** The member has crashed, or lost its state: `s` is what it stores. */
  wentDown(node: NodeId, s: AnyState, now: number): void {
    this.holder[node] = ANY_HOLDER
    this.until[node] = Infinity
    this.candidates.delete(node)
    this.stored(node, s, now)
  }

  private stored(node: NodeId, s: AnyState, now: number): void {
    const { admitted, vote } = this.safeguards
    this.vote[node] = s[admitted] === true ? (s[vote] as number) : Infinity
    let below = 0
    for (let peer = 1; peer <= this.members; peer++) {
      if (this.vote[peer] < this.largestLed) below += 1
    }
    if (below <= this.members - this.quorum) return
    const sentence = `${below} members may still vote below term ${this.largestLed}, which was led in`
    this.violate('kept votes', now, sentence)
  }

  private judgeLeases(now: number): void {
    for (const leader of this.leases.holders) {
      const end = this.leases.endOf(leader)
      if (end <= now) continue
      let supporters = 1
      for (let peer = 1; peer <= this.members; peer++) {
        if (peer !== leader && this.supports(peer, leader, end)) supporters += 1
      }
      if (supporters >= this.quorum) continue
      const lease = `member ${this.label(leader)} until ${end / 1000} ms`
      const sentence = `${supporters} of ${this.members} members support the lease of ${lease}`
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
