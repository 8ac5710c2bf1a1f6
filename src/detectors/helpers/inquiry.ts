/**
 * Handlers, state and timing of the question "Are you alive?", which every detector of the documents asks, and of the
 * list of peers that did not answer.
 *
 * A question waits for a round trip and then for a grace period. The grace is for a member that was itself stalled:
 * its timers fire before it reads the messages that arrived meanwhile, so a late time-out must let these in
 * before it may conclude anything. For the same reason the down list answers a request only after Tp: the notice
 * of a recovery may have waited while the member was stalled.
 *
 * A `down` that follows from a question is true at some moment after the question. A peer that sends anything while
 * the question is open is reported down but not listed: it may have recovered, with its notice already handled.
 */
import { answer } from '../../core/algorithm.ts'
import type { DetectorOut, Evidence } from '../../core/detector.ts'
import type { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { id, nodeSet, perNode, type RecordOf, type UnionOf } from '../../core/schema.ts'

const MAX = Number.MAX_SAFE_INTEGER

export const state = {
  downList: nodeSet,
  requested: nodeSet, // peers with an open request
  watched: nodeSet, // peers with an open watch
  asked: nodeSet, // peers with an open question
  heard: nodeSet, // those of them that have sent anything since
  round: perNode(0, MAX), // the number of the latest question to each
  triesLeft: perNode(0, MAX),
}
export const messages = {
  'alive?': { round: id },
  alive: { round: id }, // the same number, so that an answer to an older question proves nothing
  recovered: {}, // "it sends to the FD on each node immediately the message informing that it has recovered"
}
export const timers = {
  listed: answer(0), // after it the down list answers
  answer: answer(1),
  grace: answer(2),
}

type State = RecordOf<typeof state>
type Message = UnionOf<typeof messages>
type Timer = keyof typeof timers
type Sink = DetectorOut<Message, Timer>

const RECOVERED: Message = { type: 'recovered' }

/** The grace period, in round trips. */
const GRACE = 1 / 4

export function timing(group: Group, tries = 1) {
  const { messageMs, processingMs } = group.timing
  const hopMs = messageMs + processingMs
  const roundTripMs = 2 * hopMs
  const graceMs = GRACE * roundTripMs
  // The longest case: the peer is taken off the list before the list answers.
  const answerMs = processingMs + tries * roundTripMs + graceMs
  return { hopMs, roundTripMs, graceMs, answerMs }
}

/** How a detector begins and ends to watch a peer that is not on the list. Either may occur without the other. */
interface Watching<S, O> {
  begun(s: S, peer: NodeId, out: O): void
  ended(s: S, peer: NodeId, out: O): void
}

/** The start of a detector: a member that has recovered announces it to all. */
export function announceRecovery(group: Group) {
  return (_s: unknown, recovered: boolean, out: Pick<Sink, 'me' | 'send'>): void => {
    if (!recovered) return
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, RECOVERED)
  }
}

/** A question is sent up to `tries` times. */
export function handlers<S extends State, O extends Sink>(
  group: Group,
  watching: Watching<S, O>,
  tries = 1,
) {
  const { processingMs } = group.timing
  const { roundTripMs, graceMs } = timing(group, tries)

  function request(s: S, peer: NodeId, out: O): void {
    s.requested.add(peer)
    if (s.downList.has(peer)) out.set('listed', peer, processingMs)
    else ask(s, peer, out)
  }

  function watch(s: S, peer: NodeId, out: O): void {
    s.watched.add(peer)
    if (s.downList.has(peer)) return out.set('listed', peer, processingMs)
    // The answer to an earlier question would be about a moment before the watch.
    if (s.asked.has(peer) && !s.requested.has(peer)) ask(s, peer, out)
    watching.begun(s, peer, out)
  }

  /** Answers from the down list, unless the peer has left it by now. */
  function answerFromList(s: S, peer: NodeId, out: O): void {
    if (s.downList.has(peer)) return reportDown(s, peer, out)
    if (s.requested.has(peer)) ask(s, peer, out)
    if (s.watched.has(peer)) watching.begun(s, peer, out)
  }

  /** Sends a new question; only an answer to the latest one counts. */
  function ask(s: S, peer: NodeId, out: O): void {
    const round = s.round.get(peer) + 1
    s.round.set(peer, round)
    s.triesLeft.set(peer, tries - 1)
    s.heard.delete(peer)
    if (!s.asked.add(peer)) out.clear('grace', peer)
    out.send(peer, { type: 'alive?', round })
    out.set('answer', peer, roundTripMs)
  }

  /** A message arrived from this peer, which was up when it sent it. */
  function heard(s: S, from: NodeId): void {
    s.downList.delete(from)
    if (s.asked.has(from)) s.heard.add(from)
  }

  /** Returns whether the message answers the open question. */
  function message(s: S, from: NodeId, m: Message, out: O): boolean {
    heard(s, from)
    if (m.type === 'alive?') out.send(from, { type: 'alive', round: m.round })
    if (m.type !== 'alive' || !s.asked.has(from) || m.round !== s.round.get(from)) return false
    close(s, from, out)
    if (s.requested.delete(from)) out.up(from)
    return true
  }

  /** Returns whether a question has ended without an answer. */
  function timeout(s: S, timer: Timer, peer: NodeId, out: O): boolean {
    if (timer === 'listed') {
      answerFromList(s, peer, out)
      return false
    }
    if (timer === 'grace') {
      reportDown(s, peer, out)
      return true
    }
    const left = s.triesLeft.get(peer)
    if (left === 0) out.set('grace', peer, graceMs)
    else {
      s.triesLeft.set(peer, left - 1)
      out.send(peer, { type: 'alive?', round: s.round.get(peer) })
      out.set('answer', peer, roundTripMs)
    }
    return false
  }

  /** Reports the peer down, which ends both the request and the watch. */
  function reportDown(s: S, peer: NodeId, out: O): void {
    if (!s.heard.has(peer)) s.downList.add(peer)
    close(s, peer, out)
    const requested = s.requested.delete(peer)
    const watched = s.watched.delete(peer)
    if (watched) watching.ended(s, peer, out)
    if (requested || watched) out.down(peer)
  }

  /** Evidence proves nothing here, but is a reason to ask at once. */
  function evidence(s: S, peer: NodeId, _evidence: Evidence, out: O): void {
    if (s.watched.has(peer) && !s.asked.has(peer)) ask(s, peer, out)
  }

  function knownDown(s: S, peer: NodeId): void {
    s.downList.add(peer)
  }

  function close(s: S, peer: NodeId, out: O): void {
    if (!s.asked.delete(peer)) return
    s.heard.delete(peer)
    out.clear('answer', peer)
    out.clear('grace', peer)
  }

  /** Those that a detector passes on unchanged. */
  const start = announceRecovery(group)
  const own = { start, request, watch, heard, evidence, knownDown }
  return { own, ask, heard, message, timeout, reportDown }
}
