/**
 * Bully_FD with majorities, durable votes and a lease: the algorithm that the runtime runs by default.
 *
 * Source: 000 Fig. 3.1 and 001 Fig. 1, with the errata's Bully_FD-Q: a leader needs the votes of a majority of
 *   the configured members; a vote is durable, and no vote for a smaller term follows it.
 * Assumes: for safety, durable stable fields, a bound on clock drift, and that a crash ends an incarnation. For
 *   progress, a majority that is up and connected.
 * Promises: each term has at most one leader, elected by a majority; a member's accepted term never falls; no two
 *   members hold an unexpired lease at once; when faults cease, all members agree. With `preempt: sticky` they
 *   agree on a leader that stays while it is up, with `yes` on the strongest. Strength only decides which member
 *   stands first. An undisturbed election costs 3(a−1) + d2 messages (Halt, Ack, Ldr): Halt goes to all members
 *   but superiors reported down, d2 of them down.
 * Departures: those of bully-fd, except Stage 3 and the confirmation of B8, which majorities replace: a candidate
 *   leads as soon as a majority has voted for it. Norm? goes to all members, and a member that voted for no larger
 *   term follows its sender: it joins without an election (B16). A candidate without a majority releases its
 *   voters, backs off for a random time and is passed over meanwhile; Elec1 and Wait end after `patience`. Each Ack
 *   of a candidate's last round gets one answer, Ldr or Release, and Release names the member that its sender
 *   follows; otherwise released members stand against a leader one after the other, for ever. Elec1
 *   watches superiors instead of polling them. A candidate votes for itself only when it wins: a failed one can
 *   follow the old leader at once.
 *
 * Votes that lapse (docs/decisions/0016-a-failed-candidacy-returns-its-votes.md): a candidate that releases a
 * voter and has not led in the term gives the vote back, so that a minority raises no term.
 *
 * Handover: a leader that resigns votes for its successor's next term. Each member that receives the resignation
 * does the same, and sends the successor its vote unasked (Endorse): 3a − 4 messages in all.
 *
 * Admission (helpers/admission.ts): a member without state promises nothing until the group is founded, or until it
 * has learned every vote that it may have forgotten.
 *
 * Configuration (helpers/register.ts): the members may change while the group runs. Halt, Norm?, Norm and a handover
 * carry the stamp of their sender's configuration. A leader counts answers of its own configuration only; where one may
 * be missing, it sends the configuration (Config) instead of Norm?. A voter that has a newer one than a candidate sends
 * it that instead of its vote. A member that its configuration does not name is Out: it asks for nothing.
 *
 * Witnesses: voters that the group names as such never stand, and nobody hands over to them. They are weaker than all
 * others, so nobody waits for them.
 *
 * Lease (helpers/lease.ts): Halt is a round, and so is each Norm?. A lease ends early if the leader resigns or is
 * proven dead. `leasePeriods: 0` switches it off, for the checker without clocks.
 */
import { algorithm, answer, choiceOption, period } from '../core/algorithm.ts'
import type { IsOver, Out, ValuesOf } from '../core/algorithm.ts'
import type { Change } from '../core/configuration.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { NodeSet } from '../core/node-set.ts'
import { majority } from '../core/quorum.ts'
import {
  counter,
  flag,
  id,
  node,
  nodeSet,
  oneOf,
  record,
  source,
  stable,
  union,
  type Infer,
} from '../core/schema.ts'
import {
  Admission,
  admissionFields,
  admissionMessages,
  admissionOptions,
  admissionTimers,
  isObsolete,
  lapsingVotes,
} from './helpers/admission.ts'
import {
  bondField,
  bondFields,
  bondTimers,
  clearMarks,
  clockedLease,
  Lease,
  leaseFields,
  leaseOptions,
  leaseSafeguards,
  leaseTimers,
} from './helpers/lease.ts'
import {
  contentFields,
  isNewer,
  isSame,
  Register,
  registerFields,
  stampFields,
  stampOf,
} from './helpers/register.ts'

/** A term is k·1024 + the NodeId of the member that leads in it. Terms are compared as whole numbers. */
const STRIDE = 1024

/** An incarnation has fewer rounds than this; both parts of an id together stay exact. */
const ROUNDS = 2 ** 32

const NOBODY = new NodeSet()

const state = record({
  // Elec1: waits until it is this member's turn to stand. Elec2: asks for votes. Wait: has voted. New: may not vote.
  // Out: is no member of its configuration.
  status: oneOf('Norm', 'Elec1', 'Elec2', 'Wait', 'New', 'Out'),
  leader: node,
  term: stable(counter(STRIDE)), // no vote for a smaller one follows; in Norm the leader's
  vote: stable(counter(STRIDE)), // the largest with this member's vote: `term`, or in Wait one that may lapse
  known: counter(STRIDE), // the largest known to have any vote: candidates exceed it
  head: node, // the member that is watched: the leader, or the candidate whose Ldr is awaited
  down: nodeSet, // superiors reported down
  passed: nodeSet, // superiors that backed off or resigned: their turn is over
  backingOff: flag, // this member is one of those
  acks: nodeSet, // of this candidacy, or of this round of Norm?
  deferredFrom: node, // whose Halt waits until the member is free to vote, with its term and round
  deferredTerm: counter(STRIDE),
  deferredRound: id,
  deferredIncarnation: id, // and the incarnation that sent it
  deferredBond: bondField,
  round: id, // the round that is out; in Wait, the one that was answered
  voteRound: id, // the last round that asked for votes
  inherits: flag, // in Elec2: asked for no votes, because a leader resigned in favour of this member
  rounds: source,
  incarn: stable(source),
  incarnation: id, // this one; a proof of death names incarnations
  started: stable(flag), // in an earlier incarnation, which may have answered a leader
  ...leaseFields,
  ...bondFields,
  ...admissionFields,
  ...registerFields(STRIDE),
})
const stamp = stampFields(STRIDE)
const messages = union({
  halt: { term: counter(STRIDE), round: id, incarnation: id, bond: bondField, ...stamp },
  ack: { term: counter(STRIDE), round: id },
  rej: { term: counter(STRIDE) }, // the sender voted for this term, which is larger
  // this round will not make the sender lead; `successor` leads, or may; lapsed: the sender never led in the term
  release: { term: counter(STRIDE), round: id, successor: node, lapsed: flag },
  ldr: { term: counter(STRIDE) },
  'norm?': { term: counter(STRIDE), round: id, incarnation: id, bond: bondField, ...stamp },
  norm: { term: counter(STRIDE), round: id, mark: id, incarnation: id, ...stamp },
  // the sender's configuration; from a leader it is Norm? as well, else its round is 0
  config: {
    term: counter(STRIDE),
    round: id,
    incarnation: id,
    bond: bondField,
    ...contentFields(STRIDE),
  },
  // the sender no longer leads in this term, and voted for the next one of the successor's incarnation
  resign: {
    term: counter(STRIDE),
    successor: node,
    next: counter(STRIDE),
    mark: id,
    incarnation: id,
    bond: bondField,
    ...stamp,
  },
  // the leader of this term resigned in favour of the receiver, whose next one the sender voted for too
  endorse: { term: counter(STRIDE), next: counter(STRIDE), mark: id, bond: bondField, ...stamp },
  ...admissionMessages(STRIDE),
})
const timers = {
  tau: period,
  endorsements: answer(1), // of the handover to this member
  restart: answer(1), // τ2
  patience: answer(2), // the end of Elec1 and Wait
  retry: answer(3),
  ...leaseTimers,
  ...bondTimers,
  ...admissionTimers,
}

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type MessageOf<T extends Message['type']> = Extract<Message, { type: T }>
type ElectionMessage = Exclude<Message, { type: 'who?' | 'who' | 'found' }>
type Halt = Omit<MessageOf<'halt'>, 'type' | 'configTerm' | 'configVersion'>
type Resignation = Omit<MessageOf<'resign'>, 'type'>
type Timer = keyof typeof timers
type Sink = Out<Message, Timer>

const options = { preempt: choiceOption('sticky', 'yes'), ...leaseOptions, ...admissionOptions }
type Options = ValuesOf<typeof options>

function termAfter(term: number, member: NodeId): number {
  return (Math.floor(term / STRIDE) + 1) * STRIDE + member
}

/** The term that a candidate asks for: above all that it knows, and its own. Or the term that it inherits. */
function candidateTerm(s: State, me: NodeId): number {
  return s.inherits ? s.term : termAfter(s.known, me)
}

function freshId(s: State): number {
  s.rounds += 1
  return s.incarn * ROUNDS + s.rounds
}

function deferHalt(s: State, candidate: NodeId, { term, round, incarnation, bond }: Halt): void {
  s.deferredFrom = candidate
  s.deferredTerm = term
  s.deferredRound = round
  s.deferredIncarnation = incarnation
  s.deferredBond = bond
}

function clearDeferred(s: State): void {
  deferHalt(s, NONE, { term: s.term, round: 0, incarnation: 0, bond: 0 })
}

/** The bond that a member asks for under its configuration. */
function bondOf({ configTerm }: State, { bondMs }: Lease): number {
  return configTerm === 0 ? 0 : bondMs
}

/** A vote that stays: for a leader, for itself, or for the successor that a leader named. */
function recordVote(s: State, term: number): void {
  s.term = term
  s.vote = term
  s.known = term
  clearDeferred(s)
}

/** The candidate will never lead by the vote that this member gave last: a failed candidacy raises no term. */
function returnVote(s: State): void {
  s.vote = s.term
  s.known = s.term
}

/** There is a leader: whose turn it was no longer matters. */
function forgetElection(s: State): void {
  s.passed.clear()
  s.acks.clear()
  s.down.clear()
}

function releaseOf(s: State, term: number, round: number, successor: NodeId): Message {
  return { type: 'release', term, round, successor, lapsed: s.term < term }
}

function settingsOf(group: Group, { preempt, leasePeriods, driftPercent, founding }: Options) {
  const { messageMs, processingMs, detectionMs, periodMs } = group.timing
  const roundMs = 2 * messageMs + (group.members + 1) * processingMs
  const beatMs = Math.max(periodMs, roundMs)
  const askMs = Math.max(periodMs, detectionMs + messageMs)
  const lease = new Lease(leasePeriods * beatMs, driftPercent)
  /** τ2, the time for the votes: the other bonds end at most a beat after the candidate's; then a detection, a round. */
  const restartMs = beatMs + roundMs + detectionMs + messageMs
  const patienceMs = lease.bondMs + restartMs + 2 * askMs
  const register = new Register(group)
  const admission = new Admission(
    { group, founding, waitMs: lease.bondMs, askMs: beatMs },
    freshId,
    lapsingVotes,
  )
  return { group, register, preempt, lease, roundMs, beatMs, restartMs, patienceMs, admission }
}
type Settings = ReturnType<typeof settingsOf>

/** What members in every status do: they leave it, wait, and send and answer rounds. */
function roles({ register, lease, roundMs, patienceMs }: Settings) {
  function broadcast(s: State, message: Message, out: Sink): void {
    for (const peer of register.members(s)) if (peer !== out.me) out.send(peer, message)
  }

  /** The stronger a member, the sooner it stops waiting. */
  function setPatience(s: State, out: Sink): void {
    const ms = patienceMs + 2 * roundMs * register.superiors(s, out.me).length
    out.set('patience', ms, ms + roundMs)
  }

  /** The member's role ends: its voters are released, and `successor` named to them. The lease runs on. */
  function leaveRole(s: State, successor: NodeId, out: Sink): void {
    if (s.status === 'Elec2') {
      const release = releaseOf(s, candidateTerm(s, out.me), s.round, successor)
      for (const peer of s.acks) out.send(peer, release)
    }
    if (s.head !== NONE) out.unwatch(s.head)
    if (s.status === 'Elec1') unwatchSuperiors(s, out)
    for (const timer of ['tau', 'endorsements', 'restart', 'patience', 'retry'] as const)
      out.clear(timer)
    s.inherits = false
    s.leader = NONE
    s.head = NONE
    s.down.clear()
    s.acks.clear()
    s.backingOff = false
    s.round = 0
    s.asksFor = 0
    s.committed = false
    s.confirmed.clear()
    s.term = s.vote // a vote lapses only in Wait
  }

  function watchSuperiors(s: State, out: Sink): void {
    for (const peer of register.superiors(s, out.me)) out.watch(peer)
  }

  /** Before the member adopts another configuration: whom it watches depends on that. */
  function unwatchSuperiors(s: State, out: Sink): void {
    for (const peer of register.superiors(s, out.me)) out.unwatch(peer)
  }

  function leaveRoleAndLease(s: State, successor: NodeId, out: Sink): void {
    leaveRole(s, successor, out)
    lease.end(s, out)
  }

  /** `anew`: in place of a round that is out, if there is one. */
  function beginRound(s: State, out: Sink, anew = false): void {
    s.acks.clear()
    s.round = freshId(s)
    s.asksFor = bondOf(s, lease)
    if (anew) lease.beginAnew(s, out)
    else lease.begin(s, out)
  }

  /** A majority answered the round that is out: further answers to it do not matter. */
  function renewLease(s: State, out: Sink): void {
    lease.renew(s, out)
    s.acks.clear()
    s.round = 0
  }

  return {
    broadcast,
    setPatience,
    leaveRole,
    leaveRoleAndLease,
    watchSuperiors,
    unwatchSuperiors,
    beginRound,
    renewLease,
  }
}
type Roles = ReturnType<typeof roles>

/** The election: which member stands, how it asks for votes, and what follows from their number. */
function elections(settings: Settings, role: Roles) {
  const { group, register, lease, roundMs, beatMs, restartMs } = settings

  /** The strongest member that is up and has not been passed over stands. */
  function stage1(s: State, out: Sink): void {
    role.leaveRoleAndLease(s, NONE, out)
    s.status = register.isMember(s, out.me) ? 'Elec1' : 'Out'
    if (!register.mayLead(s, out.me)) return // an observer or a witness waits for a leader
    role.watchSuperiors(s, out)
    role.setPatience(s, out)
    standInTurn(s, out)
  }

  function standInTurn(s: State, out: Sink): void {
    if (s.status !== 'Elec1' || s.bonded || s.backingOff) return
    if (!register.mayLead(s, out.me)) return
    for (const peer of register.superiors(s, out.me)) {
      if (!s.down.has(peer) && !s.passed.has(peer)) return
    }
    stage2(s, out)
  }

  /**
   * Whether the others are no majority without those that were reported down. In a group that has changed such a voter
   * may be up, and an observer of a newer configuration: it sends nothing that would show it, and answers a Halt.
   */
  function dependsOnDown(s: State): boolean {
    if (s.configTerm === 0) return false
    const { size } = s.voters
    return size - [...s.down].filter((peer) => s.voters.has(peer)).length < majority(size)
  }

  /** Asks all members for votes, but for superiors that are down. */
  function stage2(s: State, out: Sink): void {
    for (const timer of ['tau', 'patience', 'endorsements'] as const) out.clear(timer)
    role.unwatchSuperiors(s, out)
    lease.end(s, out)
    s.status = 'Elec2'
    s.leader = NONE
    s.head = NONE
    s.inherits = false
    s.committed = false
    s.confirmed.clear()
    role.beginRound(s, out)
    s.voteRound = s.round
    const { round, incarnation, asksFor: bond } = s
    const term = candidateTerm(s, out.me)
    const halt: Message = { type: 'halt', term, round, incarnation, bond, ...stampOf(s) }
    const asksAll = dependsOnDown(s)
    for (const peer of register.voters(s)) {
      if (peer !== out.me && (asksAll || !s.down.has(peer))) out.send(peer, halt)
    }
    out.set('restart', restartMs)
    if (register.isMajority(s, NOBODY, out.me)) win(s, out)
  }

  /** A leader resigned in favour of this member, and voted for this term. Other members endorse it unasked. */
  function inherit(s: State, leader: NodeId, term: number, out: Sink): void {
    role.leaveRole(s, NONE, out)
    s.status = 'Elec2'
    s.inherits = true
    s.voteRound = 0
    recordVote(s, term)
    out.set('endorsements', roundMs)
    countVote(s, leader, out)
  }

  function countVote(s: State, from: NodeId, out: Sink): void {
    if (s.acks.add(from) && register.isMajority(s, s.acks, out.me)) win(s, out)
  }

  function win(s: State, out: Sink): void {
    const term = candidateTerm(s, out.me)
    const ldr: Message = { type: 'ldr', term }
    if (s.inherits) role.broadcast(s, ldr, out)
    else for (const peer of s.acks) out.send(peer, ldr)
    out.clear('restart')
    out.clear('endorsements')
    s.inherits = false
    s.status = 'Norm'
    s.leader = out.me
    recordVote(s, term)
    forgetElection(s)
    role.renewLease(s, out) // the first round was Halt, or the one that the successor answered last
    out.set('tau', beatMs)
  }

  /** No majority in time, or no longer: other members try first. */
  function backOff(s: State, out: Sink): void {
    if (!register.mayLead(s, out.me)) return stage1(s, out)
    role.leaveRoleAndLease(s, NONE, out)
    s.status = 'Elec1'
    s.backingOff = true
    out.set('retry', 2 * beatMs, 6 * beatMs)
  }

  function passOver(s: State, peer: NodeId, out: Sink): void {
    if (group.outranks(peer, out.me)) s.passed.add(peer)
  }

  function onAck(s: State, from: NodeId, { term, round }: MessageOf<'ack'>, out: Sink): void {
    if (round !== s.voteRound) return
    if (s.status === 'Elec2') countVote(s, from, out)
    else if (s.leader === out.me) {
      if (term === s.term) out.send(from, { type: 'ldr', term })
    } else out.send(from, releaseOf(s, term, round, s.head))
  }

  /** A member voted for more than this candidate or leader has: it asks for more still. */
  function onRej(s: State, { term }: MessageOf<'rej'>, out: Sink): void {
    if ((s.leader !== out.me && s.status !== 'Elec2') || term <= s.known) return
    s.known = term
    stage2(s, out)
  }

  return { stage1, standInTurn, stage2, inherit, countVote, backOff, passOver, onAck, onRej }
}
type Elections = ReturnType<typeof elections>

/** Leading and following: Ldr, then rounds of Norm? and Norm, each of which extends the lease. */
function leadership(settings: Settings, role: Roles, { backOff }: Elections) {
  const { group, register, preempt, lease, beatMs, patienceMs } = settings

  function acceptsWeakerLeader(s: State, out: Sink): boolean {
    return preempt === 'sticky' || s.backingOff || !register.mayLead(s, out.me)
  }

  function mayFollow(s: State, leader: NodeId, out: Sink): boolean {
    return acceptsWeakerLeader(s, out) || !group.outranks(out.me, leader)
  }

  function follow(s: State, leader: NodeId, term: number, out: Sink): void {
    role.leaveRoleAndLease(s, leader, out)
    recordVote(s, term)
    s.status = 'Norm'
    s.leader = leader
    s.head = leader
    out.watch(leader)
    forgetElection(s)
    // The member had backed off, and follows a weaker leader for a while.
    if (!acceptsWeakerLeader(s, out) && group.outranks(out.me, leader)) {
      out.set('retry', patienceMs)
    }
  }

  function onLdr(s: State, leader: NodeId, { term }: MessageOf<'ldr'>, out: Sink): void {
    if (!register.isMember(s, out.me)) return
    const awaited = term === s.vote && ((s.status === 'Wait' && s.head === leader) || s.backingOff)
    if (awaited || (term > s.vote && mayFollow(s, leader, out))) follow(s, leader, term, out)
  }

  /** Begins a round if a majority answered the last one; repeats it otherwise. */
  function beat(s: State, out: Sink): void {
    if (s.answered) role.beginRound(s, out)
    sendRound(s, out)
  }

  /** Norm?, or the configuration where the member may not have it. */
  function sendRound(s: State, out: Sink): void {
    const { term, round, incarnation, asksFor: bond } = s
    const query: Message = { type: 'norm?', term, round, incarnation, bond, ...stampOf(s) }
    for (const peer of register.members(s)) {
      if (peer === out.me) continue
      if (s.configTerm === 0 || s.confirmed.has(peer)) out.send(peer, query)
      else out.send(peer, { ...configOf(s), term, round, incarnation, bond })
    }
    out.set('tau', beatMs)
    if (register.isMajority(s, NOBODY, out.me)) endRound(s, out)
  }

  function configOf(
    s: State,
  ): Omit<MessageOf<'config'>, 'term' | 'round' | 'incarnation' | 'bond'> {
    const content = { voters: s.voters.copy(), observers: s.observers.copy(), data: s.data }
    return { type: 'config', ...stampOf(s), ...content }
  }

  /** To a member that does not follow this one. */
  function tell(s: State, peer: NodeId, out: Sink): void {
    out.send(peer, { ...configOf(s), term: s.configTerm, round: 0, incarnation: 0, bond: 0 })
  }

  /** A majority has answered the round that is out, with exactly this configuration. */
  function endRound(s: State, out: Sink): void {
    role.renewLease(s, out)
    if (s.configTerm !== s.term) return
    s.committed = true
    if (register.isVoter(s, out.me)) return
    // It has led until its own removal was committed. Where there are leases, the successor inherits this one.
    if (s.successor !== NONE) resign(s, s.successor, out)
    else if (lease.leaseMs === 0) resign(s, strongestConfirmed(s), out)
  }

  function strongestConfirmed(s: State): NodeId {
    let strongest = NONE
    for (const seat of s.confirmed) {
      const isStronger = strongest === NONE || group.outranks(seat, strongest)
      if (isStronger && register.mayLead(s, seat)) strongest = seat
    }
    return strongest
  }

  function onNormQuery(s: State, from: NodeId, m: MessageOf<'norm?' | 'config'>, out: Sink): void {
    const { term, round } = m
    if (term < s.term) return out.send(from, { type: 'rej', term: s.vote })
    if (term < s.vote) return // the vote may lapse
    const stamp = stampOf(s)
    if (register.isMember(s, out.me)) {
      if (!mayFollow(s, from, out)) return
      if (s.leader !== from || s.term !== term) follow(s, from, term, out)
      if (preempt === 'sticky') clearDeferred(s) // the leader is up: no vote
      lease.bond(s, from, m.incarnation, out, lease.bondFor(s, m.bond, out))
    }
    const counts = m.type === 'norm?' && isSame(m, s) && register.isVoter(s, out.me)
    if (counts && lease.leaseMs > 0) lease.markAnswer(s, freshId(s), out)
    const { incarnation } = s
    const mark = counts ? s.mark : 0
    out.send(from, { type: 'norm', term, round, mark, incarnation, ...stamp })
  }

  function onNorm(s: State, from: NodeId, m: MessageOf<'norm'>, out: Sink): void {
    if (s.leader !== out.me || m.term !== s.term) return
    if (isNewer(m, s)) return confirm(s, out)
    if (!isSame(m, s)) return
    if (s.configTerm !== 0) s.confirmed.add(from)
    if (!register.isVoter(s, from)) return
    if (group.mayStand(from)) lease.noteMark(s, from, m.mark, m.incarnation, group)
    if (m.round !== s.round) return
    if (s.acks.add(from) && register.isMajority(s, s.acks, out.me)) endRound(s, out)
  }

  /** The leader writes what it has under its own term, which is newer than what a leader of an earlier term wrote. */
  function confirm(s: State, out: Sink): void {
    if (s.configTerm === s.term) return
    register.restamp(s, s.term)
    announce(s, NOBODY, out)
  }

  /** The configuration of this leader is new. `removed`: members that it no longer names. */
  function announce(s: State, removed: Iterable<NodeId>, out: Sink): void {
    role.beginRound(s, out, true)
    for (const peer of removed) if (peer !== out.me) tell(s, peer, out)
    sendRound(s, out)
  }

  function change(s: State, wanted: Change, out: Sink): void {
    if (s.leader !== out.me) return
    const refusal = register.refusal(s, wanted, s.term)
    if (refusal === 'not committed') return confirm(s, out)
    if (refusal !== '') return
    const before = [...register.members(s)]
    register.write(s, wanted)
    announce(
      s,
      before.filter((seat) => !register.isMember(s, seat)),
      out,
    )
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

  return {
    acceptsWeakerLeader,
    onLdr,
    beat,
    onNormQuery,
    onNorm,
    confirm,
    change,
    announceEnd,
    tell,
    mayFollow,
    resignTo,
    resign,
  }
}
type Leadership = ReturnType<typeof leadership>

/** Votes: which Halt is granted, refused or deferred, and what a member does that waits for a leader. */
function votes(settings: Settings, role: Roles, election: Elections, leading: Leadership) {
  const { group, lease, preempt } = settings
  const { acceptsWeakerLeader, resignTo } = leading

  function isFreeToVote(s: State, candidate: NodeId): boolean {
    if (s.bonded && s.bondedTo !== candidate) return false
    if (s.status === 'Norm') return s.leader === candidate
    return s.status !== 'Wait' || !group.outranks(s.head, candidate)
  }

  function onHalt(s: State, from: NodeId, halt: MessageOf<'halt'>, out: Sink): void {
    const { term } = halt
    if (isNewer(s, halt)) return leading.tell(s, from, out)
    s.passed.delete(from)
    const stronger = group.outranks(from, out.me)
    if (term < s.vote) out.send(from, { type: 'rej', term: s.vote })
    else if (s.leader === out.me) {
      if (preempt === 'sticky' || !stronger) return
      resignTo(s, from, term, out)
      grantVote(s, from, halt, out)
    } else if (s.leader === from && term === s.term)
      return // of the election that it won
    else if (!stronger && s.status === 'Elec2') return
    else if (isFreeToVote(s, from) && (stronger || acceptsWeakerLeader(s, out))) {
      grantVote(s, from, halt, out)
    } else {
      if (stronger || acceptsWeakerLeader(s, out)) deferHalt(s, from, halt)
      if (s.status === 'Norm' && !s.bonded) out.request(s.leader) // B8: is it up?
    }
  }

  function grantVote(s: State, candidate: NodeId, halt: Halt, out: Sink): void {
    const { term, round, incarnation, bond } = halt
    awaitCandidate(s, candidate, out)
    s.vote = term
    s.known = term
    clearDeferred(s)
    s.round = round
    lease.bond(s, candidate, incarnation, out, lease.bondFor(s, bond, out))
    out.send(candidate, { type: 'ack', term, round })
  }

  /** A leader resigned in favour of this member. */
  function voteForSuccessor(s: State, successor: NodeId, m: Resignation, out: Sink): void {
    awaitCandidate(s, successor, out)
    recordVote(s, m.next)
    lease.bond(s, successor, m.incarnation, out, lease.bondFor(s, m.bond, out))
  }

  /** Waits for the Halt or Ldr of this candidate or of a stronger one. */
  function awaitCandidate(s: State, candidate: NodeId, out: Sink): void {
    role.leaveRoleAndLease(s, candidate, out)
    s.status = 'Wait'
    s.head = candidate
    out.watch(candidate)
    role.setPatience(s, out)
  }

  /** The leader or candidate that the member relied on is gone. */
  function resumeElection(s: State, out: Sink): void {
    const { deferredFrom, deferredTerm: term, deferredRound: round } = s
    if (deferredFrom !== NONE && !s.bonded && term >= s.vote) {
      const { deferredIncarnation: incarnation, deferredBond: bond } = s
      grantVote(s, deferredFrom, { term, round, incarnation, bond }, out)
    } else if (s.status === 'Elec1') election.standInTurn(s, out)
    else election.stage1(s, out)
  }

  function endPatience(s: State, out: Sink): void {
    if (s.status === 'Wait') {
      election.passOver(s, s.head, out)
      return resumeElection(s, out)
    }
    for (const peer of group.superiors(out.me)) s.passed.add(peer)
    election.stage1(s, out)
  }

  return { onHalt, voteForSuccessor, awaitCandidate, resumeElection, endPatience }
}
type Votes = ReturnType<typeof votes>

/** Handover: a candidate releases its voters, or a leader resigns, and names the member that takes over. */
function handovers({ lease, register }: Settings, role: Roles, election: Elections, voting: Votes) {
  /** `from` no longer leads or stands. Returns whether this member is to act on the successor that it named. */
  function turnsTo(s: State, successor: NodeId, from: NodeId, out: Sink): boolean {
    if (s.bondedTo === from) lease.endBond(s, out)
    election.passOver(s, from, out)
    if (s.head !== from && s.status !== 'Elec1') return false
    if (successor !== NONE && successor !== s.deferredFrom && !s.bonded) return true
    voting.resumeElection(s, out)
    return false
  }

  function standAtOnce(s: State, out: Sink): void {
    if (!register.mayLead(s, out.me)) return election.stage1(s, out)
    role.leaveRoleAndLease(s, NONE, out)
    election.stage2(s, out)
  }

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
      voting.voteForSuccessor(s, successor, m, out)
      const { configTerm, configVersion } = m
      out.send(successor, { type: 'endorse', term, next, mark, bond, configTerm, configVersion })
    } else if (mayInherit(s, m, out.me)) election.inherit(s, leader, next, out)
    else standAtOnce(s, out)
  }

  /** Under another timing the timer of the mark may be longer than the bonds that the resignation asked for. */
  function mayInherit(s: State, m: Resignation, me: NodeId): boolean {
    if (!isSame(m, s) || m.bond !== bondOf(s, lease) || !register.mayLead(s, me)) return false
    return m.next === candidateTerm(s, me) && lease.isInheritable(s, m.mark)
  }

  function onEndorse(s: State, from: NodeId, m: MessageOf<'endorse'>, out: Sink): void {
    // It may arrive before the resignation, from the leader of the term, and then stands for it.
    const { incarnation } = s
    onResign(s, m.term % STRIDE, { ...m, successor: out.me, incarnation }, out)
    const isEndorsed = s.inherits && m.next === s.term && m.mark === s.mark && isSame(m, s)
    if (isEndorsed) election.countVote(s, from, out)
  }

  return { onRelease, onResign, onEndorse }
}

/** Configurations that arrive: a newer one is adopted, and the role of the member follows from it. */
function configurations(
  { lease, register, preempt, beatMs }: Settings,
  role: Roles,
  election: Elections,
  leading: Leadership,
) {
  function onConfig(s: State, from: NodeId, m: MessageOf<'config'>, out: Sink): void {
    const isRound = m.round !== 0
    if (isNewer(m, s)) {
      if (s.leader === out.me && m.configTerm < s.term) return leading.confirm(s, out)
      adopt(s, m, out)
      const follows = isRound && m.term >= s.vote && leading.mayFollow(s, from, out)
      if (!follows || !register.isMember(s, out.me)) takeRole(s, out)
    }
    if (isRound) leading.onNormQuery(s, from, m, out)
  }

  function adopt(s: State, m: MessageOf<'config'>, out: Sink): void {
    if (s.status === 'Elec1') role.unwatchSuperiors(s, out)
    if (m.data !== s.data) {
      lease.keepBond(s, lease.bondMs, out)
      // It may be stronger than its leader from the next step on.
      if (preempt === 'yes' && s.status === 'Norm' && s.leader !== out.me) out.set('retry', beatMs)
    }
    register.adopt(s, m)
    clearDeferred(s)
    clearMarks(s)
  }

  /** A candidate asks anew, and so does a leader whose term is over; who is removed leaves. Others go on. */
  function takeRole(s: State, out: Sink): void {
    const goesOn = s.status === 'Wait' || (s.status === 'Norm' && s.leader !== out.me)
    if (!goesOn || !register.isMember(s, out.me)) election.stage1(s, out)
  }

  return { onConfig }
}

function handlers(group: Group, options: Options) {
  const settings = settingsOf(group, options)
  const { lease, admission, register } = settings
  const role = roles(settings)
  const election = elections(settings, role)
  const leading = leadership(settings, role, election)
  const voting = votes(settings, role, election, leading)
  const handover = handovers(settings, role, election, voting)
  const configuration = configurations(settings, role, election, leading)

  function start(s: State, out: Sink): void {
    s.incarn += 1
    s.incarnation = lease.incarnationOf(out)
    s.known = s.vote
    clearDeferred(s)
    if (!admission.begin(s, out)) s.status = 'New'
    else takePart(s, out)
  }

  function takePart(s: State, out: Sink): void {
    lease.keepBond(s, s.longest, out)
    const { started } = s
    if (started) lease.bond(s, NONE, 0, out, lease.bondFor(s, 0, out))
    s.started = true
    election.stage1(s, out)
    // It may have led before it was removed, and will not stand: its followers learn that it leads no longer.
    if (started && !register.isVoter(s, out.me)) leading.announceEnd(s, NONE, s.term, out)
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'who?' || m.type === 'who' || m.type === 'found') {
      if (admission.message(s, from, m, out)) takePart(s, out)
      else if (m.type === 'who?' && s.admitted) down(s, from, out) // it neither leads nor stands
      if (m.type === 'who?') s.confirmed.delete(from) // it may have lost the configuration
    } else if (s.admitted) handle(s, from, m, out)
    else if (m.type === 'config' && admission.isNamed(s, m.observers, out)) {
      takePart(s, out)
      handle(s, from, m, out)
    }
  }

  /** It leads until its own removal is committed, and stands no more. */
  function isLastTerm(s: State, out: Sink): boolean {
    return s.leader === out.me && !register.isVoter(s, out.me)
  }

  function handle(s: State, from: NodeId, m: ElectionMessage, out: Sink): void {
    switch (m.type) {
      case 'halt':
        return voting.onHalt(s, from, m, out)
      case 'ack':
        return election.onAck(s, from, m, out)
      case 'rej':
        return isLastTerm(s, out) && m.term > s.known
          ? leading.resignTo(s, NONE, s.term, out)
          : election.onRej(s, m, out)
      case 'ldr':
        return leading.onLdr(s, from, m, out)
      case 'norm?':
        return leading.onNormQuery(s, from, m, out)
      case 'norm':
        return leading.onNorm(s, from, m, out)
      case 'config':
        return configuration.onConfig(s, from, m, out)
      case 'release':
        return handover.onRelease(s, from, m, out)
      case 'resign':
        return handover.onResign(s, from, m, out)
      case 'endorse':
        return handover.onEndorse(s, from, m, out)
    }
  }

  function timeout(s: State, timer: Timer, out: Sink): void {
    switch (timer) {
      case 'tau':
        return leading.beat(s, out)
      case 'patience':
        return voting.endPatience(s, out)
      case 'retry':
        if (s.status === 'Norm' && leading.mayFollow(s, s.leader, out)) return
        return election.stage1(s, out)
      case 'bond':
        lease.endBond(s, out)
        return voting.resumeElection(s, out)
      case 'restart':
        return election.backOff(s, out)
      case 'endorsements':
        return election.stage2(s, out) // too few: ask for votes
      case 'longer':
        s.longest = 0
        return
      case 'wait':
      case 'ask':
        if (admission.timeout(s, timer, out)) takePart(s, out)
        return
      case 'lease0':
      case 'lease1':
        if (s.leader === out.me) leading.resignTo(s, NONE, s.term, out)
        else if (s.status === 'Elec2') election.backOff(s, out)
        else s.mark = 0 // no lease is left to inherit
    }
  }

  function up(s: State, peer: NodeId): void {
    if (peer === s.leader) clearDeferred(s) // the leader is up: no vote
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    const isAsked = s.status === 'Elec1' && register.mayLead(s, out.me)
    if (isAsked && group.outranks(peer, out.me)) s.down.add(peer)
    if (s.status === 'Elec1' || peer === s.head) voting.resumeElection(s, out)
  }

  function dead(s: State, peer: NodeId, isOver: IsOver, out: Sink): void {
    if (!s.admitted) return
    if (s.bondedTo === peer) {
      if (!isOver(s.bondedIncarnation)) return // about an earlier incarnation, which no bond is to
      lease.endBond(s, out)
    }
    down(s, peer, out)
  }

  function settled(s: State, leader: NodeId, out: Sink): void {
    s.incarn = 1
    s.incarnation = lease.incarnationOf(out)
    s.admitted = true
    if (!register.isMember(s, out.me)) s.status = 'Out'
    if (s.status === 'Out') return
    s.started = true
    recordVote(s, STRIDE + leader)
    s.leader = leader
    s.head = leader === out.me ? NONE : leader
    s.answered = leader === out.me
    if (leader === out.me) out.set('tau', settings.beatMs)
    else out.watch(leader)
  }

  const { resign, change } = leading
  return {
    start,
    message,
    timeout,
    up,
    down,
    dead,
    resign,
    obsolete,
    settled,
    change,
    changeRefusal: (s: State, wanted: Change, me: NodeId) =>
      s.leader === me ? register.refusal(s, wanted, s.term) : 'not the leader',
    configuration: (s: State) => register.configuration(s),
  }
}

/** Whether an answer may tell the leader something about configurations. */
function confirms(s: State, from: NodeId, m: MessageOf<'norm'>): boolean {
  return isNewer(m, s) || (s.configTerm !== 0 && isSame(m, s) && !s.confirmed.has(from))
}

/** A term never falls, `vote` and `known` are no smaller; a round that is over never returns. */
function obsolete(s: State, from: NodeId, m: Message): boolean {
  switch (m.type) {
    case 'ldr':
    case 'release':
    case 'resign':
      return m.term < s.term
    case 'rej':
      return m.term <= s.term
    case 'norm':
      return m.term < s.term || (m.round !== s.round && m.mark === 0 && !confirms(s, from, m))
    case 'config':
      return m.round === 0 && !isNewer(m, s)
    case 'ack':
      return m.round !== s.voteRound
    case 'endorse':
      return m.next < s.term || (m.next === s.term && !s.inherits)
    case 'halt':
    case 'norm?':
      return false
    case 'who?':
    case 'who':
    case 'found':
      return isObsolete(s, m)
  }
}

export const bullyFdQuorum = algorithm({
  name: 'bully-fd-quorum',
  title: 'Bully_FD with majorities, durable votes and a lease',
  state,
  messages,
  purposes: {
    'norm?': 'heartbeat',
    norm: 'heartbeat',
    config: 'repair',
    rej: 'repair',
    release: 'repair',
    resign: 'repair',
    endorse: 'repair',
    'who?': 'repair',
    who: 'repair',
    found: 'repair',
  },
  timers,
  options,
  untimed: { leasePeriods: 0 },
  clocked: clockedLease,
  promises: {
    agreement: 'eventually',
    leader: 'any',
    oneLeaderPerTerm: true,
    termsRise: true,
    voteField: 'vote',
    leaseOption: 'leasePeriods',
    candidateStatus: 'Elec2',
    safeguards: {
      vote: 'vote',
      ...leaseSafeguards,
      counted: {
        status: 'Elec2',
        voters: 'acks',
        termOf: (s, me) => candidateTerm(s as unknown as State, me),
      },
    },
  },
  assumes: {
    crashes: true,
    recoveries: true,
    loss: true,
    synchrony: false,
    majority: true,
    admittedField: 'admitted',
  },
  // Format 2: every vote was permanent, and every member that started could vote.
  upgrade: (stored) => ({ vote: stored['term'], admitted: stored['started'], ...stored }),
  handlers,
})
