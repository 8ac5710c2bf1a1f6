/**
 * Handlers, state and timers of detectors that conclude a crash from overdue beats: a watched peer is reported down
 * when more beats in a row are overdue than the detector tolerates.
 */
import { answer } from '../../core/algorithm.ts'
import type { DetectorOut } from '../../core/detector.ts'
import type { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { perNode, type RecordOf, type UnionOf } from '../../core/schema.ts'
import * as inquiry from './inquiry.ts'
import * as subscription from './subscription.ts'

export const MOST_MISSED = 1000

export const state = {
  ...inquiry.state,
  ...subscription.state,
  missed: perNode(0, MOST_MISSED + 1), // beats of a watched peer that are overdue
}
export const messages = { ...inquiry.messages, ...subscription.messages }
export const timers = {
  ...inquiry.timers,
  ...subscription.timers,
  silence: answer(1), // a beat is due before this
  lull: answer(2), // the grace after it
}

type State = RecordOf<typeof state>
type Sink = DetectorOut<UnionOf<typeof messages>, keyof typeof timers>

/** `tolerated` says how many beats of a peer in a row may be overdue. */
export function handlers<S extends State>(group: Group, tolerated: (s: S, peer: NodeId) => number) {
  const { periodMs } = group.timing
  const { hopMs, roundTripMs, graceMs } = inquiry.timing(group)
  const beats = subscription.handlers<S, Sink>(group, {
    begin: subscribe,
    stop: stopWaiting,
    beat: onBeat,
  })
  const { questions } = beats

  /** Asks for beats; the peer sends the first at once. */
  function subscribe(s: S, peer: NodeId, out: Sink): void {
    stopWaiting(s, peer, out)
    beats.subscribe(s, peer, out)
    out.set('silence', peer, roundTripMs)
  }

  function stopWaiting(s: S, peer: NodeId, out: Sink): void {
    s.missed.set(peer, 0)
    out.clear('silence', peer)
    out.clear('lull', peer)
  }

  function onBeat(s: S, peer: NodeId, out: Sink): void {
    stopWaiting(s, peer, out)
    beats.count(s, peer, out)
    out.set('silence', peer, periodMs + hopMs)
  }

  function timeout(s: S, timer: keyof typeof timers, peer: NodeId, out: Sink): void {
    if (timer === 'beat') beats.beat(s, out)
    else if (timer === 'silence') onSilence(s, peer, out)
    else if (timer === 'lull') questions.reportDown(s, peer, out)
    else questions.timeout(s, timer, peer, out)
  }

  /** One more beat is overdue; the peer may have lost the subscription. */
  function onSilence(s: S, peer: NodeId, out: Sink): void {
    const missed = s.missed.get(peer) + 1
    s.missed.set(peer, missed)
    if (missed > tolerated(s, peer)) return out.set('lull', peer, graceMs)
    beats.renew(s, peer, out)
    out.set('silence', peer, periodMs)
  }

  return { ...beats.own, questions, timeout }
}

/** A watched peer that crashes is reported within this, if `tolerated` beats may be overdue. */
export function watchMs(group: Group, tolerated: number): number {
  const { hopMs, graceMs } = inquiry.timing(group)
  // The last beat left just before the crash, and took as long as it may.
  return (tolerated + 1) * group.timing.periodMs + 2 * hopMs + graceMs
}
