/**
 * The detector `phi`, an accrual detector: the suspicion φ grows while a beat is overdue, measured against the
 * intervals between past beats; at a threshold it becomes a verdict.
 *
 * Source: none of the documents. Hayashibara, Défago, Yared, Katayama, "The φ accrual failure detector",
 *   2004: φ = −log₁₀ P(a beat comes later than this), from the mean and deviation of past intervals.
 * Assumes: as `heartbeat` does, for its promises. Beyond them it adapts: where some beats are late or lost, it
 *   waits longer.
 * Promises: as `heartbeat` does, but a watched peer that crashes is reported within 7τ + Tm + Tp, mostly
 *   within 2.5τ: no peer is reported before a beat is overdue by the synchronous bound, and after 7τ
 *   of silence the estimate does not matter.
 * Departures: B15; a single request is a question, as in `ping`. Intervals are counted in ticks of a tenth
 *   of the period and not by a clock: a stalled member counts one tick, however long it was stalled,
 *   and handles its messages before the next. The mean and the variance are moving averages in
 *   fixed-point numbers, and the normal distribution is the usual logistic approximation.
 */
import { period } from '../core/algorithm.ts'
import { detector, type DetectorOut } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import { exp, ln, sqrt } from '../core/math/deterministic-math.ts'
import type { NodeId } from '../core/node-id.ts'
import { nodeSet, perNode, record, union, type Infer } from '../core/schema.ts'
import * as inquiry from './helpers/inquiry.ts'
import * as subscription from './helpers/subscription.ts'

/** φ = 8: a peer that is up would be this late once in 10⁸ beats, were intervals normally distributed. */
const THRESHOLD = 8
/** The moving averages weigh a new interval as one of this many. */
const WINDOW = 64
const TICKS_PER_PERIOD = 10
/** After this many periods of silence the estimate does not matter. */
const MAX_PERIODS = 7
/** Averages are fixed-point numbers with this many parts of a tick. */
const UNIT = 1024
/** The least deviation: even with perfectly regular beats, a lost one is not a crash. */
const MIN_DEVIATION = TICKS_PER_PERIOD / 4

const FIRST_VARIANCE = UNIT * MIN_DEVIATION * MIN_DEVIATION

const LN10 = ln(10)
const MAX = Number.MAX_SAFE_INTEGER

const state = record({
  ...inquiry.state,
  ...subscription.state,
  begun: nodeSet, // watched peers from which a beat has come
  silence: perNode(0, MAX), // ticks since the last beat of each
  mean: perNode(0, MAX), // of the intervals of each, 1/1024 tick; 0: unknown
  variance: perNode(0, MAX), // 1/1024 tick²
})
const messages = union({ ...inquiry.messages, ...subscription.messages })
const timers = { ...inquiry.timers, ...subscription.timers, tick: period }

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

/** More ticks of silence than there can be between beats of a peer that is up, and one in which a stalled member handles its messages. */
function boundTicks(group: Group): number {
  const { periodMs } = group.timing
  const tickMs = periodMs / TICKS_PER_PERIOD
  return Math.ceil((periodMs + inquiry.timing(group).hopMs) / tickMs) + 1
}

function handlers(group: Group) {
  const tickMs = group.timing.periodMs / TICKS_PER_PERIOD
  const bound = boundTicks(group)
  const beats = subscription.handlers<State, Sink>(group, {
    begin: subscribe,
    stop,
    beat: onBeat,
    recovered: (s, peer) => s.mean.set(peer, 0),
  })
  const { questions } = beats

  function subscribe(s: State, peer: NodeId, out: Sink): void {
    s.begun.delete(peer)
    s.silence.set(peer, 0)
    beats.subscribe(s, peer, out)
    out.set('tick', peer, tickMs)
  }

  function stop(s: State, peer: NodeId, out: Sink): void {
    s.begun.delete(peer)
    out.clear('tick', peer)
  }

  function onBeat(s: State, peer: NodeId, out: Sink): void {
    // The first beat ends no interval, nor do beats that arrived together while the member was stalled.
    if (!s.begun.add(peer) && s.silence.get(peer) > 0) learn(s, peer)
    s.silence.set(peer, 0)
    beats.count(s, peer, out)
    out.set('tick', peer, tickMs)
  }

  /** Updates the averages with the interval that has just ended. */
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
      learn(s, peer) // so that a mistake is not repeated for ever
      return questions.reportDown(s, peer, out)
    }
    // A beat is missing: the peer may not know of the subscription.
    if (silence % TICKS_PER_PERIOD === bound % TICKS_PER_PERIOD && silence >= bound) {
      beats.renew(s, peer, out)
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

  function timeout(s: State, timer: Timer, peer: NodeId, out: Sink): void {
    if (timer === 'beat') beats.beat(s, out)
    else if (timer === 'tick') tick(s, peer, out)
    else questions.timeout(s, timer, peer, out)
  }

  return { ...beats.own, timeout }
}

export const phi = detector({
  name: 'phi',
  title: 'accrual: a suspicion that grows while a beat is overdue',
  state,
  messages,
  timers,
  answerMs: (group) => inquiry.timing(group).answerMs,
  watchMs: (group) => MAX_PERIODS * group.timing.periodMs + inquiry.timing(group).hopMs,
  handlers,
})
