/**
 * Link: what the transport knows answers at once; silence is counted in ticks.
 *
 * Source: ours. A refused dial shows that no process listens there, and comes within a fraction of a
 *   millisecond after a crash; a closed connection shows nothing by itself, so the peer is dialled again.
 * Assumes: To (`detectionMs`) is longer than a question and its answer take. Whoever listens answers its
 *   dials; a recovering member announces itself and keeps its election silent for Tm.
 * Promises: every request is answered within To; a watched peer that crashes is reported as soon as the
 *   transport shows it, and one that falls silent between 4/5 To and To after it was last heard. While the
 *   watched peer speaks of its own accord more often than every 2/5 To, nothing is sent.
 * Departures: silence is a number of ticks in which nothing came, not a time: a member that was stalled
 *   itself has counted one tick, however long it lasted. A stopped process still accepts connections: only
 *   an answer is life. Whoever is on the down list is asked all the same, for a healed link tells nobody.
 */
import { answer } from '../core/algorithm.ts'
import { detector, type DetectorOut, type Evidence } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { flag, id, nodeSet, perNode, record, union, type Infer } from '../core/schema.ts'

/** So many silent ticks prove a peer down; from so many on it is asked. */
const SILENT_TICKS = 5
const ASK_TICKS = 3
/** How often a peer is dialled again at once when connections come to nothing. */
const REDIALS = 3

const state = record({
  downList: nodeSet,
  requested: nodeSet, // a request about them is open
  watched: nodeSet, // a watch on them is open
  round: perNode(0, Number.MAX_SAFE_INTEGER), // of the latest request about each
  silent: perNode(0, SILENT_TICKS), // ticks since each was last heard
  redials: perNode(0, REDIALS), // since each was last heard
  ticking: flag,
})
const messages = union({
  'alive?': { round: id },
  alive: { round: id }, // the same number: an answer to an older question proves nothing
  recovered: {},
})
const timers = { tick: answer(1) }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = DetectorOut<Message, keyof typeof timers>

const RECOVERED: Message = { type: 'recovered' }

/** A fifth of To, and never shorter than a question and its answer. */
function tickMsOf(group: Group): number {
  const { detectionMs, messageMs, processingMs } = group.timing
  return Math.max(
    detectionMs / SILENT_TICKS,
    (2 * (messageMs + processingMs)) / (SILENT_TICKS - ASK_TICKS),
  )
}

function handlers(group: Group) {
  const tickMs = tickMsOf(group)

  function start(_s: State, recovered: boolean, out: Sink): void {
    if (!recovered) return
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, RECOVERED)
  }

  function request(s: State, peer: NodeId, out: Sink): void {
    s.requested.add(peer)
    s.round.set(peer, s.round.get(peer) + 1)
    attend(s, peer, out)
    ask(s, peer, out)
  }

  function watch(s: State, peer: NodeId, out: Sink): void {
    s.watched.add(peer)
    if (s.downList.has(peer)) ask(s, peer, out)
    attend(s, peer, out)
  }

  /** Listed as down: say so. Else count its silence from now on, unless it is being counted. */
  function attend(s: State, peer: NodeId, out: Sink): void {
    if (s.downList.has(peer)) return condemn(s, peer, out)
    if (!s.ticking) out.set('tick', NONE, tickMs)
    s.ticking = true
  }

  function unwatch(s: State, peer: NodeId): void {
    s.watched.delete(peer)
    if (!isOpen(s, peer)) forget(s, peer)
  }

  function ask(s: State, peer: NodeId, out: Sink): void {
    out.send(peer, { type: 'alive?', round: s.round.get(peer) })
  }

  function isOpen(s: State, peer: NodeId): boolean {
    return s.watched.has(peer) || s.requested.has(peer)
  }

  /** Whatever came from this peer, it was alive when it sent it. */
  function heard(s: State, from: NodeId): void {
    s.downList.delete(from)
    forget(s, from)
  }

  function forget(s: State, peer: NodeId): void {
    s.silent.set(peer, 0)
    s.redials.set(peer, 0)
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    heard(s, from)
    if (m.type === 'alive?') return out.send(from, { type: 'alive', round: m.round })
    if (m.type !== 'alive' || m.round !== s.round.get(from)) return
    if (s.requested.delete(from)) out.up(from)
  }

  /** Nobody is asked twice in a tick of whom something was heard in it. */
  function timeout(s: State, _timer: 'tick', _peer: NodeId, out: Sink): void {
    s.ticking = false
    for (const peer of group.everyone) {
      if (!isOpen(s, peer)) continue
      const silent = s.silent.get(peer) + 1
      if (silent >= SILENT_TICKS) {
        condemn(s, peer, out)
        continue
      }
      s.silent.set(peer, silent)
      s.redials.set(peer, 0)
      if (silent >= ASK_TICKS || s.requested.has(peer)) ask(s, peer, out)
      s.ticking = true
    }
    if (s.ticking) out.set('tick', NONE, tickMs)
  }

  /** The peer is down: one word ends the request and the watch. */
  function condemn(s: State, peer: NodeId, out: Sink): void {
    s.downList.add(peer)
    forget(s, peer)
    const requested = s.requested.delete(peer)
    const watched = s.watched.delete(peer)
    if (requested || watched) out.down(peer)
  }

  function evidence(s: State, peer: NodeId, evidence: Evidence, out: Sink): void {
    switch (evidence) {
      case 'refused':
        return condemn(s, peer, out)
      case 'restarted': // the life that was watched is over, though another has begun
        if (s.watched.has(peer)) condemn(s, peer, out)
        return heard(s, peer)
      case 'connected':
        return heard(s, peer)
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

  return { start, request, watch, unwatch, message, timeout, heard, evidence, knownDown }
}

export const link = detector({
  name: 'link',
  title: 'what the transport knows, at once; silence, by counting ticks',
  state,
  messages,
  timers,
  answerMs: (group) => SILENT_TICKS * tickMsOf(group),
  watchMs: (group) => SILENT_TICKS * tickMsOf(group),
  handlers,
})
