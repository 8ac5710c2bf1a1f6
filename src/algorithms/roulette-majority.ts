/**
 * The roulette wheel at a majority: spun as soon as half + 1 have voted, by a leader that holds a lease.
 *
 * Source: 003 §2.2, the optimised form: "the roulette wheel selection can be started right after the
 *   candidate collects the majority of votes (half + 1)", "mandatory to vote only one time in a round,
 *   for the first candidate node", as corrected.
 * Assumes: nothing for safety but durable stable fields, a bound on the drift of clocks, and that each
 *   member starts afresh after a crash. A leader in the end needs a majority of the configured members
 *   that is up and connected (W-f), messages within Tm, and finitely many lost.
 * Promises: one leader per term; no two members hold an unexpired lease at once; when faults cease, all
 *   up members agree on some up member, with probability one; terms rise from leader to leader, a
 *   member's never falls. 2v − 1 messages before heartbeats, as `roulette`.
 * Departures: those of `roulette` (W-a to W-i).
 *
 * The lease is ours. Every heartbeat is answered. A member leads until leaseMs after it *sent* the last
 * round of heartbeats that a majority answered, and not before there is one. Whoever answered is bound
 * for longer than that, as long again after a restart: it neither votes nor draws, except for the one
 * that it is bound to, when that one asks for votes itself and so no longer leads; or it is proven dead,
 * or resigns. Two majorities share a member. `leasePeriods: 0` switches the lease off, for the checker,
 * which has no clock. A leader that hears of a larger term draws again: a member that launched
 * alone in a minority could not come back otherwise.
 */
import {
  algorithm,
  answer,
  numberOption,
  period,
  type IsOver,
  type Out,
} from '../core/algorithm.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { majority } from '../core/quorum.ts'
import {
  counter,
  flag,
  id,
  int,
  node,
  nodeSet,
  oneOf,
  perNode,
  record,
  source,
  stable,
  union,
  type Infer,
} from '../core/schema.ts'
import { Lease, leaseFields, leaseTimer, leaseTimers } from './helpers/lease.ts'
import {
  checkLaunchOptions,
  launches,
  launchOptions,
  MAX_CONSECUTIVE,
  MAX_FACES,
  ownerOf,
  placesOn,
  type LaunchOptions,
} from './helpers/roulette-wheel.ts'

/** A life has fewer rounds of heartbeats than this; both parts together stay exact. */
const ROUNDS = 2 ** 32

const state = record({
  status: oneOf('basic', 'candidate', 'coordinator', 'leader'), // the four modes of 003 §2.2
  leader: node, // myself only while I hold a lease
  term: stable(counter()),
  voted: stable(node), // for whom, in this term
  led: stable(flag), // in this term: a copy of the announcement begins no second leadership
  started: stable(flag), // before: then I may have taken part
  drawing: flag, // nobody leads, and I draw numbers, or would if I were not bound
  best: int(0, MAX_FACES),
  streak: int(0, MAX_CONSECUTIVE),
  votes: nodeSet, // who voted for me in this term,
  numbers: perNode(0, MAX_FACES), // and the greatest number of each
  answers: nodeSet, // who answered my proposal, or as leader my heartbeat
  spun: flag, // the wheel has chosen in this term
  bonded: leaseFields.bonded,
  bondedTo: leaseFields.bondedTo,
  bondedIncarnation: leaseFields.bondedIncarnation,
  incarnation: id, // this one; a proof of death names incarnations
  round: id, // of heartbeats
  rounds: source,
  incarn: stable(source),
  odd: leaseFields.odd,
  answered: leaseFields.answered,
})
const messages = union({
  proposal: { term: counter() },
  positive: { term: counter(), number: int(0, MAX_FACES) },
  negative: { term: counter() },
  announcement: { term: counter() },
  heartbeat: { term: counter(), round: id, incarnation: id },
  alive: { term: counter(), round: id },
  resign: { term: counter() }, // I no longer lead in this term
})
const timers = {
  draw: period,
  answers: answer(1),
  leader: answer(2),
  beat: period,
  ...leaseTimers,
}

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Heartbeat = Extract<Message, { type: 'heartbeat' }>
type Sink = Out<Message, keyof typeof timers, 'number' | 'wheel'>
interface Options extends LaunchOptions {
  readonly leasePeriods: number
  readonly driftPercent: number
}

function handlers(group: Group, options: Options) {
  checkLaunchOptions(options)
  const { messageMs, processingMs, periodMs } = group.timing
  const quorum = majority(group.members)
  const answersMs = 2 * messageMs + processingMs
  // All answers, the announcement, the first round of heartbeats.
  const leaderMs = answersMs + 4 * (messageMs + processingMs)
  const lease = new Lease(
    options.leasePeriods * Math.max(periodMs, answersMs),
    options.driftPercent,
  )

  // Elections.

  /** Who is new draws at once. Who comes back may have answered somebody before. */
  function start(s: State, out: Sink): void {
    s.incarn += 1
    s.incarnation = lease.incarnationOf(out)
    if (!s.started) seek(s, out)
    else {
      bond(s, NONE, 0, out)
      out.set('leader', periodMs + leaderMs)
    }
    s.started = true
  }

  function seek(s: State, out: Sink): void {
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

  function stopDrawing(s: State, out: Sink): void {
    s.drawing = false
    s.streak = 0
    out.clear('draw')
  }

  function launch(s: State, out: Sink): void {
    stopDrawing(s, out)
    s.term += 1
    s.led = false
    s.voted = out.me
    s.status = 'candidate'
    const proposal: Message = { type: 'proposal', term: s.term }
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, proposal)
    out.set('answers', answersMs)
    out.set('leader', leaderMs)
    vote(s, out.me, s.best, out)
  }

  function vote(s: State, from: NodeId, number: number, out: Sink): void {
    s.votes.add(from)
    s.numbers.set(from, number)
    if (s.votes.size < quorum) return
    s.status = 'coordinator'
    out.clear('answers')
    out.draw('wheel', placesOn(s.votes, s.numbers))
  }

  /** No majority: rule 9, or another round of vote. */
  function fail(s: State, out: Sink): void {
    const alone = s.answers.size + 1 < quorum
    if (!alone) return seek(s, out)
    becomeBasic(s, out)
    out.set('leader', 10 * periodMs)
  }

  function proposed(s: State, from: NodeId, out: Sink): void {
    if (s.status === 'basic' && (s.voted === NONE || s.voted === from)) {
      s.voted = from
      stopDrawing(s, out)
      out.send(from, { type: 'positive', term: s.term, number: s.best })
      out.set('leader', leaderMs)
    } else out.send(from, { type: 'negative', term: s.term })
  }

  function answered(s: State, from: NodeId, m: Message, out: Sink): void {
    if (s.status !== 'candidate') return
    s.answers.add(from)
    if (m.type === 'positive') vote(s, from, m.number, out)
    if (s.status === 'candidate' && s.answers.size === group.members - 1) fail(s, out)
  }

  // Leading and following.

  /** I am to lead: in name only until a majority has answered. */
  function lead(s: State, out: Sink): void {
    becomeBasic(s, out)
    stopDrawing(s, out)
    s.led = true
    s.status = 'leader'
    s.answered = true
    beat(s, out)
  }

  /** A new round when a majority answered the last one, else the last one again. */
  function beat(s: State, out: Sink): void {
    if (s.answered) {
      s.answered = false
      s.answers.clear()
      s.rounds += 1
      s.round = s.incarn * ROUNDS + s.rounds
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

  function abdicate(s: State, out: Sink): void {
    const resign: Message = { type: 'resign', term: s.term }
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, resign)
    seek(s, out)
  }

  function follow(s: State, leader: NodeId, { round, incarnation }: Heartbeat, out: Sink): void {
    if (s.leader !== leader) {
      becomeBasic(s, out)
      stopDrawing(s, out)
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

  /** A larger term ends whatever I was in the older one. */
  function enter(s: State, term: number, out: Sink): void {
    const led = s.status === 'leader'
    becomeBasic(s, out)
    s.term = term
    s.led = false
    s.voted = NONE
    if (led) seek(s, out)
    else out.set('leader', leaderMs)
  }

  /** What a member that is bound does not hear, and what is too old to matter; both are told so. */
  function refused(s: State, from: NodeId, m: Message, out: Sink): boolean {
    // Who I am bound to and who asks in a larger term leads no longer; an old proposal proves nothing.
    const isFree = !s.bonded || (s.bondedTo === from && m.term > s.term)
    if (m.term >= s.term && (m.type !== 'proposal' || isFree)) return false
    if (m.type === 'proposal' || m.type === 'heartbeat') {
      out.send(from, { type: 'negative', term: s.term })
    }
    return true
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (refused(s, from, m, out)) return
    if (m.term > s.term) enter(s, m.term, out)
    switch (m.type) {
      case 'proposal':
        if (s.bonded) endBond(s, out)
        return proposed(s, from, out)
      case 'positive':
      case 'negative':
        return answered(s, from, m, out)
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
        return fail(s, out)
      case 'beat':
        return beat(s, out)
      case 'bond':
        return leadsNoLonger(s, s.bondedTo, out) // so long without a heartbeat: its lease is over
      case 'leader':
        if (!s.drawing) return seek(s, out)
        return out.set('leader', leaderMs) // nobody's luck has come yet
      case 'lease0':
      case 'lease1':
        return abdicate(s, out)
    }
  }

  function drawn(s: State, name: 'number' | 'wheel', k: number, out: Sink): void {
    if (name === 'wheel') {
      if (s.status !== 'coordinator' || s.spun) return
      s.spun = true
      const leader = ownerOf(k, s.votes, s.numbers)
      if (leader === out.me) lead(s, out)
      else out.send(leader, { type: 'announcement', term: s.term })
    } else if (s.drawing && !s.bonded) {
      if (launches(s, k, options)) launch(s, out)
      else out.set('draw', options.drawEveryMs)
    }
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    if (peer === s.leader) seek(s, out)
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
    if (s.status === 'leader') abdicate(s, out)
  }

  /** Who has long been here has drawn the greatest number long ago; its bond has just run out. */
  function settled(s: State, leader: NodeId, out: Sink): void {
    s.incarn = 1
    s.incarnation = lease.incarnationOf(out)
    s.started = true
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
  purposes: { heartbeat: 'heartbeat', alive: 'heartbeat', resign: 'repair' },
  timers,
  draws: ['number', 'wheel'],
  options: {
    ...launchOptions,
    leasePeriods: numberOption(4, 0, 1000),
    driftPercent: numberOption(10, 0, 100),
  },
  untimed: { faces: 2, threshold: 1, consecutive: 1, leasePeriods: 0 },
  promises: { agreement: 'eventually', leader: 'any', oneLeaderPerTerm: true, termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: true, synchrony: true, majority: true },
  handlers,
})
