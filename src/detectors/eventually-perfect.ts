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
import { answer } from '../core/algorithm.ts'
import { detector, type DetectorOut } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import type { NodeId } from '../core/node-id.ts'
import { perNode, record, union, type Infer } from '../core/schema.ts'
import * as inquiry from './helpers/inquiry.ts'
import * as subscription from './helpers/subscription.ts'

/** A time-out of so many periods is long enough for any network. */
const MOST_MISTAKES = 1000

const state = record({
  ...inquiry.state,
  ...subscription.state,
  missed: perNode(0, MOST_MISTAKES + 1), // beats of a watched peer that are overdue
  mistakes: perNode(0, MOST_MISTAKES), // how often each peer spoke while it was on the down list
})
const messages = union({ ...inquiry.messages, ...subscription.messages })
const timers = {
  ...inquiry.timers,
  ...subscription.timers,
  silence: answer(1), // a beat is due before this
  lull: answer(2), // the grace after it
}

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Timer = keyof typeof timers
type Sink = DetectorOut<Message, Timer>

function handlers(group: Group) {
  const { periodMs } = group.timing
  const { hopMs, roundTripMs, graceMs } = inquiry.timing(group)
  const beats = subscription.handlers<State, Sink>(group, {
    begin: subscribe,
    stop: stopWaiting,
    beat: onBeat,
  })
  const { questions } = beats

  /** Asks for beats; the peer sends the first at once. */
  function subscribe(s: State, peer: NodeId, out: Sink): void {
    stopWaiting(s, peer, out)
    beats.subscribe(s, peer, out)
    out.set('silence', peer, roundTripMs)
  }

  function stopWaiting(s: State, peer: NodeId, out: Sink): void {
    s.missed.set(peer, 0)
    out.clear('silence', peer)
    out.clear('lull', peer)
  }

  function onBeat(s: State, peer: NodeId, out: Sink): void {
    stopWaiting(s, peer, out)
    beats.count(s, peer, out)
    out.set('silence', peer, periodMs + hopMs)
  }

  /** One more beat may be overdue for each mistake; the peer may have lost the subscription. */
  function onSilence(s: State, peer: NodeId, out: Sink): void {
    const missed = s.missed.get(peer) + 1
    s.missed.set(peer, missed)
    if (missed > s.mistakes.get(peer)) return out.set('lull', peer, graceMs)
    beats.renew(s, peer, out)
    out.set('silence', peer, periodMs)
  }

  /** "if p receives 'q-is-alive' while it suspects q": it increases its time-out for q. */
  function notice(s: State, from: NodeId): void {
    if (!s.downList.has(from)) return
    s.mistakes.set(from, Math.min(MOST_MISTAKES, s.mistakes.get(from) + 1))
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type !== 'recovered') notice(s, from)
    beats.own.message(s, from, m, out)
  }

  function heard(s: State, from: NodeId): void {
    notice(s, from)
    questions.heard(s, from)
  }

  function timeout(s: State, timer: Timer, peer: NodeId, out: Sink): void {
    if (timer === 'beat') beats.beat(s, out)
    else if (timer === 'silence') onSilence(s, peer, out)
    else if (timer === 'lull') questions.reportDown(s, peer, out)
    else questions.timeout(s, timer, peer, out)
  }

  return { ...beats.own, message, heard, timeout }
}

export const eventuallyPerfect = detector({
  name: 'eventually-perfect',
  title: 'heartbeats with a time-out that grows with every mistake (◇P)',
  state,
  messages,
  timers,
  answerMs: (group) => inquiry.timing(group).answerMs,
  watchMs(group) {
    const { hopMs, graceMs } = inquiry.timing(group)
    return group.timing.periodMs + 2 * hopMs + graceMs
  },
  handlers,
})
