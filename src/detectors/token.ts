/**
 * Token: an attendance list goes round a logical ring while anybody watches; whoever misses it asks "Are you
 * alive?" of those that it watches.
 *
 * Source: 000 §2.2, "based on an attendance list, is to construct logical ring and periodically circulates a
 *   token around it. If a node does not see the token within the expected time, then one or more nodes are
 *   failed, and 'Are you alive?' messages can be used to pinpoint the failed nodes. With this approach,
 *   fewer messages will be used if multiple nodes are being monitored by multiple nodes, though at the
 *   expense of increased detection latency."
 * Assumes: as `ping` does.
 * Promises: as `ping` does, but a watched peer that crashes is reported only after the token has been
 *   missed: within about two rounds of n(Tm + Tp) and two periods, more while a token is being replaced.
 *   The number of messages does not depend on how many watch how many.
 * Departures: B15; a single request is a question, as in `ping`. The text leaves open who makes a token:
 *   whoever misses it makes one, which wins over all of a lower lap, or of a smaller member in the
 *   same lap. A new token is passed on with care, that is, after a question to the successor, and so
 *   finds the dead; the laps that follow pass over them. The list names those that are absent.
 */
import { period } from '../core/algorithm.ts'
import { detector, type DetectorOut } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { counter, flag, node, nodeSet, record, union, type Infer } from '../core/schema.ts'
import {
  inquiries,
  inquiryMessages,
  inquiryState,
  inquiryTimers,
  inquiryTiming,
} from './helpers/inquiry.ts'

const state = record({
  ...inquiryState,
  expecting: flag, // I watch somebody, and shall miss the token
  lap: counter(), // the highest that I have seen, and whose token it was
  keeper: node,
  // The token, while I hold it: between two laps, or until I know to whom to pass it.
  next: node, // whom I have asked before I pass it on, or NONE
  absent: nodeSet,
  wanted: flag,
})
const messages = union({
  ...inquiryMessages,
  token: {
    lap: counter(),
    keeper: node, // begins each lap, a period after the last
    absent: nodeSet,
    wanted: flag, // somebody on this lap watches somebody
    careful: flag, // pass it on only to one that answers
  },
  newer: { lap: counter() }, // your token is of a lap long past: make the next above this
})
const timers = { ...inquiryTimers, missing: period, hold: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Token = Extract<Message, { type: 'token' }>
type Timer = keyof typeof timers
type Sink = DetectorOut<Message, Timer>

/** How long a lap and the pause before it take at most; a careful one asks everybody before it goes there. */
function lapTiming(group: Group) {
  const { hopMs, answerMs } = inquiryTiming(group)
  const { periodMs } = group.timing
  return {
    lapMs: periodMs + (group.members + 1) * hopMs,
    carefulMs: periodMs + (group.members + 1) * (hopMs + answerMs),
  }
}

function handlers(group: Group) {
  const { periodMs } = group.timing
  const { lapMs, carefulMs } = lapTiming(group)
  const inquiry = inquiries<State, Sink>(group, {
    begun: attendTo,
    ended: (s, _peer, out) => rest(s, out),
  })

  /** Is it there now? From then on the list will tell. */
  function attendTo(s: State, peer: NodeId, out: Sink): void {
    if (!s.asked.has(peer)) inquiry.ask(s, peer, out)
    if (!s.expecting) expect(s, lapMs, out)
  }

  function unwatch(s: State, peer: NodeId, out: Sink): void {
    if (s.watched.delete(peer)) rest(s, out)
  }

  function expect(s: State, withinMs: number, out: Sink): void {
    s.expecting = true
    out.set('missing', NONE, withinMs)
  }

  /** Who watches nobody misses nothing. */
  function rest(s: State, out: Sink): void {
    if (s.watched.size > 0) return
    s.expecting = false
    out.clear('missing', NONE)
  }

  /** I have not seen the token: ask those I watch, and make another. */
  function missed(s: State, out: Sink): void {
    for (const peer of s.watched.copy()) if (!s.asked.has(peer)) inquiry.ask(s, peer, out)
    expect(s, carefulMs, out)
    if (s.next !== NONE) return // I hold one, and am finding out whom to pass it to
    s.lap += 2 // beyond a lap that may have begun without reaching me
    s.keeper = out.me
    s.absent.clear()
    s.wanted = true
    out.clear('hold', NONE)
    passCarefully(s, out)
  }

  function arrived(s: State, token: Token, out: Sink): void {
    const returned = token.keeper === out.me && s.keeper === out.me && token.lap === s.lap
    if (!returned && !isNewer(s, token)) return stale(s, token, out)
    out.clear('hold', NONE) // the token that I hold, if I hold one, is older
    s.next = NONE
    s.lap = token.lap
    s.keeper = token.keeper
    s.absent = token.absent.copy()
    s.absent.delete(out.me)
    s.wanted = token.wanted || s.watched.size > 0
    if (s.watched.size > 0) attend(s, token.careful, out)
    if (returned) hold(s, out)
    else if (!token.careful) pass(s, successor(s, out.me), false, out)
    else {
      s.downList.delete(token.keeper) // it lives and has missed the token: perhaps I passed it over
      passCarefully(s, out)
    }
  }

  function stale(s: State, { lap, keeper }: Token, out: Sink): void {
    if (lap < s.lap && keeper !== out.me) out.send(keeper, { type: 'newer', lap: s.lap })
  }

  function isNewer(s: State, { lap, keeper }: Token): boolean {
    return lap > s.lap || (lap === s.lap && group.outranks(keeper, s.keeper))
  }

  /** Reads the list: those that I watch and that are absent are asked. */
  function attend(s: State, careful: boolean, out: Sink): void {
    for (const peer of s.watched.copy()) {
      if (s.absent.has(peer) && !s.asked.has(peer)) inquiry.ask(s, peer, out)
    }
    expect(s, careful ? carefulMs : lapMs, out)
  }

  /** The lap is over. Nobody wanted it: there is no other. */
  function hold(s: State, out: Sink): void {
    s.keeper = out.me
    if (s.wanted) out.set('hold', NONE, periodMs)
  }

  function beginLap(s: State, out: Sink): void {
    s.lap += 1
    s.wanted = s.watched.size > 0
    if (s.wanted) attend(s, false, out)
    pass(s, successor(s, out.me), false, out)
  }

  /** The next member on the ring that I do not know to be down; those in between are absent. */
  function successor(s: State, me: NodeId): NodeId {
    for (let k = 1; k < group.members; k++) {
      const peer = group.successor(me, k)
      if (!s.downList.has(peer)) return peer
      s.absent.add(peer)
      if (peer === s.keeper) return NONE // its lap ends with me
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
    else if (!s.asked.has(to)) inquiry.ask(s, to, out)
  }

  /** The question to the one that the token waits for has ended. */
  function asked(s: State, peer: NodeId, alive: boolean, out: Sink): void {
    if (peer !== s.next) return
    s.next = NONE
    if (alive) pass(s, peer, true, out)
    else if (s.downList.has(peer)) passCarefully(s, out)
    else hold(s, out) // it was heard and yet did not answer: let the next lap see
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'token' || m.type === 'newer') inquiry.heard(s, from)
    if (m.type === 'token') arrived(s, m, out)
    else if (m.type === 'newer') s.lap = Math.max(s.lap, m.lap)
    else if (inquiry.message(s, from, m, out)) asked(s, from, true, out)
  }

  function timeout(s: State, timer: Timer, peer: NodeId, out: Sink): void {
    if (timer === 'missing') missed(s, out)
    else if (timer === 'hold') beginLap(s, out)
    else if (inquiry.timeout(s, timer, peer, out)) asked(s, peer, false, out)
  }

  const { start, request, watch, heard, knownDown } = inquiry
  const evidence = (s: State, peer: NodeId, _: unknown, out: Sink) => inquiry.evidence(s, peer, out)
  return { start, request, watch, unwatch, message, timeout, heard, evidence, knownDown }
}

export const token = detector({
  name: 'token',
  title: 'an attendance list on a ring; whoever misses it asks',
  state,
  messages,
  timers,
  answerMs: (group) => inquiryTiming(group).answerMs,
  watchMs(group) {
    const { lapMs, carefulMs } = lapTiming(group)
    // It crashed behind the token; the next lap is lost with it; I miss the token and ask.
    return 2 * lapMs + carefulMs + inquiryTiming(group).answerMs
  },
  handlers,
})
