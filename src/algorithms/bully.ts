/**
 * The textbook Bully algorithm: Election, OK and Coordinator messages, with two time-outs.
 *
 * Source: 000 §3.1, 001 §2, 002 "Bully Algorithm", 004 §3 "Bully algorithm".
 * Assumes: crashes and recoveries at any moment; messages arrive within Tm and are handled within Tp, so
 *   that a time-out proves something; a finite number of messages may be lost; the detector is right.
 * Promises: when faults cease, all up members agree on the strongest of them. Not at every moment: there
 *   is no halt phase, so a recovery shows two leaders for an instant (T-c). A member's accepted term
 *   never falls.
 * Departures: T-a a member accepts a claim weaker than its leader only if the detector, asked now, reports that
 *   leader down; T-b a second time-out; T-d the leader repeats its claim periodically; T-e one election at a
 *   time, and victory goes to juniors only; T-f a leader that is asked answers with its claim instead of
 *   electing again. Terms are added here: a Coordinator's term exceeds all that the claimant knows; a receiver that
 *   knows a larger one reports it, and the claimant claims again above it.
 */
import { algorithm, answer, period, type Out } from '../core/algorithm.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { counter, node, oneOf, orNone, record, stable, union, type Infer } from '../core/schema.ts'

const state = record({
  status: oneOf('Norm', 'Elec', 'WaitC'), // Elec: asked the superiors; WaitC: one of them answered
  leader: node,
  term: stable(counter()),
  claimant: node, // claims to lead while a request about the stronger leader is open; else NONE
  claimTerm: orNone(counter()), // one more than the claim's
})
const messages = union({
  election: {},
  ok: {},
  coordinator: { term: counter() },
  heartbeat: { term: counter() }, // the same claim, repeated
  higher: { term: counter() }, // the sender's term, above that of the claim
})
const timers = { answer: answer(1), coordinator: answer(2), beat: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message, keyof typeof timers>

const ELECTION: Message = { type: 'election' }
const OK: Message = { type: 'ok' }

function handlers(group: Group) {
  const { messageMs, processingMs, periodMs } = group.timing
  const answerMs = 2 * messageMs + processingMs // T1
  const coordinatorMs = answerMs + 2 * messageMs // T2

  /** Asks every superior. The strongest member has none, and is elected at once. */
  function start(s: State, out: Sink): void {
    if (out.me === group.strongest) return victory(s, out)
    leave(s, out)
    s.status = 'Elec'
    for (const peer of group.superiors(out.me)) out.send(peer, ELECTION)
    out.set('answer', answerMs)
  }

  /** No superior answered: the member leads, and informs every junior. */
  function victory(s: State, out: Sink): void {
    leave(s, out)
    s.status = 'Norm'
    s.leader = out.me
    s.term += 1
    const claim: Message = { type: 'coordinator', term: s.term }
    for (const peer of group.juniors(out.me)) out.send(peer, claim)
    out.set('beat', periodMs)
  }

  function follow(s: State, leader: NodeId, term: number, out: Sink): void {
    if (s.leader !== leader) {
      leave(s, out)
      s.leader = leader
      out.watch(leader)
    }
    s.status = 'Norm'
    s.term = term
    s.claimant = NONE
    s.claimTerm = 0
  }

  function leave(s: State, out: Sink): void {
    if (s.leader === out.me) out.clear('beat')
    else if (s.leader !== NONE) out.unwatch(s.leader)
    out.clear('answer')
    out.clear('coordinator')
    s.leader = NONE
    s.claimant = NONE
    s.claimTerm = 0
  }

  function repeatClaim(s: State, out: Sink): void {
    const claim: Message = { type: 'heartbeat', term: s.term }
    for (const peer of group.juniors(out.me)) out.send(peer, claim)
    out.set('beat', periodMs)
  }

  /** Answers a junior, and makes sure that there is a leader. */
  function onElection(s: State, from: NodeId, out: Sink): void {
    out.send(from, OK)
    if (s.leader === out.me) out.send(from, { type: 'coordinator', term: s.term })
    else if (s.status === 'Norm') start(s, out)
  }

  function onClaim(s: State, from: NodeId, term: number, out: Sink): void {
    if (!group.outranks(from, out.me)) {
      if (s.status === 'Norm') start(s, out) // 004: bully a lower claimant
    } else if (term < s.term) {
      out.send(from, { type: 'higher', term: s.term })
      // Two leaders that learn of ever higher terms from a third member would race for ever.
      if (s.leader === out.me) start(s, out)
    } else if (s.leader !== NONE && group.outranks(s.leader, from)) {
      s.claimant = from
      s.claimTerm = term + 1
      out.request(s.leader)
    } else follow(s, from, term, out)
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'election') onElection(s, from, out)
    else if (m.type === 'ok') {
      if (s.status !== 'Elec') return
      s.status = 'WaitC'
      out.clear('answer')
      out.set('coordinator', coordinatorMs)
    } else if (m.type === 'higher') {
      if (m.term <= s.term) return
      s.term = m.term
      if (s.leader !== out.me) return
      s.term += 1
      repeatClaim(s, out)
    } else onClaim(s, from, m.term, out)
  }

  function timeout(s: State, timer: keyof typeof timers, out: Sink): void {
    if (timer === 'answer') victory(s, out)
    else if (timer === 'coordinator') start(s, out)
    else repeatClaim(s, out)
  }

  /** The leader is up: a weaker claim is void. */
  function up(s: State, peer: NodeId): void {
    if (peer !== s.leader) return
    s.claimant = NONE
    s.claimTerm = 0
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    if (peer !== s.leader) return
    if (s.claimant === NONE || s.claimTerm <= s.term) start(s, out)
    else follow(s, s.claimant, s.claimTerm - 1, out)
  }

  function settled(s: State, leader: NodeId, out: Sink): void {
    s.leader = leader
    s.term = 1
    if (leader === out.me) out.set('beat', periodMs)
    else out.watch(leader)
  }

  return { start, message, timeout, up, down, settled }
}

export const bully = algorithm({
  name: 'bully',
  title: 'the textbook Bully with two time-outs, corrected',
  state,
  messages,
  purposes: { heartbeat: 'heartbeat', higher: 'repair' },
  timers,
  promises: { agreement: 'eventually', leader: 'highest', termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: true, synchrony: true },
  handlers,
})
