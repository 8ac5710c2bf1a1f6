/**
 * Monitors: follow the beliefs of all members in constant time per step, judge the promises of the algorithm, and
 * measure agreement. What the algorithm does not promise is observed and reported, but is no violation.
 */
import type { Promises } from '../../core/algorithm.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { partsOf } from '../../core/group.ts'
import type { ReadonlyNodeSet } from '../../core/node-set.ts'
import { LeaseMonitor } from './lease-monitor.ts'
import { SafeguardMonitor, type SafeguardBreak } from './safeguard-monitor.ts'

export interface Violation {
  readonly property:
    | 'agreement'
    | 'one leader per term'
    | 'one lease at a time'
    | 'terms rise'
    | 'highest leads'
    | SafeguardBreak
  readonly at: number
  readonly sentence: string
}

export class Monitors {
  readonly violations: Violation[] = []
  /** Times at which two up members began to follow different leaders, and for how long in all (µs). */
  disagreements = 0
  disagreementUs = 0
  /** When all up members last began to name one up leader; NaN while they do not. */
  agreedSince = NaN
  changedAt = 0
  upCount = 0
  /** Whether the promises about the end of the run have been judged. */
  judged = false

  readonly up: Uint8Array
  readonly leader: Int32Array
  readonly term: Float64Array
  readonly leases: LeaseMonitor | null
  readonly safeguards: SafeguardMonitor | null
  private readonly promises: Promises
  private readonly label: (id: NodeId) => number
  /** How many up members follow each member, and how many members have followers. */
  private readonly followers: Int32Array
  private followed = 0
  private splitSince = NaN
  private readonly led = new Map<number, NodeId>()
  /** The leader that is followed in each term, where agreement is promised in groups. */
  private readonly leaderOfTerm = new Map<number, NodeId>()
  /** How many up members lead by their own belief, and for how long there was none until the last change. */
  private leaders = 0
  private leaderlessUs = 0
  private leaderlessSince = 0

  /** The members of the newest configuration, which are to agree, and those that vote in it; null: all members. */
  named: ReadonlyNodeSet | null = null
  voters: ReadonlyNodeSet | null = null
  /** Of those, a member that may not vote, because it has lost its state, need not follow. */
  mayFollow: (node: NodeId) => boolean = () => true
  onViolation: (violation: Violation) => void = () => undefined
  /** Whether no cut keeps one member's messages from another. */
  reaches: (from: NodeId, to: NodeId) => boolean = () => true

  constructor(
    members: number,
    promises: Promises,
    label: (id: NodeId) => number,
    hasLease = false,
  ) {
    this.promises = promises
    this.leases = hasLease
      ? new LeaseMonitor(members, label, (at, why) => this.violate('one lease at a time', at, why))
      : null
    this.safeguards =
      this.leases === null || promises.safeguards === undefined
        ? null
        : new SafeguardMonitor(
            promises.safeguards,
            members,
            this.leases,
            label,
            (property, at, why) => this.violate(property, at, why),
          )
    this.label = label
    this.up = new Uint8Array(members + 1)
    this.leader = new Int32Array(members + 1)
    this.term = new Float64Array(members + 1)
    this.followers = new Int32Array(members + 1)
  }

  wentUp(node: NodeId, now: number): void {
    this.up[node] = 1
    this.upCount += 1
    this.follow(node, NONE, now)
  }

  wentDown(node: NodeId, now: number): void {
    this.up[node] = 0
    this.leases?.crashed(node)
    this.upCount -= 1
    this.follow(node, NONE, now)
  }

  /** The member has lost its state: its term may begin anew. */
  forgot(node: NodeId): void {
    this.term[node] = 0
  }

  changed(node: NodeId, leader: NodeId, term: number, now: number): void {
    if (term < this.term[node] && this.promises.termsRise) {
      const fell = `member ${this.label(node)}'s term fell from ${this.term[node]} to ${term}`
      this.violate('terms rise', now, fell)
    }
    this.term[node] = term
    if (leader === node) this.recordLeader(node, term, this.leader[node] === node, now)
    if (leader !== NONE && this.promises.agreement === 'in groups') {
      this.recordGroup(node, leader, term, now)
    }
    if (leader !== this.leader[node]) this.follow(node, leader, now)
  }

  /** Liveness, judged after quiet. */
  judge(now: number): void {
    this.judged = true
    this.settle(now)
    if (this.promises.agreement === 'in groups') return this.judgeParts(now)
    if (Number.isNaN(this.agreedSince)) {
      if (this.upCount > 0) this.violate('agreement', now, `after quiet, ${this.beliefs()}`)
      return
    }
    if (this.promises.leader === 'any') return
    const highest = this.highest()
    const leader = this.agreed
    if (leader !== highest) {
      const sentence = `after quiet all follow ${this.label(leader)}, yet ${this.label(highest)} is up`
      this.violate('highest leads', now, sentence)
    }
  }

  private highest(): NodeId {
    const { voters } = this
    if (voters === null) return this.up.lastIndexOf(1)
    return Math.max(...[...voters].filter((node) => this.up[node] === 1))
  }

  /** For how long (µs) no up member led, by its own belief. */
  withoutLeaderUs(now: number): number {
    return this.leaderlessUs + (this.leaders === 0 ? now - this.leaderlessSince : 0)
  }

  get agreed(): NodeId {
    if (Number.isNaN(this.agreedSince)) return NONE
    if (this.named === null) return this.leader[this.up.indexOf(1)]
    return this.leader[this.bound(this.named)[0]]
  }

  private judgeParts(now: number): void {
    const up = [...this.up.keys()].filter((node) => this.up[node] === 1)
    for (const part of partsOf(up, this.reaches)) {
      const leader = this.leader[part[0]]
      if (part.includes(leader) && part.every((node) => this.leader[node] === leader)) continue
      this.violate('agreement', now, `after quiet, ${this.beliefs(part)}`)
    }
  }

  private recordGroup(node: NodeId, leader: NodeId, term: number, now: number): void {
    const other = this.leaderOfTerm.get(term) ?? leader
    this.leaderOfTerm.set(term, leader)
    if (other === leader) return
    const followed = `${this.label(other)} and ${this.label(leader)}`
    const sentence = `member ${this.label(node)} is in the group of term ${term}, in which ${followed} are followed`
    this.violate('agreement', now, sentence)
  }

  private follow(node: NodeId, leader: NodeId, now: number): void {
    const before = this.leader[node]
    if (before !== NONE && --this.followers[before] === 0) this.followed -= 1
    if (leader !== NONE && this.followers[leader]++ === 0) this.followed += 1
    this.leader[node] = leader
    if (before === node || leader === node) this.trackLeaders(before === node ? -1 : 1, now)
    this.settle(now)
  }

  private trackLeaders(change: 1 | -1, now: number): void {
    if (this.leaders === 0) this.leaderlessUs += now - this.leaderlessSince
    this.leaders += change
    this.leaderlessSince = now
  }

  settle(now: number): void {
    this.changedAt = now
    this.trackSplit(now)
    const agreed = this.named === null ? this.allAgree() : this.namedAgree(this.named)
    if (!agreed) this.agreedSince = NaN
    else if (Number.isNaN(this.agreedSince)) this.agreedSince = now
  }

  private allAgree(): boolean {
    const followed = this.followed === 1 ? this.leader[this.up.indexOf(1)] : NONE
    return followed !== NONE && this.up[followed] === 1 && this.followers[followed] === this.upCount
  }

  /** Members that the newest configuration does not name may believe anything but that they lead. */
  private namedAgree(named: ReadonlyNodeSet): boolean {
    const up = this.bound(named)
    if (up.length === 0) return false
    const leader = this.leader[up[0]]
    return (
      up.includes(leader) && this.leaders === 1 && up.every((node) => this.leader[node] === leader)
    )
  }

  private bound(named: ReadonlyNodeSet): NodeId[] {
    return [...named].filter((node) => this.up[node] === 1 && this.mayFollow(node))
  }

  private trackSplit(now: number): void {
    if (!Number.isNaN(this.splitSince)) {
      this.disagreementUs += now - this.splitSince
      this.splitSince = now
    }
    if (this.followed < 2) this.splitSince = NaN
    else if (Number.isNaN(this.splitSince)) {
      this.splitSince = now
      this.disagreements += 1
      // Members of two configurations may elect side by side.
      const isPromised = this.promises.agreement === 'always' && this.named === null
      if (isPromised) this.violate('agreement', now, this.beliefs())
    }
  }

  /** A term has one leader, and that leader leads in it once. */
  private recordLeader(node: NodeId, term: number, continues: boolean, now: number): void {
    const other = this.led.get(term)
    this.led.set(term, node)
    if (other === undefined || !this.promises.oneLeaderPerTerm) return
    if (other === node && continues) return
    const sentence =
      other === node
        ? `member ${this.label(node)} leads in term ${term} for the second time`
        : `members ${this.label(other)} and ${this.label(node)} both lead in term ${term}`
    this.violate('one leader per term', now, sentence)
  }

  private beliefs(members: Iterable<NodeId> = this.up.keys()): string {
    const shown: string[] = []
    for (const node of members) {
      if (shown.length === 20) break
      if (this.up[node] === 0) continue
      const leader = this.leader[node]
      shown.push(`${this.label(node)} follows ${leader === NONE ? 'nobody' : this.label(leader)}`)
    }
    return shown.join(', ')
  }

  private violate(property: Violation['property'], at: number, sentence: string): void {
    const violation = { property, at, sentence }
    if (this.violations.length < 100) this.violations.push(violation)
    this.onViolation(violation)
  }
}
