/**
 * The algorithm of Chang and Roberts: numbers travel round a one-way ring, and only the largest returns to its owner.
 *
 * Source: 004 §2 "Chang and Robert algorithm", both stages, as corrected.
 * Assumes: a ring whose order every member knows; crashes and recoveries at any moment; messages arrive within Tm
 *   in the order in which they were sent and are handled within Tp; a finite number of them may be lost; the
 *   detector is right.
 * Promises: when faults cease, all up members agree on the strongest of them. The term is the round: a
 *   member's never falls. Without faults: 2n + d messages for one initiator, d hops before the
 *   strongest, at most 3n − 1; n·H_n + n on average, at most n(n+1)/2 + n, when all start (C-c).
 * Departures: C-a a participant starts only after its time-out, in a new round; C-b rounds are numbered and
 *   stable, the leader waits for its own ELECTED, and a member without a result within 3n·Tm starts anew. A
 *   member stops a number that it has sent on before in the same round: the owner is down. Ours too: a member
 *   watches only the next member, so that an idle ring costs n watches. When that one is down, the member
 *   repeats its last message to the one after it, and starts if it was the leader. When the result is known, the
 *   member asks about those that it skipped, and starts if one has recovered.
 */
import { algorithm, answer, type Out } from '../core/algorithm.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { counter, flag, node, nodeSet, oneOf, record, stable, union } from '../core/schema.ts'
import type { Infer } from '../core/schema.ts'
import { nextOf } from './helpers/ring-order.ts'

const state = record({
  status: oneOf('Idle', 'Elec', 'Norm'), // Elec: 004's participant
  leader: node,
  term: stable(counter()), // the round
  sent: node, // the largest number sent on in this round; NONE: not a participant
  confirmed: flag, // the leader's own ELECTED has returned
  next: node, // the member to send to, which is watched; NONE before the first message
  down: nodeSet, // reported down in this round
})
const messages = union({
  election: { uid: node, round: counter() },
  elected: { uid: node, round: counter() },
})
const timers = { round: answer(1) }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message, keyof typeof timers>

function handlers(group: Group) {
  const { messageMs, processingMs, watchMs } = group.timing
  // A number may need 3n hops (C-c), and each successor that is down delays it once.
  const roundMs = 3 * group.members * (messageMs + processingMs) + group.members * watchMs

  /** "It creates an election message containing its UID", in a round of its own. */
  function start(s: State, out: Sink, dead: NodeId = NONE): void {
    enterRound(s, s.term + 1, out)
    if (dead !== NONE) s.down.add(dead)
    participate(s, out.me)
    passAgain(s, out)
  }

  /** Forgets the older round; members that were down may have recovered. */
  function enterRound(s: State, round: number, out: Sink): void {
    s.term = round
    s.status = 'Idle'
    s.leader = NONE
    s.sent = NONE
    s.confirmed = false
    if (s.down.size > 0) {
      s.down.clear()
      if (s.next !== NONE) out.unwatch(s.next)
      s.next = NONE
    }
    out.set('round', roundMs)
  }

  /** "Every time a process sends or forwards an election message", it "marks itself as a participant." */
  function participate(s: State, uid: NodeId): void {
    s.status = 'Elec'
    s.sent = uid
  }

  /** Members that were skipped may have recovered too late for this round: asks about them. */
  function follow(s: State, leader: NodeId, out: Sink): void {
    s.status = 'Norm'
    s.leader = leader
    s.sent = NONE
    for (const peer of s.down) out.request(peer)
  }

  function pass(s: State, m: Message, out: Sink): void {
    if (s.next === NONE) {
      s.next = nextOf(group, out.me, s.down)
      if (s.next === NONE) return returnHome(s, out)
      out.watch(s.next)
    }
    out.send(s.next, m)
  }

  function passAgain(s: State, out: Sink): void {
    const { leader, sent, term: round } = s
    if (leader !== NONE) pass(s, { type: 'elected', uid: leader, round }, out)
    else if (sent !== NONE) pass(s, { type: 'election', uid: sent, round }, out)
  }

  /** All other members are down: the message returns at once. */
  function returnHome(s: State, out: Sink): void {
    if (s.leader === out.me) confirm(s, out)
    else if (s.sent === out.me) lead(s, out)
    else start(s, out)
  }

  /** "That process starts acting as the leader." */
  function lead(s: State, out: Sink): void {
    follow(s, out.me, out)
    out.set('round', roundMs)
    passAgain(s, out)
  }

  function confirm(s: State, out: Sink): void {
    s.confirmed = true
    out.clear('round')
  }

  /** The four cases of stage 1, point 4; after the result a number means nothing. */
  function election(s: State, m: Message, out: Sink): void {
    const { uid } = m
    if (s.leader !== NONE) return
    if (uid === out.me) lead(s, out)
    else if (group.outranks(uid, out.me)) {
      if (uid === s.sent || group.outranks(s.sent, uid)) return
      participate(s, uid)
      pass(s, m, out)
    } else if (s.sent === NONE) {
      participate(s, out.me)
      passAgain(s, out)
    }
  }

  function elected(s: State, m: Message, out: Sink): void {
    const { uid } = m
    if (uid === out.me) {
      if (s.leader === uid) confirm(s, out)
    } else if (s.leader !== uid) {
      // Weaker than this member, a second result of one round, or down: not a valid result.
      if (group.outranks(out.me, uid) || s.leader !== NONE || s.down.has(uid)) start(s, out)
      else {
        follow(s, uid, out)
        out.clear('round')
        pass(s, m, out)
      }
    }
  }

  function message(s: State, _from: NodeId, m: Message, out: Sink): void {
    if (m.round < s.term) return
    if (m.round > s.term) enterRound(s, m.round, out)
    if (m.type === 'election') election(s, m, out)
    else elected(s, m, out)
  }

  function timeout(s: State, _timer: 'round', out: Sink): void {
    start(s, out)
  }

  function up(s: State, peer: NodeId, out: Sink): void {
    if (s.leader !== NONE && s.down.has(peer)) start(s, out)
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    if (peer !== s.next) return
    s.next = NONE
    s.down.add(peer)
    if (peer === s.leader) start(s, out, peer)
    else passAgain(s, out)
  }

  /** An idle ring without a leader: the member whose time-out fires first starts. */
  function settled(_s: State, _leader: NodeId, out: Sink): void {
    out.set('round', roundMs)
  }

  return { start: (s: State, out: Sink) => start(s, out), message, timeout, up, down, settled }
}

export const changRoberts = algorithm({
  name: 'chang-roberts',
  title: 'Chang and Roberts on a one-way ring, with numbered rounds',
  topology: 'ring',
  state,
  messages,
  timers,
  promises: { agreement: 'eventually', leader: 'highest', termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: true, synchrony: true },
  handlers,
})
