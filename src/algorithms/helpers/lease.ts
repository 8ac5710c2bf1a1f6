/**
 * Keeps a leader's lease and its followers' bonds with timers and state fields instead of a clock, and decides whether
 * a successor inherits a lease.
 *
 * A leader leads until `leaseMs` after it *sent* the last round that a majority answered. Two timers alternate:
 * one runs from the last answered round, the other from the round that is out. When a majority answers that
 * round, the older timer is cleared. So the lease is over whichever of the two fires.
 *
 * A member that answers a round is bonded to the leader: it votes for no other member until after the lease that
 * the answer extends, whatever the clock drift. A restarted member has forgotten the bond, and is bonded to an
 * unknown leader for as long. Any two majorities share a member, so the next leader leads after the lease.
 *
 * The successor in a handover sent no round. Therefore followers give each answer a mark, a fresh id, and start a
 * timer with it; a leader that resigns names the mark of its successor that it received last. If that is the
 * successor's latest mark, the timer began before the leader resigned, and so before any member was bonded to the
 * successor by the resignation: it is the successor's first lease.
 *
 * Where the group changes its timing, members compute different times for a while. So a round names the bond that it
 * asks for, and a member is bonded for at least that long, and for no less than it was bonded before: until the longer
 * bond is over (`longer`), also across a restart.
 */
import { deadline, hold, numberOption, type Out } from '../../core/algorithm.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { flag, id, int, node, optional, stable, type RecordOf } from '../../core/schema.ts'

const milliseconds = int(0, 2 ** 31 - 1)

export const leaseFields = {
  bonded: flag, // answered the leader `bondedTo` lately; NONE: before a restart, an unknown leader
  bondedTo: node,
  bondedIncarnation: id, // of that leader or candidate; 0: unknown
  odd: flag, // which of the two timers runs from the round that is out
  answered: flag, // a majority answered that round
  mark: id, // of the latest answer, while a lease that the member inherits could run from it
  successor: node, // leader: the strongest member that answered the round that is out,
  successorMark: id, // and the mark of that answer,
  successorIncarnation: id, // and the incarnation that gave it
}
/** Where the timing may change. */
export const bondFields = {
  asksFor: optional(milliseconds), // the bond that the round that is out asks for; 0: that of the first configuration
  longest: stable(optional(milliseconds)), // a bond that was longer than the present timing's, and may not be over
}
/** The bond that a message asks for; 0: that of the first configuration, which all members know. */
export const bondField = optional(milliseconds)
export const leaseTimers = { bond: hold, lease0: deadline, lease1: deadline }
export const bondTimers = { longer: hold }

export const leaseOptions = {
  leasePeriods: numberOption(4, 0, 1000),
  driftPercent: numberOption(10, 0, 100),
}
/** For judges of leases and votes, besides the field of the vote. */
export const leaseSafeguards = {
  bonded: 'bonded',
  bondedTo: 'bondedTo',
  bond: 'bond',
  admitted: 'admitted',
  wait: 'wait',
} as const

/** For the checker with clocks, whose tick is as long (src/check/transitions/clocks.ts). */
export const clockedLease = { leasePeriods: 4, driftPercent: 10 }

type State = RecordOf<typeof leaseFields>
type Bond = Pick<State, 'bonded' | 'bondedTo' | 'bondedIncarnation'>
type LongBond = RecordOf<typeof bondFields>
type Round = Pick<State, 'odd' | 'answered'>
type Marks = Omit<State, keyof Bond | keyof Round>
type Timers = Pick<Out<never, keyof typeof leaseTimers>, 'set' | 'clear'>
type LongTimers = Pick<Out<never, keyof typeof bondTimers>, 'set'>

export class Lease {
  readonly leaseMs: number
  readonly bondMs: number

  /** With `leaseMs` 0 there is no lease and no bond. */
  constructor(leaseMs: number, driftPercent: number) {
    this.leaseMs = leaseMs
    this.bondMs = Math.ceil(leaseMs * (1 + driftPercent / 100))
  }

  /** The incarnation that bonds are to; 0 where there are none. */
  incarnationOf(out: { readonly incarnation: number }): number {
    return this.leaseMs === 0 ? 0 : out.incarnation
  }

  /** The leader or candidate sends a round now. */
  begin(s: Round & Marks, timers: Timers): void {
    s.answered = false
    if (this.leaseMs === 0) return
    s.odd = !s.odd
    clearMarks(s)
    timers.set(leaseTimer(s.odd), this.leaseMs)
  }

  /** The round that is out begins anew: the lease may still run from the one before it. */
  beginAnew(s: Round & Marks, timers: Timers): void {
    if (s.answered) return this.begin(s, timers)
    clearMarks(s)
    if (this.leaseMs > 0) timers.set(leaseTimer(s.odd), this.leaseMs)
  }

  /** A majority has answered the round that is out. */
  renew(s: Round, timers: Timers): void {
    s.answered = true
    timers.clear(leaseTimer(!s.odd))
  }

  end(s: Round & Marks, timers: Timers): void {
    s.answered = false
    s.odd = false
    clearMarks(s)
    timers.clear('lease0')
    timers.clear('lease1')
  }

  /** A follower answers a round now; `mark` names the answer. */
  markAnswer(s: Round & Marks, mark: number, timers: Timers): void {
    s.mark = mark
    timers.set(leaseTimer(s.odd), this.leaseMs)
  }

  /** The leader receives an answer with its mark. */
  noteMark(s: Marks, from: NodeId, mark: number, incarnation: number, group: Group): void {
    if (mark === 0 || (s.successor !== NONE && group.outranks(s.successor, from))) return
    s.successor = from
    s.successorMark = mark
    s.successorIncarnation = incarnation
  }

  /** Whether a successor inherits the lease of a leader that received this mark last. */
  isInheritable(s: Marks, mark: number): boolean {
    return this.leaseMs === 0 || (mark !== 0 && s.mark === mark)
  }

  bond(s: Bond, leader: NodeId, incarnation: number, timers: Timers, bondMs = this.bondMs): void {
    if (this.leaseMs === 0) return
    s.bonded = true
    s.bondedTo = leader
    s.bondedIncarnation = incarnation
    timers.set('bond', bondMs)
  }

  /** How long a round that asks for a bond binds a member. */
  bondFor(s: LongBond, asked: number, timers: LongTimers): number {
    if (asked > this.bondMs) this.keepBond(s, asked, timers)
    return Math.max(this.bondMs, s.longest)
  }

  /** A bond that may be longer than those of the timing to come: none is shorter until it is over. */
  keepBond(s: LongBond, bondMs: number, timers: LongTimers): void {
    if (this.leaseMs === 0) return
    s.longest = Math.max(s.longest, bondMs)
    if (s.longest > 0) timers.set('longer', s.longest)
  }

  endBond(s: Bond, timers: Timers): void {
    s.bonded = false
    s.bondedTo = NONE
    s.bondedIncarnation = 0
    timers.clear('bond')
  }
}

export function clearMarks(s: Marks): void {
  s.mark = 0
  s.successor = NONE
  s.successorMark = 0
  s.successorIncarnation = 0
}

export function leaseTimer(odd: boolean): 'lease0' | 'lease1' {
  return odd ? 'lease1' : 'lease0'
}
