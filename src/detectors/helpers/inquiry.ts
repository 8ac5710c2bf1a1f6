/**
 * "Are you alive?": the question that every detector asks, and the list of those that did not answer it.
 *
 * A question waits for a round trip and then for a moment of grace. The grace is for a member that was
 * itself stalled: its timers run before it reads what came meanwhile, so that a late time-out must let
 * the waiting messages in before it may conclude anything.
 *
 * For the same reason the list answers only after Tp, in which whatever has come is handled: the notice of
 * a recovery may have waited while the member was stalled.
 *
 * A `down` from a question is true at some moment after the question. Whoever is heard while the question
 * is open is reported, but does not enter the list: it may be back already, with its notice behind us.
 */
import { answer } from '../../core/algorithm.ts'
import type { DetectorOut } from '../../core/detector.ts'
import type { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { id, nodeSet, perNode, type RecordOf, type UnionOf } from '../../core/schema.ts'

const MAX = Number.MAX_SAFE_INTEGER

export const inquiryState = {
  downList: nodeSet,
  requested: nodeSet, // a request about them is open
  watched: nodeSet, // a watch on them is open
  asked: nodeSet, // my question to them is open
  heard: nodeSet, // those of them that were heard since
  round: perNode(0, MAX), // the number of my latest question to each
  triesLeft: perNode(0, MAX),
}
export const inquiryMessages = {
  'alive?': { round: id },
  alive: { round: id }, // the same number, so that an answer to an older question proves nothing
  recovered: {}, // "it sends to the FD on each node immediately the message informing that it has recovered"
}
export const inquiryTimers = {
  listed: answer(0), // then the list answers
  answer: answer(1),
  grace: answer(2),
}

export type Inquiry = RecordOf<typeof inquiryState>
export type InquiryMessage = UnionOf<typeof inquiryMessages>
export type InquiryTimer = keyof typeof inquiryTimers
export type InquirySink = DetectorOut<InquiryMessage, InquiryTimer>

const RECOVERED: InquiryMessage = { type: 'recovered' }

/** The grace, as a part of the round trip. */
const GRACE = 1 / 4

/** The bounds that detectors are made of, in milliseconds. */
export function inquiryTiming(group: Group, tries = 1) {
  const { messageMs, processingMs } = group.timing
  const hopMs = messageMs + processingMs
  const roundTripMs = 2 * hopMs
  const graceMs = GRACE * roundTripMs
  // The longest: the list was asked, and the peer was taken off it before it answered.
  const answerMs = processingMs + tries * roundTripMs + graceMs
  return { hopMs, roundTripMs, graceMs, answerMs }
}

/** How a detector watches a peer that is not on the list; both may come without the other. */
interface Watching<S, O> {
  begun(s: S, peer: NodeId, out: O): void
  ended(s: S, peer: NodeId, out: O): void
}

/** A question is repeated until it was put `tries` times. */
export function inquiries<S extends Inquiry, O extends InquirySink>(
  group: Group,
  watching: Watching<S, O>,
  tries = 1,
) {
  const { processingMs } = group.timing
  const { roundTripMs, graceMs } = inquiryTiming(group, tries)

  function start(_s: S, recovered: boolean, out: O): void {
    if (!recovered) return
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, RECOVERED)
  }

  function request(s: S, peer: NodeId, out: O): void {
    s.requested.add(peer)
    if (s.downList.has(peer)) out.set('listed', peer, processingMs)
    else ask(s, peer, out)
  }

  function watch(s: S, peer: NodeId, out: O): void {
    s.watched.add(peer)
    if (s.downList.has(peer)) return out.set('listed', peer, processingMs)
    // A question that was put before the watch would speak of a moment before it.
    if (s.asked.has(peer) && !s.requested.has(peer)) ask(s, peer, out)
    watching.begun(s, peer, out)
  }

  /** The list answers, unless the peer has been heard by now. */
  function consult(s: S, peer: NodeId, out: O): void {
    if (s.downList.has(peer)) return condemn(s, peer, out)
    if (s.requested.has(peer)) ask(s, peer, out)
    if (s.watched.has(peer)) watching.begun(s, peer, out)
  }

  /** Puts the question, anew if it is open: only an answer to the latest one counts. */
  function ask(s: S, peer: NodeId, out: O): void {
    const round = s.round.get(peer) + 1
    s.round.set(peer, round)
    s.triesLeft.set(peer, tries - 1)
    s.heard.delete(peer)
    if (!s.asked.add(peer)) out.clear('grace', peer)
    out.send(peer, { type: 'alive?', round })
    out.set('answer', peer, roundTripMs)
  }

  /** Whatever came from this peer, it was alive when it sent it. */
  function heard(s: S, from: NodeId): void {
    s.downList.delete(from)
    if (s.asked.has(from)) s.heard.add(from)
  }

  /** Returns whether the message answers my open question. */
  function message(s: S, from: NodeId, m: InquiryMessage, out: O): boolean {
    heard(s, from)
    if (m.type === 'alive?') out.send(from, { type: 'alive', round: m.round })
    if (m.type !== 'alive' || !s.asked.has(from) || m.round !== s.round.get(from)) return false
    close(s, from, out)
    if (s.requested.delete(from)) out.up(from)
    return true
  }

  /** Returns whether a question has ended: there was no answer. */
  function timeout(s: S, timer: InquiryTimer, peer: NodeId, out: O): boolean {
    if (timer === 'listed') {
      consult(s, peer, out)
      return false
    }
    if (timer === 'grace') {
      condemn(s, peer, out)
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

  /** The peer is down: one word ends the request and the watch. */
  function condemn(s: S, peer: NodeId, out: O): void {
    if (!s.heard.has(peer)) s.downList.add(peer)
    close(s, peer, out)
    const requested = s.requested.delete(peer)
    const watched = s.watched.delete(peer)
    if (watched) watching.ended(s, peer, out)
    if (requested || watched) out.down(peer)
  }

  /** A closed connection proves nothing, but it is a reason to ask at once. */
  function evidence(s: S, peer: NodeId, out: O): void {
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

  return { start, request, watch, ask, heard, message, timeout, condemn, evidence, knownDown }
}
