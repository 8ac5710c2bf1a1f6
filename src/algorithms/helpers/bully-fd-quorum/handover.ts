/**
 * Handover in bully-fd-quorum: a leader resigns, or a candidate releases its voters, and names the member that takes
 * over; the others vote for that member unasked.
 */
import { NONE, type NodeId } from '../../../core/node-id.ts'
import { isNewer, isSame, stampOf } from '../register.ts'
import type { Roles, Settings } from './roles.ts'
import {
  bondOf,
  candidateTerm,
  clearDeferred,
  recordVote,
  returnVote,
  STRIDE,
  termAfter,
  type Message,
  type MessageOf,
  type Resignation,
  type Sink,
  type State,
} from './state.ts'

/** What a handover calls of the election. */
interface Election {
  readonly stage1: (s: State, out: Sink) => void
  readonly standInTurn: (s: State, out: Sink) => void
  readonly stage2: (s: State, out: Sink) => void
  readonly inherit: (s: State, leader: NodeId, term: number, out: Sink) => void
  readonly countVote: (s: State, from: NodeId, out: Sink) => void
  readonly backOff: (s: State, out: Sink) => void
  readonly passOver: (s: State, peer: NodeId, out: Sink) => void
}
/** What a handover calls of the votes. */
interface Votes {
  readonly awaitCandidate: (s: State, candidate: NodeId, out: Sink) => void
  readonly resumeElection: (s: State, out: Sink) => void
}

/** The leader's half: it gives up its term, and may vote for the next term of a successor. */
export function resignations(
  { lease, register }: Settings,
  { backOff }: Pick<Election, 'backOff'>,
) {
  function resign(s: State, named: NodeId, out: Sink): void {
    if (s.leader !== out.me) return
    const successor = register.mayLead(s, named) ? named : NONE
    if (successor === NONE) return resignTo(s, NONE, s.term, out)
    const next = termAfter(s.term, successor)
    const incarnation = successor === s.successor ? s.successorIncarnation : 0
    resignTo(s, successor, next, out)
    recordVote(s, next)
    lease.bond(s, successor, incarnation, out, lease.bondFor(s, 0, out))
  }

  /** Ends this member's term. The step that names a successor also votes for its term `next`. */
  function resignTo(s: State, successor: NodeId, next: number, out: Sink): void {
    announceEnd(s, successor, next, out)
    backOff(s, out)
  }

  function announceEnd(s: State, successor: NodeId, next: number, out: Sink): void {
    const isKnown = successor === s.successor
    const mark = isKnown ? s.successorMark : 0
    const incarnation = isKnown ? s.successorIncarnation : 0
    const handover = { successor, next, mark, incarnation, bond: bondOf(s, lease), ...stampOf(s) }
    const resign: Message = { type: 'resign', term: s.term, ...handover }
    if (successor !== NONE) out.send(successor, resign) // first: all others wait for it
    for (const peer of register.members(s)) {
      if (peer !== out.me && peer !== successor) out.send(peer, resign)
    }
  }

  return { resign, resignTo, announceEnd }
}
export type Resignations = ReturnType<typeof resignations>

/** The half of the other members: those that voted for the sender, and the successor. */
export function handovers(
  { lease, register }: Settings,
  role: Roles,
  election: Election,
  voting: Votes,
) {
  function onRelease(s: State, from: NodeId, m: MessageOf<'release'>, out: Sink): void {
    if (m.term < s.vote) return
    if (s.deferredFrom === from && s.deferredRound === m.round) clearDeferred(s)
    election.passOver(s, from, out)
    if (s.status === 'Elec1') return election.standInTurn(s, out)
    if (s.status !== 'Wait' || s.head !== from || s.round !== m.round) return
    if (m.lapsed) returnVote(s)
    if (!turnsTo(s, m.successor, from, out)) return
    if (m.successor === out.me) standAtOnce(s, out)
    else voting.awaitCandidate(s, m.successor, out)
  }

  function onResign(s: State, leader: NodeId, m: Resignation, out: Sink): void {
    const { term, successor, next, mark, bond } = m
    if (term !== s.vote || !turnsTo(s, successor, leader, out)) return
    if (successor !== out.me) {
      if (isNewer(s, m)) return voting.resumeElection(s, out)
      voteForSuccessor(s, successor, m, out)
      const { configTerm, configVersion } = m
      out.send(successor, { type: 'endorse', term, next, mark, bond, configTerm, configVersion })
    } else if (mayInherit(s, m, out.me)) election.inherit(s, leader, next, out)
    else standAtOnce(s, out)
  }

  /** A leader resigned in favour of this member. */
  function voteForSuccessor(s: State, successor: NodeId, m: Resignation, out: Sink): void {
    voting.awaitCandidate(s, successor, out)
    recordVote(s, m.next)
    lease.bond(s, successor, m.incarnation, out, lease.bondFor(s, m.bond, out))
  }

  function onEndorse(s: State, from: NodeId, m: MessageOf<'endorse'>, out: Sink): void {
    // It may arrive before the resignation, from the leader of the term, and then stands for it.
    const { incarnation } = s
    onResign(s, m.term % STRIDE, { ...m, successor: out.me, incarnation }, out)
    const isEndorsed = s.inherits && m.next === s.term && m.mark === s.mark && isSame(m, s)
    if (isEndorsed) election.countVote(s, from, out)
  }

  /** Under another timing the timer of the mark may be longer than the bonds that the resignation asked for. */
  function mayInherit(s: State, m: Resignation, me: NodeId): boolean {
    if (!isSame(m, s) || m.bond !== bondOf(s, lease) || !register.mayLead(s, me)) return false
    return m.next === candidateTerm(s, me) && lease.isInheritable(s, m.mark)
  }

  function standAtOnce(s: State, out: Sink): void {
    if (!register.mayLead(s, out.me)) return election.stage1(s, out)
    role.leaveRoleAndLease(s, NONE, out)
    election.stage2(s, out)
  }

  /** `from` no longer leads or stands. Returns whether this member is to act on the successor that it named. */
  function turnsTo(s: State, successor: NodeId, from: NodeId, out: Sink): boolean {
    if (s.bondedTo === from) lease.endBond(s, out)
    election.passOver(s, from, out)
    if (s.head !== from && s.status !== 'Elec1') return false
    if (successor !== NONE && successor !== s.deferredFrom && !s.bonded) return true
    voting.resumeElection(s, out)
    return false
  }

  return { onRelease, onResign, onEndorse }
}
