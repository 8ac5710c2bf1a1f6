/**
 * The detector `query-response`: a peer is suspected by the order of responses, not by a time-out.
 *
 * Source: A. Mostefaoui, E. Mourgaya and M. Raynal, "Asynchronous implementation of failure detectors", 2003, which 000
 *   cites: a query to all, the first n−f responses win, and each response names the winners of its sender's last query.
 *   A peer that neither won nor was named by a winner is suspected.
 * Assumes: as `ping` does. If at most f members are down, f the largest minority, no suspicion waits for a time.
 * Promises: as `ping` does, but a watched peer that crashes is reported within 4τ + (Tm + Tp) + To. Messages are sent while a
 *   watch is open, to all members: 2(n−1) a period for each member that watches.
 * Departures: a suspicion is a reason to ask, and only an unanswered question is reported: elections take `down` for true, and
 *   a slow peer may lose every query. With more than f members down a query ends when the next one begins. A member
 *   that does not query names nobody.
 */
import { period } from '../core/algorithm.ts'
import { detector, type DetectorOut } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import type { ReadonlyNodeSet } from '../core/node-set.ts'
import { majority } from '../core/quorum.ts'
import { flag, id, nodeSet, record, union, type Infer } from '../core/schema.ts'
import * as inquiry from './helpers/inquiry.ts'

const state = record({
  ...inquiry.state,
  querying: flag, // a watch is open, or was when the last query began
  query: id, // the number of the last query
  responded: nodeSet, // to it
  named: nodeSet, // as winners, by those
  decided: flag, // n−f have responded
  winners: nodeSet, // rec_from: the winners of the last query that was decided or has ended
})
const messages = union({
  ...inquiry.messages,
  query: { query: id },
  response: { query: id, winners: nodeSet },
})
const timers = { ...inquiry.timers, query: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Timer = keyof typeof timers
type Sink = DetectorOut<Message, Timer>

function handlers(group: Group) {
  const { periodMs } = group.timing
  /** n − f, this member included. */
  const quorum = majority(group.members)
  const questions = inquiry.handlers<State, Sink>(group, {
    begun: (s, _peer, out) => (s.querying ? undefined : query(s, out)),
    ended: () => undefined,
  })

  function query(s: State, out: Sink): void {
    s.querying = true
    s.query += 1
    s.responded.clear()
    s.named.clear()
    s.decided = false
    for (const peer of group.everyone) {
      if (peer !== out.me) out.send(peer, { type: 'query', query: s.query })
    }
    out.set('query', NONE, periodMs)
  }

  function onResponse(s: State, from: NodeId, winners: ReadonlyNodeSet, out: Sink): void {
    s.responded.add(from)
    for (const peer of winners) s.named.add(peer)
    if (s.responded.size + 1 < quorum) return
    s.decided = true
    decide(s, out)
  }

  /** "Those that neither won nor were named" are suspected. */
  function decide(s: State, out: Sink): void {
    s.winners.clear()
    for (const peer of s.responded) s.winners.add(peer)
    for (const peer of s.watched) {
      const isTrusted = s.responded.has(peer) || s.named.has(peer)
      if (!isTrusted && !s.asked.has(peer) && !s.downList.has(peer)) questions.ask(s, peer, out)
    }
  }

  function endQuery(s: State, out: Sink): void {
    if (!s.decided) decide(s, out)
    if (s.watched.size > 0) return query(s, out)
    s.querying = false
    s.winners.clear()
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'query') {
      questions.heard(s, from)
      return out.send(from, { type: 'response', query: m.query, winners: s.winners.copy() })
    }
    if (m.type !== 'response') return void questions.message(s, from, m, out)
    questions.heard(s, from)
    if (s.querying && !s.decided && m.query === s.query) onResponse(s, from, m.winners, out)
  }

  function timeout(s: State, timer: Timer, peer: NodeId, out: Sink): void {
    if (timer === 'query') endQuery(s, out)
    else questions.timeout(s, timer, peer, out)
  }

  function unwatch(s: State, peer: NodeId): void {
    s.watched.delete(peer)
  }

  return { ...questions.own, unwatch, message, timeout }
}

export const queryResponse = detector({
  name: 'query-response',
  title: 'suspects the peers whose responses never come among the first (no time-out)',
  state,
  messages,
  timers,
  answerMs: (group) => inquiry.timing(group).answerMs,
  watchMs(group) {
    const { hopMs, answerMs } = inquiry.timing(group)
    return 4 * group.timing.periodMs + hopMs + answerMs
  },
  handlers,
})
