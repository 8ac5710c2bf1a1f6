/**
 * Link: what the transport knows answers at once; silence is counted in ticks.
 *
 * Source: ours. A refused dial shows that no process listens there, and comes within a fraction of a
 *   millisecond after a crash; a closed connection shows nothing by itself, so the peer is dialled again.
 * Assumes: messages arrive within Tm, in order, and are handled within Tp; whatever is lost, the transport
 *   says so; a recovering member announces itself and keeps its election silent for Tm.
 * Promises: every request is answered within To (`detectionMs`); a watched peer that crashes is reported as
 *   soon as the transport shows it, and one that falls silent after about 4/5 To, within To at the latest.
 *   While the watched peer speaks of its own accord more often than every 2/5 To, nothing is sent.
 * Departures: silence is a number of ticks in which nothing came, not a time: a member that was stalled
 *   itself has counted one tick, however long it lasted, and reads what has come before it concludes
 *   anything. A stopped process still accepts connections: only an answer is life.
 */
import { answer } from '../core/algorithm.ts'
import { detector, type DetectorOut, type Evidence } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { flag, id, nodeSet, perNode, record, union, type Infer } from '../core/schema.ts'

/** So many silent ticks prove a peer down; from so many on it is asked. */
const SILENT_TICKS = 5
const ASK_TICKS = 3
/** What has come is read before the last tick counts, as a part of a tick. */
const GRACE = 1 / 4
/** How often a peer is dialled again at once when connections come to nothing. */
const REDIALS = 3

const state = record({
  downList: nodeSet,
  refused: nodeSet, // those of them that the transport found gone: no doubt is possible
  requested: nodeSet, // a request about them is open
  watched: nodeSet, // a watch on them is open
  round: perNode(0, Number.MAX_SAFE_INTEGER), // of the latest request about each
  silent: perNode(0, SILENT_TICKS), // ticks since each was last heard
  redials: perNode(0, REDIALS), // since each was last heard
  linked: nodeSet, // a connection to them is open: if they end, the transport will show it
  unasked: nodeSet, // the question about them waits for the next tick
  ticking: flag,
})
const messages = union({
  'alive?': { round: id },
  alive: { round: id }, // the same number: an answer to an older question proves nothing
  recovered: {},
})
const timers = { tick: answer(1), grace: answer(2), listed: answer(1) }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Timer = keyof typeof timers
type Sink = DetectorOut<Message, Timer>

const RECOVERED: Message = { type: 'recovered' }

function timesOf(group: Group) {
  const { detectionMs, messageMs, processingMs } = group.timing
  const hopMs = messageMs + processingMs
  // What was sent before a crash may come a hop after it. An answer takes two hops, within two ticks.
  const tickMs = Math.max(hopMs, (detectionMs - hopMs) / (SILENT_TICKS + GRACE))
  return { tickMs, graceMs: GRACE * tickMs, answerMs: (SILENT_TICKS + GRACE) * tickMs + hopMs }
}

function handlers(group: Group) {
  const { processingMs } = group.timing
  const { tickMs, graceMs } = timesOf(group)

  function start(_s: State, recovered: boolean, out: Sink): void {
    if (!recovered) return
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, RECOVERED)
  }

  function request(s: State, peer: NodeId, out: Sink): void {
    s.requested.add(peer)
    s.round.set(peer, s.round.get(peer) + 1)
    attend(s, peer, out)
    if (!s.requested.has(peer) || s.downList.has(peer)) return
    // That a linked peer is up is no news that anybody waits for, and an election is no time to chat.
    if (s.linked.has(peer)) s.unasked.add(peer)
    else ask(s, peer, out)
  }

  function watch(s: State, peer: NodeId, out: Sink): void {
    s.watched.add(peer)
    attend(s, peer, out)
  }

  /** Listed as down: say so. Else count its silence from now on, unless it is being counted. */
  function attend(s: State, peer: NodeId, out: Sink): void {
    if (s.refused.has(peer)) condemn(s, peer, out)
    else if (s.downList.has(peer)) out.set('listed', peer, processingMs)
    else {
      if (!s.ticking) out.set('tick', NONE, tickMs)
      s.ticking = true
    }
  }

  /** The list answers, unless the peer has been heard by now. */
  function consult(s: State, peer: NodeId, out: Sink): void {
    if (!isOpen(s, peer)) return
    if (s.downList.has(peer)) return condemn(s, peer, out)
    attend(s, peer, out)
    if (s.requested.has(peer)) ask(s, peer, out)
  }

  function unwatch(s: State, peer: NodeId): void {
    s.watched.delete(peer)
    if (!isOpen(s, peer)) forget(s, peer)
  }

  function ask(s: State, peer: NodeId, out: Sink): void {
    s.unasked.delete(peer)
    out.send(peer, { type: 'alive?', round: s.round.get(peer) })
  }

  function isOpen(s: State, peer: NodeId): boolean {
    return s.watched.has(peer) || s.requested.has(peer)
  }

  /** Whatever came from this peer, it was alive when it sent it. */
  function heard(s: State, from: NodeId): void {
    s.downList.delete(from)
    s.refused.delete(from)
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

  function timeout(s: State, timer: Timer, peer: NodeId, out: Sink): void {
    if (timer === 'listed') consult(s, peer, out)
    else if (timer === 'tick') tick(s, out)
    else if (isOpen(s, peer) && s.silent.get(peer) === SILENT_TICKS) condemn(s, peer, out)
  }

  function tick(s: State, out: Sink): void {
    s.ticking = false
    for (const peer of group.everyone) {
      if (!isOpen(s, peer) || s.downList.has(peer)) continue
      s.ticking = true
      const silent = s.silent.get(peer) + 1
      if (silent > SILENT_TICKS) continue
      s.silent.set(peer, silent)
      s.redials.set(peer, 0)
      if (silent === SILENT_TICKS) out.set('grace', peer, graceMs)
      else if (s.unasked.has(peer)) ask(s, peer, out)
      else if (silent >= ASK_TICKS && s.watched.has(peer)) ask(s, peer, out)
    }
    if (s.ticking) out.set('tick', NONE, tickMs)
  }

  /** The peer is down: one word ends the request and the watch. */
  function condemn(s: State, peer: NodeId, out: Sink): void {
    s.downList.add(peer)
    s.unasked.delete(peer)
    forget(s, peer)
    const requested = s.requested.delete(peer)
    const watched = s.watched.delete(peer)
    if (requested || watched) out.down(peer)
  }

  function evidence(s: State, peer: NodeId, evidence: Evidence, out: Sink): void {
    if (evidence === 'connected' || evidence === 'restarted') s.linked.add(peer)
    else s.linked.delete(peer)
    switch (evidence) {
      case 'refused':
        s.refused.add(peer)
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
  answerMs: (group) => timesOf(group).answerMs,
  watchMs: (group) => timesOf(group).answerMs,
  handlers,
})
