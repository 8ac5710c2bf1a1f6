/**
 * A leader's lease, without a clock: as timers and four fields.
 *
 * The leader leads until `leaseMs` after it *sent* the last round that a majority answered. Two timers
 * take turns: one runs from the last answered round, one from the round that is out; when that one is
 * answered, the older is cleared. So whichever fires, the lease is over.
 *
 * Whoever answers a round is bound: it helps nobody else to lead for longer than the leader can count on
 * it, however their clocks drift, and for as long after a restart, because it forgot whom it answered.
 * Any two majorities share a member, so whoever leads next leads after the lease.
 *
 * Who inherits leadership sent no round. But it marks its answers, each with a fresh name and a timer that
 * runs from then on; the leader that resigns says which mark of its heir's it has seen. If that is the
 * heir's latest, the timer began before the leader resigned, and so before anybody was bound to the heir
 * by that: it is the heir's first lease.
 */
import { deadline, period } from '../../core/algorithm.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { flag, id, node } from '../../core/schema.ts'

export const leaseFields = {
  bound: flag, // I answered `loyal` lately; NONE: before my restart, I do not know whom
  loyal: node,
  odd: flag, // which of the two timers runs from the round that is out
  answered: flag, // that round, by a majority
  mark: id, // of my latest answer, while a lease that I inherit could run from it
  heir: node, // as leader: the strongest that answered the round that is out,
  heirMark: id, // and its mark
}
export const leaseTimers = { bond: period, lease0: deadline, lease1: deadline }

interface Leased {
  bound: boolean
  loyal: NodeId
  odd: boolean
  answered: boolean
  mark: number
  heir: NodeId
  heirMark: number
}
interface Clock {
  set(timer: keyof typeof leaseTimers, ms: number): void
  clear(timer: keyof typeof leaseTimers): void
}

export class Lease {
  readonly leaseMs: number
  readonly bondMs: number

  /** 0: there is no lease, and nobody is ever bound. */
  constructor(leaseMs: number, driftPercent: number) {
    this.leaseMs = leaseMs
    this.bondMs = Math.ceil(leaseMs * (1 + driftPercent / 100))
  }

  /** A round is sent now. */
  begin(s: Leased, clock: Clock): void {
    s.answered = false
    if (this.leaseMs === 0) return
    s.odd = !s.odd
    this.forgetMarks(s)
    clock.set(timerOf(s.odd), this.leaseMs)
  }

  /** A majority has answered it. */
  renew(s: Leased, clock: Clock): void {
    s.answered = true
    clock.clear(timerOf(!s.odd))
  }

  /** I lead no longer, or not yet. */
  end(s: Leased, clock: Clock): void {
    s.answered = false
    this.forgetMarks(s)
    clock.clear('lease0')
    clock.clear('lease1')
  }

  /** I answer a round now, and call the answer so. */
  markAnswer(s: Leased, mark: number, clock: Clock): void {
    s.mark = mark
    clock.set(timerOf(s.odd), this.leaseMs)
  }

  /** As leader I see the mark of an answer. */
  seeMark(s: Leased, from: NodeId, mark: number, group: Group): void {
    if (mark === 0 || (s.heir !== NONE && group.outranks(s.heir, from))) return
    s.heir = from
    s.heirMark = mark
  }

  private forgetMarks(s: Leased): void {
    s.mark = 0
    s.heir = NONE
    s.heirMark = 0
  }

  /** Whether I can inherit from a leader that saw this mark last. */
  passesOn(s: Leased, mark: number): boolean {
    return this.leaseMs === 0 || (mark !== 0 && s.mark === mark)
  }

  bind(s: Leased, loyal: NodeId, clock: Clock): void {
    if (this.leaseMs === 0) return
    s.bound = true
    s.loyal = loyal
    clock.set('bond', this.bondMs)
  }

  unbind(s: Leased, clock: Clock): void {
    s.bound = false
    s.loyal = NONE
    clock.clear('bond')
  }

  /** Whether I may help this member to lead. */
  allows(s: Leased, candidate: NodeId): boolean {
    return !s.bound || s.loyal === candidate
  }
}

function timerOf(odd: boolean): 'lease0' | 'lease1' {
  return odd ? 'lease1' : 'lease0'
}
