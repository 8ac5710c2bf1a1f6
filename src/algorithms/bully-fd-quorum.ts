/**
 * Bully_FD with majorities, durable promises and a lease: what the runtime runs by default.
 *
 * Source: 000 Fig. 3.1 and 001 Fig. 1, with the errata's Bully_FD-Q: a leader needs the promises of a
 *   majority of the configured members; a promise is durable and never goes back; its number is the term.
 * Assumes: nothing for safety but durable stable fields, a bound on the drift of clocks, and that each
 *   member starts afresh after a crash. A leader in the end needs a majority that is up and connected.
 * Promises: each term has one leader, and a majority promised it to nobody else; a member's accepted
 *   term never falls; no two members hold an unexpired lease at once; when faults cease, all agree.
 *   On whom: with `preempt: sticky` on a leader that stays while it is up, with `yes` on the strongest.
 *   Rank only decides who tries first. An undisturbed election costs 3(a−1) + d2 Halt, Ack and Ldr: Halt
 *   goes to all members but superiors reported down, d2 of them dead.
 * Departures: those of bully-fd, but for Stage 3 and the loyalty of B8, whose work majorities do: a
 *   majority elects without waiting for the rest. Norm? goes to all members, and whoever owes nobody a
 *   larger promise follows: one joins without an election (B16). A candidate that finds no majority
 *   releases its Acks, backs off at random and is passed over meanwhile; Elec1 and Wait end. Every Ack of
 *   its last round is answered once, by Ldr or Release, and Release names whom its sender follows: or else
 *   members that are freed stand one after the other against a leader, for ever. Acks of older rounds are
 *   not: who gave one was asked again, or loses patience. Elec1 watches superiors, as all watch their
 *   leader; it does not poll them.
 *   A candidate promises to itself only when it wins: a failed one can follow the old leader at once.
 *
 * A leader that resigns promises the next term to its heir; who hears of it does the same and tells the heir
 * unasked, 3a − 4 messages in all.
 *
 * The lease (lease-helpers.ts): a round is Halt, then each Norm?. It ends early if the leader resigns or is
 * proven dead. `leasePeriods: 0` switches it off, for the checker, which has no clock.
 */
import {
  algorithm,
  answer,
  choiceOption,
  period,
  numberOption,
  type Out,
} from '../core/algorithm.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
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
import { Lease, leaseFields, leaseTimers } from './helpers/lease.ts'

/** A term is k·1024 + the strength of the member that leads in it, compared whole. */
const STRIDE = 1024

/** Who leads in it. */
function leaderIn(term: number): NodeId {
  return term % STRIDE
}

/** The next term of this member's after that one. */
function termAfter(term: number, member: NodeId): number {
  return (Math.floor(term / STRIDE) + 1) * STRIDE + member
}

/** A life has fewer rounds than this; both parts together stay exact. */
const ROUNDS = 2 ** 32

const state = record({
  // Elec1: is there anybody whose turn it is before mine? Elec2: I asked for promises. Wait: I gave mine.
  status: oneOf('Norm', 'Elec1', 'Elec2', 'Wait'),
  leader: node,
  term: stable(counter(STRIDE)), // the largest that I promised: in Norm and Wait, that of `head`
  known: counter(STRIDE), // the largest that I know to be promised by anybody: candidates exceed it
  head: node, // whom I watch: my leader, or whose Ldr I wait for
  down: nodeSet, // superiors reported down
  passed: nodeSet, // superiors that gave up or resigned: it is no longer their turn
  backingOff: flag, // I am one of them
  acks: nodeSet, // of this candidature, or of this round of Norm?
  pendHead: node, // whose Halt waits until I am free to promise, its term and its round
  pendTerm: counter(STRIDE),
  pendRound: id,
  round: id, // the one that is out; in Wait, the one that I answered
  asked: id, // the last round in which I asked for promises
  inherits: flag, // in Elec2: I asked nobody, a leader resigned to me
  rounds: source,
  incarn: stable(source),
  started: stable(flag), // once before: in that life I may have answered somebody
  ...leaseFields,
})
const messages = union({
  halt: { term: counter(STRIDE), round: id },
  ack: { term: counter(STRIDE), round: id },
  rej: { term: counter(STRIDE) }, // I promised this one, which is larger
  // this round will never make me lead; whom I name may, or leads
  release: { term: counter(STRIDE), round: id, successor: node },
  ldr: { term: counter(STRIDE) },
  'norm?': { term: counter(STRIDE), round: id },
  norm: { term: counter(STRIDE), round: id, mark: id },
  // I no longer lead in this term, and promised the next one to whom I name
  resign: { term: counter(STRIDE), successor: node, next: counter(STRIDE), mark: id },
  // the leader of this term resigned to you: I promised you the next one too
  second: { term: counter(STRIDE), next: counter(STRIDE), mark: id },
})
const timers = {
  tau: period,
  seconds: answer(1), // to my inheritance
  restart: answer(1), // τ2
  patience: answer(2), // the end of Elec1 and Wait
  retry: answer(3),
  ...leaseTimers,
}

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Timer = keyof typeof timers
type Sink = Out<Message, Timer>
type Resignation = Omit<Extract<Message, { type: 'resign' }>, 'type'>
type Seconding = Extract<Message, { type: 'second' }>

interface Options {
  readonly preempt: 'sticky' | 'yes'
  readonly leasePeriods: number
  readonly driftPercent: number
}

function handlers(group: Group, { preempt, leasePeriods, driftPercent }: Options) {
  const { messageMs, processingMs, detectionMs, periodMs } = group.timing
  const quorum = majority(group.members)
  const roundMs = 2 * messageMs + (group.members + 1) * processingMs
  const beatMs = Math.max(periodMs, roundMs)
  const askMs = Math.max(periodMs, detectionMs + messageMs)
  const lease = new Lease(leasePeriods * beatMs, driftPercent)
  /** τ2: my bond is over when I stand, and the others' a beat later at most. */
  const restartMs = beatMs + roundMs + detectionMs + messageMs
  const patienceMs = lease.bondMs + restartMs + 2 * askMs

  // Elections.

  function start(s: State, out: Sink): void {
    s.incarn += 1
    s.known = s.term
    drop(s)
    if (s.started) lease.bind(s, NONE, out)
    s.started = true
    stage1(s, out)
  }

  /** Whose turn is it? That of the strongest who is up and has not given up. */
  function stage1(s: State, out: Sink): void {
    leave(s, NONE, out)
    s.status = 'Elec1'
    for (const peer of group.superiors(out.me)) out.watch(peer)
    setPatience(out)
    mayStand(s, out)
  }

  function mayStand(s: State, out: Sink): void {
    if (s.status !== 'Elec1' || s.bound || s.backingOff) return
    for (const peer of group.superiors(out.me)) {
      if (!s.down.has(peer) && !s.passed.has(peer)) return
    }
    stage2(s, out)
  }

  /** Mine: ask for promises. */
  function stage2(s: State, out: Sink): void {
    for (const timer of ['tau', 'patience', 'seconds'] as const) out.clear(timer)
    for (const peer of group.superiors(out.me)) out.unwatch(peer)
    lease.end(s, out)
    s.status = 'Elec2'
    s.leader = NONE
    s.head = NONE
    s.inherits = false
    beginRound(s, out)
    s.asked = s.round
    const halt: Message = { type: 'halt', term: wanted(s, out), round: s.round }
    for (const peer of asked(s, out)) out.send(peer, halt)
    out.set('restart', restartMs)
    if (quorum === 1) win(s, out)
  }

  /** A leader resigned to me, and promised me this term. Others who heard it say so unasked. */
  function inherit(s: State, leader: NodeId, term: number, out: Sink): void {
    depart(s, NONE, out)
    s.status = 'Elec2'
    s.inherits = true
    s.asked = 0
    owe(s, term)
    out.set('seconds', roundMs)
    collect(s, leader, out)
  }

  /** The term that I ask for: above all that I know of, and mine alone. Or the one that I inherit. */
  function wanted(s: State, out: Sink): number {
    return s.inherits ? s.term : termAfter(s.known, out.me)
  }

  function fresh(s: State): number {
    s.rounds += 1
    return s.incarn * ROUNDS + s.rounds
  }

  function beginRound(s: State, out: Sink): void {
    s.acks.clear()
    s.round = fresh(s)
    lease.begin(s, out)
  }

  function collect(s: State, from: NodeId, out: Sink): void {
    if (s.acks.add(from) && s.acks.size + 1 >= quorum) win(s, out)
  }

  function* others(out: Sink): Iterable<NodeId> {
    for (const peer of group.everyone) if (peer !== out.me) yield peer
  }

  /** All but me and the superiors that are down. */
  function* asked(s: State, out: Sink): Iterable<NodeId> {
    for (const peer of others(out)) if (!s.down.has(peer)) yield peer
  }

  function win(s: State, out: Sink): void {
    const term = wanted(s, out)
    const ldr: Message = { type: 'ldr', term }
    for (const peer of s.inherits ? others(out) : s.acks) out.send(peer, ldr)
    for (const timer of ['restart', 'seconds'] as const) out.clear(timer)
    s.inherits = false
    s.status = 'Norm'
    s.leader = out.me
    owe(s, term)
    forget(s)
    renew(s, out) // Halt was the first round, or what I answered last
    out.set('tau', beatMs)
  }

  /** No majority in time: give the promises back, and let others try. */
  function giveUp(s: State, out: Sink): void {
    leave(s, NONE, out)
    s.status = 'Elec1'
    s.backingOff = true
    out.set('retry', 2 * beatMs, 6 * beatMs)
  }

  /** Somebody promised more than I ask for, or lead in: ask for more still. */
  function rejected(s: State, term: number, out: Sink): void {
    if ((s.leader !== out.me && s.status !== 'Elec2') || term <= s.known) return
    s.known = term
    stage2(s, out)
  }

  /** It is no longer a superior's turn. */
  function pass(s: State, peer: NodeId, out: Sink): void {
    if (group.outranks(peer, out.me)) s.passed.add(peer)
  }

  // Promises.

  function halted(s: State, from: NodeId, term: number, round: number, out: Sink): void {
    s.passed.delete(from)
    const stronger = group.outranks(from, out.me)
    if (term < s.term) out.send(from, { type: 'rej', term: s.term })
    else if (s.leader === out.me) {
      if (preempt === 'sticky' || !stronger) return
      abdicate(s, from, term, out)
      promise(s, from, term, round, out)
    } else if (s.leader === from && term === s.term)
      return // of the election that it won
    else if (!stronger && s.status === 'Elec2') return
    else if (isFree(s, from) && (stronger || isMeek(s))) promise(s, from, term, round, out)
    else {
      if (stronger || isMeek(s)) keep(s, from, term, round)
      if (s.status === 'Norm' && !s.bound) out.request(s.leader) // B8: is it up?
    }
  }

  function keep(s: State, candidate: NodeId, term: number, round: number): void {
    s.pendHead = candidate
    s.pendTerm = term
    s.pendRound = round
  }

  function drop(s: State): void {
    keep(s, NONE, s.term, 0)
  }

  function mayFollow(s: State, leader: NodeId, out: Sink): boolean {
    return isMeek(s) || !group.outranks(out.me, leader)
  }

  /** I follow juniors too. */
  function isMeek(s: State): boolean {
    return preempt === 'sticky' || s.backingOff
  }

  function isFree(s: State, candidate: NodeId): boolean {
    if (!lease.allows(s, candidate)) return false
    if (s.status === 'Norm') return s.leader === candidate
    return s.status !== 'Wait' || !group.outranks(s.head, candidate)
  }

  function promise(s: State, candidate: NodeId, term: number, round: number, out: Sink): void {
    vow(s, candidate, term, out)
    s.round = round
    out.send(candidate, { type: 'ack', term, round })
  }

  function vow(s: State, candidate: NodeId, term: number, out: Sink): void {
    wait(s, candidate, out)
    owe(s, term)
    lease.bind(s, candidate, out)
  }

  function owe(s: State, term: number): void {
    s.term = term
    s.known = term
    drop(s)
  }

  /** For the Halt or the Ldr of this one, and for no weaker one's. */
  function wait(s: State, candidate: NodeId, out: Sink): void {
    leave(s, candidate, out)
    s.status = 'Wait'
    s.head = candidate
    out.watch(candidate)
    setPatience(out)
  }

  /** The stronger a member, the sooner it stops waiting. */
  function setPatience(out: Sink): void {
    const ms = patienceMs + 2 * roundMs * group.superiors(out.me).length
    out.set('patience', ms, ms + roundMs)
  }

  /** Nobody leads me any more, and nobody that I wait for will. */
  function moveOn(s: State, out: Sink): void {
    const { pendHead, pendTerm, pendRound } = s
    if (pendHead !== NONE && !s.bound && pendTerm >= s.term) {
      promise(s, pendHead, pendTerm, pendRound, out)
    } else if (s.status === 'Elec1') mayStand(s, out)
    else stage1(s, out)
  }

  // Leading and following.

  function accept(s: State, leader: NodeId, term: number, out: Sink): void {
    leave(s, leader, out)
    owe(s, term)
    s.status = 'Norm'
    s.leader = leader
    s.head = leader
    out.watch(leader)
    forget(s)
    // I had given up, and follow a junior for a while.
    if (preempt === 'yes' && group.outranks(out.me, leader)) out.set('retry', patienceMs)
  }

  /** It was elected. */
  function told(s: State, leader: NodeId, term: number, out: Sink): void {
    const awaited = term === s.term && ((s.status === 'Wait' && s.head === leader) || s.backingOff)
    if (awaited || (term > s.term && mayFollow(s, leader, out))) accept(s, leader, term, out)
  }

  function normal(s: State, from: NodeId, term: number, round: number, out: Sink): void {
    if (term < s.term) return out.send(from, { type: 'rej', term: s.term })
    if (!mayFollow(s, from, out)) return
    if (s.leader !== from || s.term !== term) accept(s, from, term, out)
    if (preempt === 'sticky') drop(s) // my leader is up: I refuse
    lease.bind(s, from, out)
    if (lease.leaseMs > 0) lease.markAnswer(s, fresh(s), out)
    out.send(from, { type: 'norm', term, round, mark: s.mark })
  }

  /** A new round when a majority answered the last one, else the last one again. */
  function beat(s: State, out: Sink): void {
    if (s.answered) beginRound(s, out)
    const norm: Message = { type: 'norm?', term: s.term, round: s.round }
    for (const peer of others(out)) out.send(peer, norm)
    out.set('tau', beatMs)
    if (quorum === 1) renew(s, out)
  }

  /** A majority answered the round that was out: who else answers it no longer matters. */
  function renew(s: State, out: Sink): void {
    lease.renew(s, out)
    s.acks.clear()
    s.round = 0
  }

  /** I lead no longer. Whom I name, if anybody, I have promised this term, or will before the step is over. */
  function abdicate(s: State, successor: NodeId, next: number, out: Sink): void {
    const mark = successor === s.heir ? s.heirMark : 0
    const resign: Message = { type: 'resign', term: s.term, successor, next, mark }
    if (successor !== NONE) out.send(successor, resign) // first: all wait for it
    for (const peer of others(out)) if (peer !== successor) out.send(peer, resign)
    giveUp(s, out)
  }

  /** What my leader or candidate says is over. Whether that changes what I do. */
  function freed(s: State, from: NodeId, out: Sink): boolean {
    if (s.loyal === from) lease.unbind(s, out)
    pass(s, from, out)
    return s.head === from || s.status === 'Elec1'
  }

  /** This round of a candidate's came to nothing. Whom it names I wait for. */
  function released(s: State, from: NodeId, successor: NodeId, out: Sink): void {
    if (!freed(s, from, out)) return
    if (successor === NONE || successor === s.pendHead || s.bound) moveOn(s, out)
    else if (successor !== out.me) wait(s, successor, out)
    else {
      leave(s, NONE, out)
      stage2(s, out)
    }
  }

  function resigned(s: State, leader: NodeId, m: Resignation, out: Sink): void {
    const { term, successor, next, mark } = m
    if (!freed(s, leader, out)) return
    if (successor === NONE || successor === s.pendHead || s.bound) moveOn(s, out)
    else if (successor !== out.me) {
      vow(s, successor, next, out)
      out.send(successor, { type: 'second', term, next, mark })
    } else if (next === wanted(s, out) && lease.passesOn(s, mark)) inherit(s, leader, next, out)
    else {
      leave(s, NONE, out)
      stage2(s, out)
    }
  }

  /** There is a leader: whose turn it would have been no longer matters. */
  function forget(s: State): void {
    s.passed.clear()
    s.acks.clear()
    s.down.clear()
  }

  /** Whatever I was doing is over. */
  function leave(s: State, successor: NodeId, out: Sink): void {
    depart(s, successor, out)
    lease.end(s, out)
  }

  /** Who promised me something should know. The lease that I may inherit goes on. */
  function depart(s: State, successor: NodeId, out: Sink): void {
    if (s.status === 'Elec2') {
      const term = wanted(s, out)
      const release: Message = { type: 'release', term, round: s.round, successor }
      for (const peer of s.acks) out.send(peer, release)
    }
    if (s.head !== NONE) out.unwatch(s.head)
    if (s.status === 'Elec1') for (const peer of group.superiors(out.me)) out.unwatch(peer)
    for (const timer of ['tau', 'seconds', 'restart', 'patience', 'retry'] as const)
      out.clear(timer)
    s.inherits = false
    s.leader = NONE
    s.head = NONE
    s.down.clear()
    s.acks.clear()
    s.backingOff = false
    s.round = 0
  }

  // Events.

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    const leads = s.leader === out.me && m.term === s.term
    switch (m.type) {
      case 'halt':
        return halted(s, from, m.term, m.round, out)
      case 'ack': {
        const { term, round } = m
        if (round !== s.asked) return // asked again since, or its patience ends
        if (s.status === 'Elec2') collect(s, from, out)
        else if (leads) out.send(from, { type: 'ldr', term })
        else if (s.leader !== out.me) {
          out.send(from, { type: 'release', term, round, successor: s.head })
        }
        return
      }
      case 'rej':
        return rejected(s, m.term, out)
      case 'ldr':
        return told(s, from, m.term, out)
      case 'norm?':
        return normal(s, from, m.term, m.round, out)
      case 'norm':
        if (leads) lease.seeMark(s, from, m.mark, group)
        if (leads && m.round === s.round) {
          if (s.acks.add(from) && s.acks.size + 1 >= quorum) renew(s, out)
        }
        return
      case 'release':
        if (m.term < s.term) return
        if (s.pendHead === from && s.pendRound === m.round) drop(s)
        pass(s, from, out)
        if (s.status === 'Elec1') mayStand(s, out)
        else if (s.status === 'Wait' && s.head === from && s.round === m.round) {
          released(s, from, m.successor, out)
        }
        return
      case 'resign':
        if (m.term === s.term) resigned(s, from, m, out)
        return
      case 'second':
        return seconded(s, from, m, out)
    }
  }

  function seconded(s: State, from: NodeId, m: Seconding, out: Sink): void {
    // It may come before the resignation that it answers.
    if (m.term === s.term) resigned(s, leaderIn(m.term), { ...m, successor: out.me }, out)
    if (s.inherits && m.next === s.term && m.mark === s.mark) collect(s, from, out)
  }

  function timeout(s: State, timer: Timer, out: Sink): void {
    switch (timer) {
      case 'tau':
        return beat(s, out)
      case 'patience':
        if (s.status === 'Wait') pass(s, s.head, out)
        else for (const peer of group.superiors(out.me)) s.passed.add(peer)
        return s.status === 'Wait' ? moveOn(s, out) : stage1(s, out)
      case 'retry':
        return stage1(s, out)
      case 'bond':
        lease.unbind(s, out)
        return moveOn(s, out)
      case 'restart':
        return giveUp(s, out)
      case 'seconds':
        return stage2(s, out) // too few: I ask
      case 'lease0':
      case 'lease1':
        if (s.leader === out.me) abdicate(s, NONE, s.term, out)
        else if (s.status === 'Elec2') giveUp(s, out)
        else s.mark = 0 // nothing is left to inherit
    }
  }

  function up(s: State, peer: NodeId): void {
    if (peer === s.leader) drop(s) // my leader is up: I refuse
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    if (s.status === 'Elec1' && group.outranks(peer, out.me)) s.down.add(peer)
    if (s.status === 'Elec1' || peer === s.head) moveOn(s, out)
  }

  function dead(s: State, peer: NodeId, out: Sink): void {
    if (s.loyal === peer) lease.unbind(s, out)
    down(s, peer, out)
  }

  function resign(s: State, successor: NodeId, out: Sink): void {
    if (s.leader !== out.me) return
    if (successor === NONE) return abdicate(s, NONE, s.term, out)
    const next = termAfter(s.term, successor)
    abdicate(s, successor, next, out)
    owe(s, next)
    lease.bind(s, successor, out)
  }

  /** A term never falls, and what is known is no smaller; a round that is over never comes back. */
  function obsolete(s: State, _from: NodeId, m: Message): boolean {
    switch (m.type) {
      case 'ldr':
      case 'release':
      case 'resign':
        return m.term < s.term
      case 'rej':
        return m.term <= s.term
      case 'norm':
        return m.round !== s.round && m.mark === 0
      case 'ack':
        return m.round !== s.asked
      case 'second':
        return m.next < s.term || (m.next === s.term && !s.inherits)
      case 'halt':
      case 'norm?':
        return false
    }
  }

  function settled(s: State, leader: NodeId, out: Sink): void {
    s.incarn = 1
    s.started = true
    s.term = STRIDE + leader
    s.known = s.term
    s.pendTerm = s.term
    s.leader = leader
    s.head = leader === out.me ? NONE : leader
    s.answered = leader === out.me
    if (leader === out.me) out.set('tau', beatMs)
    else out.watch(leader)
  }

  return { start, message, timeout, up, down, dead, resign, obsolete, settled }
}

export const bullyFdQuorum = algorithm({
  name: 'bully-fd-quorum',
  title: 'Bully_FD with majorities, durable promises and a lease',
  state,
  messages,
  purposes: {
    'norm?': 'heartbeat',
    norm: 'heartbeat',
    rej: 'repair',
    release: 'repair',
    resign: 'repair',
    second: 'repair',
  },
  timers,
  options: {
    preempt: choiceOption('sticky', 'yes'),
    leasePeriods: numberOption(4, 0, 1000),
    driftPercent: numberOption(10, 0, 100),
  },
  untimed: { leasePeriods: 0 },
  promises: {
    agreement: 'eventually',
    leader: 'any',
    oneLeaderPerTerm: true,
    termsRise: true,
    voteField: 'term',
    candidateStatus: 'Elec2',
  },
  assumes: { crashes: true, recoveries: true, loss: true, synchrony: false, majority: true },
  handlers,
})
