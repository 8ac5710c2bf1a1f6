/**
 * Defines the detector `link`, which reports at once what the transport observes, and measures silence in ticks.
 *
 * Source: none of the documents. A refused dial shows that no process listens there, within a fraction of a millisecond after a
 *   crash. A closed connection shows nothing by itself, so the peer is dialled again.
 * Assumes: messages arrive within Tm, in order, and are handled within Tp; the transport reports every loss; a
 *   recovering member announces itself, and its election sends nothing for Tm.
 * Promises: every request is answered within To (`detectionMs`); a watched peer that crashes is reported as
 *   soon as the transport shows it, and one that falls silent within To of its last message. While the watched
 *   peer sends a message more often than every 3/5 To, the detector sends nothing and no timer fires.
 * Departures: silence is a number of ticks without a message, not a time: a member that was stalled counts one
 *   tick, however long it was stalled, and handles the messages that have arrived before it concludes anything.
 *   A stopped process still accepts connections, so only an answer shows that a peer is up.
 */
import { answer } from '../core/algorithm.ts'
import { detector, type DetectorOut, type Evidence } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import type { NodeId } from '../core/node-id.ts'
import { nodeSet, perNode, record, union, type Infer } from '../core/schema.ts'
import * as inquiry from './helpers/inquiry.ts'

/** Silence is counted in ticks. The first is long, so that a peer that sends regularly ends it. */
const FIRST_TICK = 4 // ticks at least
const TICKS = 3
/** After the last tick, messages that have arrived are handled. */
const GRACE = 1 / 4
const REST = TICKS - 1 + GRACE
/** A tick, as a part of To; at least a hop. */
const TICK = 1 / 10
/** Longer than a question and its answer take. */
const FRESH_HOPS = 2.5
/** How often a peer is dialled again at once when connections fail. */
const REDIALS = 3

const state = record({
  downList: nodeSet,
  refused: nodeSet, // those of them whose end the transport has shown
  requested: nodeSet, // peers with an open request
  watched: nodeSet, // peers with an open watch
  round: perNode(0, Number.MAX_SAFE_INTEGER), // of the latest request about each
  counted: nodeSet, // peers whose silence is being counted
  silent: perNode(0, TICKS), // ticks since the last message of each
  redials: perNode(0, REDIALS), // since the last message of each
  fresh: nodeSet, // requested recently: the notice of an earlier recovery may be on its way
  linked: nodeSet, // peers with an open connection: the transport will show their end
})
const messages = union(inquiry.messages)
const timers = {
  tick: answer(1),
  ask: answer(1),
  listed: answer(1),
  fresh: answer(1),
  grace: answer(2),
}

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Timer = keyof typeof timers
type Sink = DetectorOut<Message, Timer>

function timesOf(group: Group) {
  const { detectionMs, messageMs, processingMs } = group.timing
  const hopMs = messageMs + processingMs
  // A message may arrive a hop after the crash of its sender. After the first tick two hops must fit.
  const tickMs = Math.max(hopMs, TICK * detectionMs)
  const firstTickMs = Math.max(FIRST_TICK * tickMs, detectionMs - hopMs - REST * tickMs)
  return { hopMs, tickMs, firstTickMs, answerMs: firstTickMs + REST * tickMs + hopMs }
}

function handlers(group: Group) {
  const { processingMs } = group.timing
  const { hopMs, tickMs, firstTickMs } = timesOf(group)

  function request(s: State, peer: NodeId, out: Sink): void {
    s.requested.add(peer)
    s.round.set(peer, s.round.get(peer) + 1)
    if (!countSilence(s, peer, out)) return
    refresh(s, peer, out)
    // Nothing waits for the news that a linked peer is up, and an election should not wait for messages.
    if (s.linked.has(peer)) out.set('ask', peer, tickMs / 2)
    else ask(s, peer, out)
  }

  function refresh(s: State, peer: NodeId, out: Sink): void {
    s.fresh.add(peer)
    out.set('fresh', peer, FRESH_HOPS * hopMs)
  }

  function watch(s: State, peer: NodeId, out: Sink): void {
    s.watched.add(peer)
    // Without a connection, only a dial can show at once that the peer is down.
    if (countSilence(s, peer, out) && !s.linked.has(peer)) ask(s, peer, out)
  }

  /** Reports a peer that is listed as down. Else counts its silence from now on, and returns true. */
  function countSilence(s: State, peer: NodeId, out: Sink): boolean {
    if (s.refused.has(peer)) reportDown(s, peer, out)
    else if (s.downList.has(peer)) out.set('listed', peer, processingMs)
    else {
      if (s.counted.add(peer)) out.set('tick', peer, firstTickMs)
      return true
    }
    return false
  }

  function answerFromList(s: State, peer: NodeId, out: Sink): void {
    if (!isOpen(s, peer)) return
    if (s.downList.has(peer)) reportDown(s, peer, out)
    else if (countSilence(s, peer, out) && s.requested.has(peer)) ask(s, peer, out)
  }

  function unwatch(s: State, peer: NodeId, out: Sink): void {
    s.watched.delete(peer)
    if (!isOpen(s, peer)) stopCounting(s, peer, out)
  }

  function ask(s: State, peer: NodeId, out: Sink): void {
    out.send(peer, { type: 'alive?', round: s.round.get(peer) })
  }

  function isOpen(s: State, peer: NodeId): boolean {
    return s.watched.has(peer) || s.requested.has(peer)
  }

  function heard(s: State, from: NodeId, out: Sink): void {
    s.downList.delete(from)
    s.refused.delete(from)
    if (!s.counted.has(from)) return
    if (!isOpen(s, from)) return stopCounting(s, from, out)
    const silent = s.silent.get(from)
    if (silent === TICKS) out.clear('grace', from)
    if (silent > 0) s.silent.set(from, 0)
    s.redials.set(from, 0)
    out.set('tick', from, firstTickMs)
    if (!s.requested.has(from) || s.fresh.has(from)) return
    // It sends messages but no answer: the question must have been lost.
    refresh(s, from, out)
    ask(s, from, out)
  }

  function stopCounting(s: State, peer: NodeId, out: Sink): void {
    if (!s.counted.delete(peer)) return
    s.silent.set(peer, 0)
    s.redials.set(peer, 0)
    s.fresh.delete(peer)
    for (const timer of ['tick', 'ask', 'fresh', 'grace'] as const) out.clear(timer, peer)
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    const answers = m.type === 'alive' && m.round === s.round.get(from) && s.requested.delete(from)
    heard(s, from, out)
    if (m.type === 'alive?') out.send(from, { type: 'alive', round: m.round })
    // It was down when the question arrived, or has forgotten it.
    else if (m.type === 'recovered' && s.requested.has(from)) ask(s, from, out)
    if (answers) out.up(from)
  }

  function timeout(s: State, timer: Timer, peer: NodeId, out: Sink): void {
    if (timer === 'listed') answerFromList(s, peer, out)
    else if (timer === 'fresh') s.fresh.delete(peer)
    else if (!isOpen(s, peer)) stopCounting(s, peer, out)
    else if (timer === 'tick') tick(s, peer, out)
    else if (timer === 'grace' && s.fresh.has(peer)) out.set('grace', peer, hopMs)
    else if (timer === 'grace') reportDown(s, peer, out)
    else if (s.requested.has(peer)) ask(s, peer, out)
  }

  function tick(s: State, peer: NodeId, out: Sink): void {
    const silent = s.silent.get(peer) + 1
    s.silent.set(peer, silent)
    s.redials.set(peer, 0)
    if (silent === TICKS) return out.set('grace', peer, GRACE * tickMs)
    if (s.watched.has(peer)) ask(s, peer, out)
    out.set('tick', peer, tickMs)
  }

  function reportDown(s: State, peer: NodeId, out: Sink): void {
    s.downList.add(peer)
    const requested = s.requested.delete(peer)
    const watched = s.watched.delete(peer)
    stopCounting(s, peer, out)
    if (requested || watched) out.down(peer)
  }

  function evidence(s: State, peer: NodeId, evidence: Evidence, out: Sink): void {
    if (evidence === 'connected' || evidence === 'restarted') s.linked.add(peer)
    else s.linked.delete(peer)
    switch (evidence) {
      case 'refused':
        s.refused.add(peer)
        return reportDown(s, peer, out)
      case 'restarted': // the incarnation that was watched is over, though another has begun
        if (s.watched.has(peer)) reportDown(s, peer, out)
        return heard(s, peer, out)
      case 'connected':
        return heard(s, peer, out)
      case 'closed': {
        const redials = s.redials.get(peer)
        if (!isOpen(s, peer) || redials === REDIALS) return
        s.redials.set(peer, redials + 1)
        return ask(s, peer, out)
      }
    }
  }

  function knownDown(s: State, peer: NodeId): void {
    s.downList.add(peer)
  }

  const start = inquiry.announceRecovery(group)
  return { start, request, watch, unwatch, message, timeout, heard, evidence, knownDown }
}

export const link = detector({
  name: 'link',
  title: 'reports what the transport observes at once; counts silence in ticks',
  state,
  messages,
  timers,
  countsBeats: true,
  answerMs: (group) => timesOf(group).answerMs,
  watchMs: (group) => timesOf(group).answerMs,
  handlers,
})
