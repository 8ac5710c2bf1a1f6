/**
 * The detector `token`: an attendance list circulates on a logical ring while any member watches another; a member
 * that misses it asks the peers that it watches "Are you alive?".
 *
 * Source: 000 §2.2, "based on an attendance list, is to construct logical ring and periodically circulates a
 *   token around it. If a node does not see the token within the expected time, then one or more nodes are
 *   failed, and 'Are you alive?' messages can be used to pinpoint the failed nodes. With this approach,
 *   fewer messages will be used if multiple nodes are being monitored by multiple nodes, though at the
 *   expense of increased detection latency."
 * Assumes: as `ping` does.
 * Promises: as `ping` does, but a watched peer that crashes is reported only after the token has been
 *   missed: within about two rounds of n(Tm + Tp) and two periods, more while a token is being replaced.
 *   The number of messages does not depend on the number of watches.
 * Departures: B15; a single request is a question, as in `ping`. The text does not say which member makes a token:
 *   a member that misses it makes one, which supersedes all tokens of a lower lap, and of a weaker keeper in
 *   the same lap. A new token is careful: a member asks its successor before it passes the token on, and so
 *   finds the peers that are down; later laps skip them. The list names the absent members.
 */
import { period } from '../core/algorithm.ts'
import { detector, type DetectorOut } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { counter, flag, node, nodeSet, record, union, type Infer } from '../core/schema.ts'
import * as inquiry from './helpers/inquiry.ts'

const state = record({
  ...inquiry.state,
  expecting: flag, // the member watches a peer, so it waits for the token
  lap: counter(), // the highest that the member has seen, and the keeper of that token
  keeper: node,
  // The token while the member holds it: between two laps, or until the successor is known.
  next: node, // the successor that was asked before the token is passed on, or NONE
  absent: nodeSet,
  wanted: flag,
})
const messages = union({
  ...inquiry.messages,
  token: {
    lap: counter(),
    keeper: node, // the member that begins each lap, a period after the last
    absent: nodeSet,
    wanted: flag, // a member on this lap watches a peer
    careful: flag, // to be passed on only to a member that answers a question
  },
  newer: { lap: counter() }, // the receiver's token is obsolete: its next lap must exceed this
})
const timers = { ...inquiry.timers, missing: period, hold: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Token = Extract<Message, { type: 'token' }>
type Timer = keyof typeof timers
type Sink = DetectorOut<Message, Timer>

/** How long a lap and the pause before it take at most. A careful lap asks each member first. */
function lapTiming(group: Group) {
  const { hopMs, answerMs } = inquiry.timing(group)
  const { periodMs } = group.timing
  return {
    lapMs: periodMs + (group.members + 1) * hopMs,
    carefulMs: periodMs + (group.members + 1) * (hopMs + answerMs),
  }
}

function handlers(group: Group) {
  const { periodMs } = group.timing
  const { lapMs, carefulMs } = lapTiming(group)
  const questions = inquiry.handlers<State, Sink>(group, {
    begun: beginWatch,
    ended: (s, _peer, out) => stopExpecting(s, out),
  })

  /** Asks whether the peer is up now; from then on the token shows it. */
  function beginWatch(s: State, peer: NodeId, out: Sink): void {
    if (!s.asked.has(peer)) questions.ask(s, peer, out)
    if (!s.expecting) expectToken(s, lapMs, out)
  }

  function unwatch(s: State, peer: NodeId, out: Sink): void {
    if (s.watched.delete(peer)) stopExpecting(s, out)
  }

  function expectToken(s: State, withinMs: number, out: Sink): void {
    s.expecting = true
    out.set('missing', NONE, withinMs)
  }

  /** A member without a watch does not wait for the token. */
  function stopExpecting(s: State, out: Sink): void {
    if (s.watched.size > 0) return
    s.expecting = false
    out.clear('missing', NONE)
  }

  /** The token is missing: asks the watched peers, and makes another token. */
  function onMissing(s: State, out: Sink): void {
    for (const peer of s.watched.copy()) if (!s.asked.has(peer)) questions.ask(s, peer, out)
    expectToken(s, carefulMs, out)
    if (s.next !== NONE) return // the member holds a token, and has asked its successor
    s.lap += 2 // above a lap that may have begun without reaching this member
    s.keeper = out.me
    s.absent.clear()
    s.wanted = true
    out.clear('hold', NONE)
    passCarefully(s, out)
  }

  function onToken(s: State, token: Token, out: Sink): void {
    const returned = token.keeper === out.me && s.keeper === out.me && token.lap === s.lap
    if (!returned && !isNewer(s, token)) return rejectObsolete(s, token, out)
    out.clear('hold', NONE) // a token that this member holds is older
    s.next = NONE
    s.lap = token.lap
    s.keeper = token.keeper
    s.absent = token.absent.copy()
    s.absent.delete(out.me)
    s.wanted = token.wanted || s.watched.size > 0
    if (s.watched.size > 0) readList(s, token.careful, out)
    if (returned) hold(s, out)
    else if (!token.careful) pass(s, successor(s, out.me), false, out)
    else {
      s.downList.delete(token.keeper) // it is up and missed the token: this member may have skipped it
      passCarefully(s, out)
    }
  }

  function rejectObsolete(s: State, { lap, keeper }: Token, out: Sink): void {
    if (lap < s.lap && keeper !== out.me) out.send(keeper, { type: 'newer', lap: s.lap })
  }

  function isNewer(s: State, { lap, keeper }: Token): boolean {
    return lap > s.lap || (lap === s.lap && group.outranks(keeper, s.keeper))
  }

  /** Asks the watched peers that the list names as absent. */
  function readList(s: State, careful: boolean, out: Sink): void {
    for (const peer of s.watched.copy()) {
      if (s.absent.has(peer) && !s.asked.has(peer)) questions.ask(s, peer, out)
    }
    expectToken(s, careful ? carefulMs : lapMs, out)
  }

  /** The lap is over. The next one follows if any member wanted this one. */
  function hold(s: State, out: Sink): void {
    s.keeper = out.me
    if (s.wanted) out.set('hold', NONE, periodMs)
  }

  function beginLap(s: State, out: Sink): void {
    s.lap += 1
    s.wanted = s.watched.size > 0
    if (s.wanted) readList(s, false, out)
    pass(s, successor(s, out.me), false, out)
  }

  /** The next member on the ring that is not listed as down; those in between are absent. */
  function successor(s: State, me: NodeId): NodeId {
    for (let k = 1; k < group.members; k++) {
      const peer = group.successor(me, k)
      if (!s.downList.has(peer)) return peer
      s.absent.add(peer)
      if (peer === s.keeper) return NONE // its lap ends here
    }
    return NONE
  }

  function pass(s: State, to: NodeId, careful: boolean, out: Sink): void {
    if (to === NONE) return hold(s, out)
    const { lap, keeper, wanted } = s
    out.send(to, { type: 'token', lap, keeper, absent: s.absent.copy(), wanted, careful })
  }

  function passCarefully(s: State, out: Sink): void {
    const to = successor(s, out.me)
    s.next = to
    if (to === NONE) hold(s, out)
    else if (!s.asked.has(to)) questions.ask(s, to, out)
  }

  /** The question to the successor that the token waits for has ended. */
  function onQuestionEnded(s: State, peer: NodeId, alive: boolean, out: Sink): void {
    if (peer !== s.next) return
    s.next = NONE
    if (alive) pass(s, peer, true, out)
    else if (s.downList.has(peer)) passCarefully(s, out)
    else hold(s, out) // it sent something, but no answer: the next lap decides
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'token' || m.type === 'newer') questions.heard(s, from)
    if (m.type === 'token') onToken(s, m, out)
    else if (m.type === 'newer') s.lap = Math.max(s.lap, m.lap)
    else if (questions.message(s, from, m, out)) onQuestionEnded(s, from, true, out)
  }

  function timeout(s: State, timer: Timer, peer: NodeId, out: Sink): void {
    if (timer === 'missing') onMissing(s, out)
    else if (timer === 'hold') beginLap(s, out)
    else if (questions.timeout(s, timer, peer, out)) onQuestionEnded(s, peer, false, out)
  }

  return { ...questions.own, unwatch, message, timeout }
}

export const token = detector({
  name: 'token',
  title: 'an attendance list on a ring; a member that misses it asks',
  state,
  messages,
  timers,
  answerMs: (group) => inquiry.timing(group).answerMs,
  watchMs(group) {
    const { lapMs, carefulMs } = lapTiming(group)
    // The peer crashes behind the token; the next lap is lost there; the member misses the token and asks.
    return 2 * lapMs + carefulMs + inquiry.timing(group).answerMs
  },
  handlers,
})
