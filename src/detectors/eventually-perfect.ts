/**
 * The detector `eventually-perfect` (◇P): heartbeats, with a time-out for each watched peer that grows with every mistake.
 *
 * Source: T. D. Chandra and S. Toueg, "Unreliable failure detectors for reliable distributed systems", 1996, §5.3 and
 *   Fig. 10: a process that hears from one that it suspects "increases its time-out period".
 * Assumes: that messages take no longer than some bound, which need not be known. What `ping` assumes is enough for it to
 *   make no mistake at all.
 * Promises: as `heartbeat` does where the bounds hold. Where they do not, a watched peer that stays up is reported down a
 *   finite number of times; one that crashes is reported within τ + 2(Tm + Tp), a grace period, and a period for each mistake.
 * Departures: beats are sent while a watch is open. A single request is a question, as in `ping`, whose time-out does
 *   not grow: elections repeat their requests every period. A recovery is announced, and is no mistake.
 */
import { detector, type DetectorOut } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import type { NodeId } from '../core/node-id.ts'
import { perNode, record, union, type Infer } from '../core/schema.ts'
import * as inquiry from './helpers/inquiry.ts'
import * as overdue from './helpers/overdue-beats.ts'

const state = record({
  ...overdue.state,
  mistakes: perNode(0, overdue.MOST_MISSED), // how often each peer spoke while it was on the down list
})
const messages = union(overdue.messages)

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = DetectorOut<Message, keyof typeof overdue.timers>

function handlers(group: Group) {
  const { questions, ...beats } = overdue.handlers<State>(group, (s, peer) => s.mistakes.get(peer))

  /** "if p receives 'q-is-alive' while it suspects q": it increases its time-out for q. */
  function notice(s: State, from: NodeId): void {
    if (!s.downList.has(from)) return
    s.mistakes.set(from, Math.min(overdue.MOST_MISSED, s.mistakes.get(from) + 1))
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type !== 'recovered') notice(s, from)
    beats.message(s, from, m, out)
  }

  function heard(s: State, from: NodeId): void {
    notice(s, from)
    questions.heard(s, from)
  }

  return { ...beats, message, heard }
}

export const eventuallyPerfect = detector({
  name: 'eventually-perfect',
  title: 'heartbeats with a time-out that grows with every mistake (◇P)',
  state,
  messages,
  timers: overdue.timers,
  answerMs: (group) => inquiry.timing(group).answerMs,
  watchMs: (group) => overdue.watchMs(group, 0),
  handlers,
})
