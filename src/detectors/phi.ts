/**
 * Phi: an accrual detector. The longer a beat is overdue, measured by how beats used to come, the
 * stronger the suspicion; at a threshold it becomes a verdict.
 *
 * Source: none of the documents. Hayashibara, Défago, Yared, Katayama, "The φ accrual failure detector",
 *   2004: φ = −log₁₀ P(a beat comes later than this), from the mean and deviation of past intervals.
 * Assumes: as `heartbeat` does, for its promises. Beyond them it adapts: where beats are late or lost now and
 *   then, it waits longer.
 * Promises: as `heartbeat` does, but a watched peer that crashes is reported within 7τ + Tm + Tp, mostly
 *   within 2.5τ: φ never condemns before a beat is overdue by the synchronous bound, and after 7τ of
 *   silence no estimate counts any more.
 * Departures: B15; a single request is a question, as in `ping`. Intervals are counted in ticks of a tenth
 *   of the period and not by a clock: a stalled member counts one tick, however long it was stalled,
 *   and reads its messages before the next. The mean and the variance are moving averages in
 *   fixed-point numbers, and the normal distribution is the logistic approximation that is usual here.
 */
import { period } from '../core/algorithm.ts'
import { detector, type DetectorOut } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import { exp, ln, sqrt } from '../core/deterministic-math.ts'
import type { NodeId } from '../core/node-id.ts'
import { nodeSet, perNode, record, union, type Infer } from '../core/schema.ts'
import {
  inquiries,
  inquiryMessages,
  inquiryState,
  inquiryTimers,
  inquiryTiming,
} from './helpers/inquiry.ts'
import {
  subscriptionMessages,
  subscriptions,
  subscriptionState,
  subscriptionTimers,
} from './helpers/subscription.ts'

/** φ = 8: a live peer would be this late once in 10⁸ beats, were intervals normally distributed. */
const THRESHOLD = 8
/** The averages forget at the rate of a window of so many intervals. */
const WINDOW = 64
const TICKS_PER_PERIOD = 10
/** After so many periods of silence the estimate does not matter. */
const MAX_PERIODS = 7
/** Averages are kept in parts of a tick. */
const UNIT = 1024
/** The least deviation: however regular the beats, one that is lost is no crash. */
const MIN_DEVIATION = TICKS_PER_PERIOD / 4

/** Before anything is known. */
const FIRST_VARIANCE = UNIT * MIN_DEVIATION * MIN_DEVIATION

const LN10 = ln(10)
const MAX = Number.MAX_SAFE_INTEGER

const state = record({
  ...inquiryState,
  ...subscriptionState,
  begun: nodeSet, // watched peers from which a beat has come
  silence: perNode(0, MAX), // ticks since the last beat of each
  mean: perNode(0, MAX), // of the intervals of each, 1/1024 tick; 0: nothing is known
  variance: perNode(0, MAX), // 1/1024 tick²
})
const messages = union({ ...inquiryMessages, ...subscriptionMessages })
const timers = { ...inquiryTimers, ...subscriptionTimers, tick: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Timer = keyof typeof timers
type Sink = DetectorOut<Message, Timer>

/** −log₁₀ of the probability that a normal variable exceeds x. */
export function phiOf(x: number, mean: number, deviation: number): number {
  const y = (x - mean) / deviation
  const exponent = y * (1.5976 + 0.070566 * y * y)
  // The probability is 1 / (1 + e^exponent); beyond the range of doubles the 1 does not matter.
  return exponent > 700 ? exponent / LN10 : ln(1 + exp(exponent)) / LN10
}

/** Ticks of silence that no beat of a live peer makes, and one more for a stalled member to read its messages. */
function boundTicks(group: Group): number {
  const { periodMs } = group.timing
  const tickMs = periodMs / TICKS_PER_PERIOD
  return Math.ceil((periodMs + inquiryTiming(group).hopMs) / tickMs) + 1
}

function handlers(group: Group) {
  const tickMs = group.timing.periodMs / TICKS_PER_PERIOD
  const bound = boundTicks(group)
  const inquiry = inquiries<State, Sink>(group, { begun: listen, ended: stop })
  const subscription = subscriptions<State, Sink>(group)

  function listen(s: State, peer: NodeId, out: Sink): void {
    s.begun.delete(peer)
    s.silence.set(peer, 0)
    subscription.subscribe(s, peer, out)
    out.set('tick', peer, tickMs)
  }

  function unwatch(s: State, peer: NodeId, out: Sink): void {
    if (!s.watched.delete(peer)) return
    stop(s, peer, out)
    subscription.cancel(peer, out)
  }

  function stop(s: State, peer: NodeId, out: Sink): void {
    s.begun.delete(peer)
    out.clear('tick', peer)
  }

  function beaten(s: State, peer: NodeId, out: Sink): void {
    if (!s.watched.has(peer)) return
    // The first beat ends no interval, nor do those that waited together while I was stalled.
    if (!s.begun.add(peer) && s.silence.get(peer) > 0) learn(s, peer)
    s.silence.set(peer, 0)
    subscription.count(s, peer, out)
    out.set('tick', peer, tickMs)
  }

  /** Takes the interval that has just ended into the averages. */
  function learn(s: State, peer: NodeId): void {
    const interval = UNIT * s.silence.get(peer) + UNIT / 2 // the tick that was under way counts half
    const mean = s.mean.get(peer) || UNIT * TICKS_PER_PERIOD
    const off = interval - mean
    const variance = s.mean.get(peer) === 0 ? FIRST_VARIANCE : s.variance.get(peer)
    s.mean.set(peer, Math.round(mean + off / WINDOW))
    s.variance.set(peer, Math.round(variance + ((off * off) / UNIT - variance) / WINDOW))
  }

  function tick(s: State, peer: NodeId, out: Sink): void {
    const silence = s.silence.get(peer) + 1
    s.silence.set(peer, silence)
    if (isOverdue(s, peer, silence)) {
      learn(s, peer) // if it is a mistake, it must not be made for ever
      return inquiry.condemn(s, peer, out)
    }
    // A beat is missing: perhaps it does not know, or no longer, that I watch.
    if (silence % TICKS_PER_PERIOD === bound % TICKS_PER_PERIOD && silence >= bound) {
      subscription.renew(s, peer, out)
    }
    out.set('tick', peer, tickMs)
  }

  function isOverdue(s: State, peer: NodeId, silence: number): boolean {
    if (silence < bound) return false
    if (silence >= MAX_PERIODS * TICKS_PER_PERIOD) return true
    const known = s.mean.get(peer) !== 0
    const mean = known ? s.mean.get(peer) / UNIT : TICKS_PER_PERIOD
    const variance = known ? s.variance.get(peer) : FIRST_VARIANCE
    return phiOf(silence, mean, Math.max(MIN_DEVIATION, sqrt(variance / UNIT))) >= THRESHOLD
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'watch' || m.type === 'renew' || m.type === 'unwatch') {
      inquiry.heard(s, from)
      return subscription.message(s, from, m.type, out)
    }
    inquiry.message(s, from, m, out)
    if (m.type === 'alive' && m.round === 0) beaten(s, from, out)
    if (m.type !== 'recovered') return
    subscription.drop(s, from)
    s.mean.set(from, 0)
    if (s.watched.has(from)) listen(s, from, out) // it has forgotten that I watch
  }

  function timeout(s: State, timer: Timer, peer: NodeId, out: Sink): void {
    if (timer === 'beat') subscription.beat(s, out)
    else if (timer === 'tick') tick(s, peer, out)
    else inquiry.timeout(s, timer, peer, out)
  }

  const { start, request, watch, heard, knownDown } = inquiry
  const evidence = (s: State, peer: NodeId, _: unknown, out: Sink) => inquiry.evidence(s, peer, out)
  return { start, request, watch, unwatch, message, timeout, heard, evidence, knownDown }
}

export const phi = detector({
  name: 'phi',
  title: 'accrual: suspects by how beats used to come',
  state,
  messages,
  timers,
  answerMs: (group) => inquiryTiming(group).answerMs,
  watchMs: (group) => MAX_PERIODS * group.timing.periodMs + inquiryTiming(group).hopMs,
  handlers,
})
