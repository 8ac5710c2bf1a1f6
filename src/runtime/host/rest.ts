/**
 * Rest of one group's member: while nothing happens, beats of the connections that many groups share stand for its
 * heartbeats, and this member takes no steps.
 *
 * A leader whose followers answer round after round asks them to rest; each that agrees suspends its timers, and then the
 * leader does. From then on each answered beat is a round that all of them answered, and each beat a heartbeat that
 * arrived. The rounds are taken note of when it matters (`catchUp`): before a deadline is read, and before any other step,
 * which ends the rest (`wake`). Rounds before the last one leave no trace, so one is enough. The moments are those of the
 * beats: a lease runs from when the beat was *sent*, a bond from when it arrived.
 */
import type { Cancel } from '../../clock/monotonic.ts'
import type { AnyHandlers, AnyMessage, AnyState, Out } from '../../core/algorithm.ts'
import type { Timing } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { NodeSet } from '../../core/node-set.ts'
import type { PeerLinks } from './peer-links.ts'

/** What rest needs of its member. */
export interface RestingMember extends Out<AnyMessage> {
  readonly handlers: Pick<AnyHandlers, 'rests' | 'beaten'>
  readonly state: AnyState
  /** Whether it takes part, and nothing is under way that messages or time would end. */
  readonly isIdle: boolean
  readonly links: Pick<PeerLinks, 'connectedPeers' | 'askToRest' | 'endRest' | 'lastBeat'>
  readonly timing: Timing
  heardAt(peer: NodeId, moment: number): void
  at(moment: number, action: () => void): void
  /** Takes a step after so many milliseconds. */
  later(ms: number, action: () => void): Cancel
  suspendTimers(): void
  resumeTimers(): void
}

/** A follower that wakes when beats are late must have time left to count silence as if it had been awake. */
const LEAST_DETECTION = 2.5 // periods

/** A leader asks again after so many of its periods at the earliest, and when as many have passed in which nothing changed. */
const PERIODS = 2
/** The answers to a round have arrived by then. */
const BETWEEN = 0.4

export class Rest {
  private readonly member: RestingMember
  /** Those that rest with this member: its followers, or its leader. */
  private peers: readonly NodeId[] | null = null
  private readonly asked = new Set<NodeId>()
  /** Those of them that have agreed. */
  private readonly rested = new Set<NodeId>()
  private caughtUpTo = -Infinity
  private cancelAsking: Cancel = () => undefined
  private lastTry = { at: -Infinity, term: -1 }

  constructor(member: RestingMember) {
    this.member = member
  }

  get isOn(): boolean {
    return this.peers !== null
  }

  /** Whether steps must end it: the member rests, or has asked its followers. */
  get isBegun(): boolean {
    return this.peers !== null || this.asked.size > 0
  }

  /** After a step of a leader that has had nothing to do but heartbeats for a while: it asks between two of them. */
  consider(now: number): void {
    const { member } = this
    const { term } = member.state
    const { periodMs } = member.timing
    if (!this.leads || this.isBegun) return
    if (this.lastTry.term !== term) this.lastTry = { at: now, term }
    if (now - this.lastTry.at < PERIODS * periodMs || !this.mayAsk) return
    this.lastTry.at = now
    this.cancelAsking = member.later(BETWEEN * periodMs, () => this.ask())
  }

  private ask(): void {
    if (this.isBegun || !this.mayAsk) return
    const peers = [...this.member.links.connectedPeers]
    for (const peer of peers) this.asked.add(peer)
    this.member.links.askToRest(peers)
  }

  private get leads(): boolean {
    return this.member.state.leader === this.member.me
  }

  /** It may have lost the leadership since it thought of asking. */
  private get mayAsk(): boolean {
    const { isIdle, links } = this.member
    return this.leads && isIdle && this.mayRest([...links.connectedPeers])
  }

  /** The leader asks: returns whether this member rests from now on. */
  follow(leader: NodeId): boolean {
    const isFollower = this.member.state.leader === leader
    if (!isFollower || this.isBegun || !this.member.isIdle || !this.mayRest([leader])) return false
    this.begin([leader])
    return true
  }

  /** A follower rests. When all do, this leader does. Returns whether it does. */
  agreed(peer: NodeId): boolean {
    const { member } = this
    if (!this.asked.has(peer)) return false
    const all = [...this.asked]
    if (all.some((other) => other !== peer && !this.rested.has(other))) {
      this.rested.add(peer)
      return false
    }
    this.forgetAsked()
    if (this.leads && member.isIdle && this.mayRest(all)) this.begin(all)
    else member.links.endRest()
    return this.isOn
  }

  /** Takes note of the last beats, at their moments. */
  catchUp(): void {
    const { peers, member } = this
    if (peers === null) return
    const beats = peers.map((peer) => [peer, member.links.lastBeat(peer)] as const)
    // All that rest have answered it: the round is that of the peer that is behind.
    const moment = Math.min(...beats.map(([, at]) => at))
    if (moment <= this.caughtUpTo) return
    this.caughtUpTo = moment
    member.at(moment, () => {
      for (const [peer, at] of beats) member.heardAt(peer, at)
      member.handlers.beaten(member.state, member)
    })
  }

  /** Ends the rest, before anything else happens. */
  wake(): void {
    this.catchUp()
    const wasOn = this.isOn
    this.peers = null
    this.forgetAsked()
    this.cancelAsking()
    this.lastTry.term = -1 // it asks again when it has been quiet for a while
    this.member.links.endRest()
    if (wasOn) this.member.resumeTimers()
  }

  private begin(peers: readonly NodeId[]): void {
    this.peers = peers
    this.caughtUpTo = -Infinity
    this.member.suspendTimers()
  }

  private forgetAsked(): void {
    this.asked.clear()
    this.rested.clear()
  }

  private mayRest(peers: readonly NodeId[]): boolean {
    const { handlers, state, me, timing } = this.member
    if (timing.detectionMs < LEAST_DETECTION * timing.periodMs) return false
    return handlers.rests(state, NodeSet.of(...peers), me)
  }
}
