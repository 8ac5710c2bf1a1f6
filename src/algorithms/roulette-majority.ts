/**
 * The roulette wheel at a majority: a candidate spins it as soon as half + 1 have voted, and the elected leader holds
 * a lease.
 *
 * Source: 003 §2.2, the optimised form: "the roulette wheel selection can be started right after the
 *   candidate collects the majority of votes (half + 1)", "mandatory to vote only one time in a round,
 *   for the first candidate node", as corrected.
 * Assumes: for safety, durable stable fields, a bound on clock drift, and that a crash ends an incarnation. For
 *   progress, a majority of the configured members that is up and connected (W-f), messages within Tm, and
 *   finitely many lost.
 * Promises: one leader per term; no two members hold an unexpired lease at once; when faults cease, all
 *   up members agree on some up member, with probability one; terms rise from leader to leader, a
 *   member's never falls. 2v − 1 messages before heartbeats, as `roulette`.
 * Departures: those of `roulette` (W-a to W-i).
 *
 * The lease is added here (helpers/lease.ts). Every heartbeat is a round that members answer, and a member leads only once a
 * majority has answered one. A bonded member neither votes nor draws, with one exception: the member that it is
 * bonded to, when that one asks for votes itself and so no longer leads, is proven dead, or resigns.
 * `leasePeriods: 0` switches the lease off, for the checker without clocks. A member without state promises nothing
 * until it is admitted (helpers/admission.ts): its vote in the largest term that it is told counts as given. A leader that learns of a larger
 * term draws again: otherwise a member that launched alone in a minority could not follow it.
 */
import { algorithm, answer, period } from '../core/algorithm.ts'
import type { IsOver, Out, ValuesOf } from '../core/algorithm.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { majority } from '../core/quorum.ts'
import { counter, flag, id, record, source, stable, union, type Infer } from '../core/schema.ts'
import {
  clockedLease,
  Lease,
  leaseFields,
  leaseOptions,
  leaseSafeguards,
  leaseTimer,
  leaseTimers,
} from './helpers/lease.ts'
import {
  Admission,
  admissionFields,
  admissionMessages,
  admissionOptions,
  admissionTimers,
  type Votes,
} from './helpers/admission.ts'
import * as wheel from './helpers/roulette-wheel.ts'

/** An incarnation has fewer rounds of heartbeats than this; both parts of an id together stay exact. */
const ROUNDS = 2 ** 32

const state = record({
  ...wheel.rouletteFields, // `leader` is the member itself only while it holds a lease
  led: stable(flag), // in this term: a copy of the announcement begins no second leadership
  bonded: leaseFields.bonded,
  bondedTo: leaseFields.bondedTo,
  bondedIncarnation: leaseFields.bondedIncarnation,
  incarnation: id, // this one; a proof of death names incarnations
  round: id, // of heartbeats
  rounds: source,
  incarn: stable(source),
  odd: leaseFields.odd,
  answered: leaseFields.answered,
  ...admissionFields,
})
const messages = union({
  ...wheel.rouletteMessages,
  heartbeat: { term: counter(), round: id, incarnation: id },
  alive: { term: counter(), round: id },
  resign: { term: counter() }, // the sender no longer leads in this term
  ...admissionMessages(1),
})
const timers = {
  draw: period,
  answers: answer(1),
  leader: answer(2),
  beat: period,
  ...leaseTimers,
  ...admissionTimers,
}

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Heartbeat = Extract<Message, { type: 'heartbeat' }>
type ElectionMessage = Exclude<Message, { type: 'who?' | 'who' | 'found' }>
type Sink = Out<Message, keyof typeof timers, 'number' | 'wheel'>

const allOptions = { ...wheel.launchOptions, ...leaseOptions, ...admissionOptions }

function freshId(s: State): number {
  s.rounds += 1
  return s.incarn * ROUNDS + s.rounds
}

/** A member that is told of a term may have voted, and led, in it. */
const votes: Votes<State> = {
  largest: (s) => s.term,
  forget: () => undefined,
  hear: (s, term, me) => {
    s.term = Math.max(s.term, term)
    s.voted = me
    s.led = true
  },
  settle: () => undefined,
}

function handlers(group: Group, options: ValuesOf<typeof allOptions>) {
  wheel.checkLaunchOptions(options)
  const { messageMs, processingMs, periodMs } = group.timing
  const quorum = majority(group.members)
  const answersMs = 2 * messageMs + processingMs
  // All answers, the announcement, the first round of heartbeats.
  const leaderMs = answersMs + 4 * (messageMs + processingMs)
  const lease = new Lease(
    options.leasePeriods * Math.max(periodMs, answersMs),
    options.driftPercent,
  )

  const admission = new Admission(
    {
      group,
      founding: options.founding,
      waitMs: lease.bondMs,
      askMs: Math.max(periodMs, answersMs),
    },
    freshId,
    votes,
  )

  function start(s: State, out: Sink): void {
    s.incarn += 1
    s.incarnation = lease.incarnationOf(out)
    if (admission.begin(s, out)) takePart(s, out)
  }

  /** A new member draws at once. One that ran before, or was told of a term, may have answered a leader: it is bonded. */
  function takePart(s: State, out: Sink): void {
    if (!s.started && !s.led) beginDrawing(s, out)
    else {
      bond(s, NONE, 0, out)
      out.set('leader', periodMs + leaderMs)
    }
    s.started = true
  }

  function beginDrawing(s: State, out: Sink): void {
    becomeBasic(s, out)
    s.drawing = true
    s.streak = 0
    if (!s.bonded) out.set('draw', options.drawEveryMs)
    out.set('leader', leaderMs)
  }

  function becomeBasic(s: State, out: Sink): void {
    if (s.leader !== NONE && s.leader !== out.me) out.unwatch(s.leader)
    s.leader = NONE
    s.status = 'basic'
    s.votes.clear()
    s.numbers.clear()
    s.answers.clear()
    s.spun = false
    s.round = 0
    s.answered = false
    for (const timer of ['answers', 'beat', 'lease0', 'lease1'] as const) out.clear(timer)
  }

  function launch(s: State, out: Sink): void {
    wheel.stopDrawing(s, out)
    s.term += 1
    s.led = false
    s.voted = out.me
    s.status = 'candidate'
    const proposal: Message = { type: 'proposal', term: s.term }
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, proposal)
    out.set('answers', answersMs)
    out.set('leader', leaderMs)
    countVote(s, out.me, s.best, out)
  }

  function countVote(s: State, from: NodeId, number: number, out: Sink): void {
    s.votes.add(from)
    s.numbers.set(from, number)
    if (s.votes.size < quorum) return
    s.status = 'coordinator'
    out.clear('answers')
    out.draw('wheel', wheel.placesOn(s.votes, s.numbers))
  }

  /** No majority: rule 9, or another round of vote. */
  function endCandidacy(s: State, out: Sink): void {
    const alone = s.answers.size + 1 < quorum
    if (!alone) return beginDrawing(s, out)
    becomeBasic(s, out)
    out.set('leader', 10 * periodMs)
  }

  function onProposal(s: State, from: NodeId, out: Sink): void {
    if (s.status === 'basic' && (s.voted === NONE || s.voted === from)) {
      s.voted = from
      wheel.stopDrawing(s, out)
      out.send(from, { type: 'positive', term: s.term, number: s.best })
      out.set('leader', leaderMs)
    } else out.send(from, { type: 'negative', term: s.term })
  }

  function onAnswer(s: State, from: NodeId, m: ElectionMessage, out: Sink): void {
    if (s.status !== 'candidate') return
    s.answers.add(from)
    if (m.type === 'positive') countVote(s, from, m.number, out)
    if (s.status === 'candidate' && s.answers.size === group.members - 1) endCandidacy(s, out)
  }

  /** The wheel chose this member. It leads once a majority has answered its first heartbeat. */
  function lead(s: State, out: Sink): void {
    becomeBasic(s, out)
    wheel.stopDrawing(s, out)
    s.led = true
    s.status = 'leader'
    s.answered = true
    beat(s, out)
  }

  function beat(s: State, out: Sink): void {
    if (s.answered) {
      s.answered = false
      s.answers.clear()
      s.round = freshId(s)
      s.odd = !s.odd
      if (lease.leaseMs > 0) out.set(leaseTimer(s.odd), lease.leaseMs)
    }
    const { term, round, incarnation } = s
    const heartbeat: Message = { type: 'heartbeat', term, round, incarnation }
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, heartbeat)
    out.set('beat', periodMs)
    renewLease(s, out)
  }

  function renewLease(s: State, out: Sink): void {
    if (s.answered || s.answers.size + 1 < quorum) return
    lease.renew(s, out)
    s.leader = out.me
    out.clear('leader')
  }

  function announceResignation(s: State, out: Sink): void {
    const resign: Message = { type: 'resign', term: s.term }
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, resign)
    beginDrawing(s, out)
  }

  function follow(s: State, leader: NodeId, { round, incarnation }: Heartbeat, out: Sink): void {
    if (s.leader !== leader) {
      becomeBasic(s, out)
      wheel.stopDrawing(s, out)
      s.leader = leader
      out.clear('leader')
      out.watch(leader)
    }
    bond(s, leader, incarnation, out)
    out.send(leader, { type: 'alive', term: s.term, round })
  }

  function bond(s: State, leader: NodeId, incarnation: number, out: Sink): void {
    lease.bond(s, leader, incarnation, out)
    if (s.bonded) out.clear('draw')
  }

  function endBond(s: State, out: Sink): void {
    lease.endBond(s, out)
    if (s.drawing) out.set('draw', options.drawEveryMs)
  }

  /** A larger term ends the member's role in the older one. */
  function enterTerm(s: State, term: number, out: Sink): void {
    const led = s.status === 'leader'
    becomeBasic(s, out)
    s.term = term
    s.led = false
    s.voted = NONE
    if (led) beginDrawing(s, out)
    else out.set('leader', leaderMs)
  }

  /** Refuses obsolete messages, and proposals to a bonded member. Their senders learn the larger term. */
  function refuses(s: State, from: NodeId, m: ElectionMessage, out: Sink): boolean {
    // A leader that proposes in a larger term no longer leads; an old proposal proves nothing.
    const isFree = !s.bonded || (s.bondedTo === from && m.term > s.term)
    if (m.term >= s.term && (m.type !== 'proposal' || isFree)) return false
    if (m.type === 'proposal' || m.type === 'heartbeat') {
      out.send(from, { type: 'negative', term: s.term })
    }
    return true
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'who?' || m.type === 'who' || m.type === 'found') {
      if (admission.message(s, from, m, out)) takePart(s, out)
      else if (m.type === 'who?' && s.admitted) down(s, from, out) // it neither leads nor stands
    } else if (s.admitted) handle(s, from, m, out)
  }

  function handle(s: State, from: NodeId, m: ElectionMessage, out: Sink): void {
    if (refuses(s, from, m, out)) return
    if (m.term > s.term) enterTerm(s, m.term, out)
    switch (m.type) {
      case 'proposal':
        if (s.bonded) endBond(s, out)
        return onProposal(s, from, out)
      case 'positive':
      case 'negative':
        return onAnswer(s, from, m, out)
      case 'announcement':
        if (!s.led) lead(s, out)
        return
      case 'heartbeat':
        return follow(s, from, m, out)
      case 'alive':
        if (s.status !== 'leader' || m.round !== s.round) return
        s.answers.add(from)
        return renewLease(s, out)
      case 'resign':
        return leadsNoLonger(s, from, out)
    }
  }

  function timeout(s: State, timer: keyof typeof timers, out: Sink): void {
    switch (timer) {
      case 'draw':
        return out.draw('number', options.faces)
      case 'answers':
        return endCandidacy(s, out)
      case 'beat':
        return beat(s, out)
      case 'bond':
        return leadsNoLonger(s, s.bondedTo, out) // no heartbeat for so long: its lease is over
      case 'leader':
        if (!s.drawing) return beginDrawing(s, out)
        return out.set('leader', leaderMs) // no member has launched yet
      case 'wait':
      case 'ask':
        if (admission.timeout(s, timer, out)) takePart(s, out)
        return
      case 'lease0':
      case 'lease1':
        return announceResignation(s, out)
    }
  }

  function drawn(s: State, name: 'number' | 'wheel', k: number, out: Sink): void {
    if (name === 'wheel') {
      if (s.status !== 'coordinator' || s.spun) return
      s.spun = true
      const leader = wheel.ownerOf(k, s.votes, s.numbers)
      if (leader === out.me) lead(s, out)
      else out.send(leader, { type: 'announcement', term: s.term })
    } else if (s.drawing && !s.bonded) {
      if (wheel.launches(s, k, options)) launch(s, out)
      else out.set('draw', options.drawEveryMs)
    }
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    if (peer === s.leader) beginDrawing(s, out)
  }

  /** The leader leads no longer, for certain: its followers' bonds end. */
  function leadsNoLonger(s: State, leader: NodeId, out: Sink): void {
    if (s.bonded && s.bondedTo === leader) endBond(s, out)
    if (leader !== NONE) down(s, leader, out)
  }

  function dead(s: State, peer: NodeId, isOver: IsOver, out: Sink): void {
    // A bond to a later incarnation than those that are over goes on.
    if (s.bonded && s.bondedTo === peer && !isOver(s.bondedIncarnation)) return
    leadsNoLonger(s, peer, out)
  }

  function resign(s: State, _successor: NodeId, out: Sink): void {
    if (s.status === 'leader') announceResignation(s, out)
  }

  /** A member that has long been up has drawn the greatest number; its bond has just ended. */
  function settled(s: State, leader: NodeId, out: Sink): void {
    s.incarn = 1
    s.incarnation = lease.incarnationOf(out)
    s.started = true
    s.admitted = true
    s.term = 1
    s.leader = leader
    s.best = options.faces
    if (leader === out.me) {
      s.led = true
      s.status = 'leader'
      s.answered = true
      out.set('beat', periodMs)
    } else out.watch(leader)
  }

  return { start, message, timeout, drawn, down, dead, resign, settled }
}

export const rouletteMajority = algorithm({
  name: 'roulette-majority',
  title: 'the roulette wheel at a majority, with numbered terms and a lease',
  state,
  messages,
  purposes: {
    heartbeat: 'heartbeat',
    alive: 'heartbeat',
    resign: 'repair',
    'who?': 'repair',
    who: 'repair',
    found: 'repair',
  },
  timers,
  draws: ['number', 'wheel'],
  options: allOptions,
  untimed: { faces: 2, threshold: 1, consecutive: 1, leasePeriods: 0 },
  clocked: clockedLease,
  promises: {
    agreement: 'eventually',
    leader: 'any',
    oneLeaderPerTerm: true,
    termsRise: true,
    leaseOption: 'leasePeriods',
    safeguards: { vote: 'term', ...leaseSafeguards },
  },
  assumes: {
    crashes: true,
    recoveries: true,
    loss: true,
    synchrony: true,
    majority: true,
    admittedField: 'admitted',
  },
  // Format 3: every member that started could vote.
  upgrade: (stored) => ({ admitted: stored['started'], ...stored }),
  handlers,
})
