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
 * To read beside the figures: 1. election, 2. promises, 3. lease, and then what a member does on each event. The rest is
 * in helpers/bully-fd-quorum: the fields and messages in state.ts, what all statuses share in roles.ts.
 *
 * Lease (helpers/lease.ts): Halt is a round, and so is each Norm?. A lease ends early if the leader resigns or is
 * proven dead. `leasePeriods: 0` switches it off, for the checker without clocks.
 *
 * Votes that lapse (docs/decisions/0016-a-failed-candidacy-returns-its-votes.md): a candidate that releases a
 * voter and has not led in the term gives the vote back, so that a minority raises no term.
 *
 * Handover (helpers/bully-fd-quorum/handover.ts): a leader that resigns votes for its successor's next term. Each member
 * that receives the resignation does the same, and sends the successor its vote unasked (Endorse): 3a − 4 messages in all.
 *
 * Configuration (helpers/bully-fd-quorum/configurations.ts, helpers/register.ts): the members may change while the group
 * runs. Halt, Norm?, Norm and a handover carry the stamp of their sender's configuration. A leader counts answers of its
 * own configuration only; where one may be missing, it sends the configuration (Config) instead of Norm?. A voter that has
 * a newer one than a candidate sends it that instead of its vote. A member that its configuration does not name is Out: it
 * asks for nothing.
 *
 * Admission (helpers/admission.ts): a member without state promises nothing until the group is founded, or until it
 * has learned every vote that it may have forgotten.
 *
 * Witnesses: voters that the group names as such never stand, and nobody hands over to them. They are weaker than all
 * others, so nobody waits for them.
 */
import { algorithm, type IsOver } from '../core/algorithm.ts'
import type { Change } from '../core/configuration.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { NodeSet } from '../core/node-set.ts'
import { majority } from '../core/quorum.ts'
import { arrivals, changes, configOf, tell } from './helpers/bully-fd-quorum/configurations.ts'
import { handovers, resignations, type Resignations } from './helpers/bully-fd-quorum/handover.ts'
import { resting } from './helpers/bully-fd-quorum/rest.ts'
import { roles, settingsOf, type Roles, type Settings } from './helpers/bully-fd-quorum/roles.ts'
import {
  candidateTerm,
  clearDeferred,
  deferHalt,
  forgetElection,
  freshId,
  messages,
  obsolete,
  options,
  recordVote,
  releaseOf,
  state,
  STRIDE,
  timers,
  type ElectionMessage,
  type Halt,
  type Message,
  type MessageOf,
  type Options,
  type Sink,
  type State,
  type Timer,
} from './helpers/bully-fd-quorum/state.ts'
import { clockedLease, leaseSafeguards } from './helpers/lease.ts'
import { isNewer, isSame, stampOf } from './helpers/register.ts'

const NOBODY = new NodeSet()

/** 1. Election: which member stands, how it asks for votes, and what follows from their number. */
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

/** 2. Promises: which Halt is granted, refused or deferred, and what a member does that waits for a leader. */
function votes(settings: Settings, role: Roles, election: Elections, { resignTo }: Resignations) {
  const { group, lease, preempt } = settings
  const { acceptsWeakerLeader } = role

  function isFreeToVote(s: State, candidate: NodeId): boolean {
    if (s.bonded && s.bondedTo !== candidate) return false
    if (s.status === 'Norm') return s.leader === candidate
    return s.status !== 'Wait' || !group.outranks(s.head, candidate)
  }

  function onHalt(s: State, from: NodeId, halt: MessageOf<'halt'>, out: Sink): void {
    const { term } = halt
    if (isNewer(s, halt)) return tell(s, from, out)
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

  return { onHalt, awaitCandidate, resumeElection, endPatience }
}

/** 3. Lease: a leader announces itself with Ldr, and then sends rounds of Norm?, each of which extends its lease. */
function leadership(settings: Settings, role: Roles, { resign }: Resignations) {
  const { group, register, preempt, lease, beatMs, patienceMs } = settings
  const { acceptsWeakerLeader, mayFollow } = role
  const { change, confirm } = changes(settings, role, sendRound)

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

  /** A majority has answered the round that is out, with exactly this configuration. */
  function endRound(s: State, out: Sink): void {
    role.renewLease(s, out)
    if (s.configTerm !== s.term) return
    s.committed = true
    if (register.isVoter(s, out.me)) return
    // It has led until its own removal was committed. Where there are leases, the successor inherits this one.
    if (s.successor !== NONE) resign(s, s.successor, out)
    else if (lease.leaseMs === 0) resign(s, strongestConfirmed(s), out)
    s.committed = true // who asked for it is told so
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

  return { onLdr, beat, onNormQuery, onNorm, change, confirm }
}

/** What a member does on each event. */
function handlers(group: Group, options: Options) {
  const settings = settingsOf(group, options)
  const { lease, admission, register } = settings
  const role = roles(settings)
  const election = elections(settings, role)
  const resignation = resignations(settings, election)
  const voting = votes(settings, role, election, resignation)
  const leading = leadership(settings, role, resignation)
  const handover = handovers(settings, role, election, voting)
  const configuration = arrivals(settings, role, { ...election, ...leading })

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
    if (started && !register.isVoter(s, out.me)) resignation.announceEnd(s, NONE, s.term, out)
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
          ? resignation.resignTo(s, NONE, s.term, out)
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
        if (s.status === 'Norm' && role.mayFollow(s, s.leader, out)) return
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
        if (s.leader === out.me) resignation.resignTo(s, NONE, s.term, out)
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

  const { change } = leading
  const { resign } = resignation
  return {
    ...resting(settings, role),
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
