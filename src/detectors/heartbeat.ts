/**
 * The detector `heartbeat`: a watched peer sends "I am alive" every period.
 *
 * Source: 000 §2.2, "for each node i, when it starts monitoring node j, to tell node j to periodically send
 *   'I'm alive' message to node i. This uses fewer messages and reduces the latency of the FD."
 * Assumes: as `ping` does. With `misses` k, any k−1 beats in a row may be lost.
 * Promises: as `ping` does, but a watched peer that crashes is reported within τ + 2(Tm + Tp) and a grace period,
 *   mostly sooner: an overdue beat proves the crash, and no question is asked.
 * Departures: B15; a single request is a question, as in `ping`, because only watched peers send beats; a
 *   subscription lasts ten beats and is renewed after five; the grace of a stalled member.
 */
import { answer } from '../core/algorithm.ts'
import { detector, type DetectorOut } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import type { NodeId } from '../core/node-id.ts'
import { perNode, record, union, type Infer } from '../core/schema.ts'
import * as inquiry from './helpers/inquiry.ts'
import * as subscription from './helpers/subscription.ts'

const state = record({
  ...inquiry.state,
  ...subscription.state,
  missed: perNode(0, 1000), // beats of a watched peer that are overdue
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

function handlers(group: Group, misses: number) {
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

  function timeout(s: State, timer: Timer, peer: NodeId, out: Sink): void {
    if (timer === 'beat') beats.beat(s, out)
    else if (timer === 'silence') onSilence(s, peer, out)
    else if (timer === 'lull') questions.reportDown(s, peer, out)
    else questions.timeout(s, timer, peer, out)
  }

  function onSilence(s: State, peer: NodeId, out: Sink): void {
    const missed = s.missed.get(peer) + 1
    s.missed.set(peer, missed)
    if (missed >= misses) return out.set('lull', peer, graceMs)
    beats.renew(s, peer, out)
    out.set('silence', peer, periodMs)
  }

  return { ...beats.own, timeout }
}

/** A heartbeat that reports `down` only after `misses` beats in a row are missing. */
export function heartbeatDetector({ misses }: { readonly misses: number }) {
  return detector({
    name: misses === 1 ? 'heartbeat' : `heartbeat-${misses}`,
    title: 'a watched peer sends "I am alive" every period',
    state,
    messages,
    timers,
    answerMs: (group) => inquiry.timing(group).answerMs,
    watchMs(group) {
      const { hopMs, graceMs } = inquiry.timing(group)
      // The last beat left just before the crash, and took as long as it may.
      return misses * group.timing.periodMs + 2 * hopMs + graceMs
    },
    handlers: (group) => handlers(group, misses),
  })
}

export const heartbeat = heartbeatDetector({ misses: 1 })
