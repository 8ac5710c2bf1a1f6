/**
 * Heartbeat: whoever is watched is told to say "I am alive" every period.
 *
 * Source: 000 §2.2, "for each node i, when it starts monitoring node j, to tell node j to periodically send
 *   'I'm alive' message to node i. This uses fewer messages and reduces the latency of the FD."
 * Assumes: as `ping` does. With `misses` k, any k−1 beats in a row may be lost.
 * Promises: as `ping` does, but a watched peer that crashes is reported within τ + 2(Tm + Tp) and a grace,
 *   mostly sooner: a beat that is overdue proves the crash, and no question is asked.
 * Departures: B15; a single request is a question, as in `ping`, because nobody may beat who is not
 *   watched; a subscription is a lease of ten beats, renewed after five; the grace of a stalled member.
 */
import { answer } from '../core/algorithm.ts'
import { detector, type DetectorOut } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import type { NodeId } from '../core/node-id.ts'
import { perNode, record, union, type Infer } from '../core/schema.ts'
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

const state = record({
  ...inquiryState,
  ...subscriptionState,
  missed: perNode(0, 1000), // beats of a watched peer that are overdue
})
const messages = union({ ...inquiryMessages, ...subscriptionMessages })
const timers = {
  ...inquiryTimers,
  ...subscriptionTimers,
  silence: answer(1), // a beat is due before this
  lull: answer(2), // the grace after it
}

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Timer = keyof typeof timers
type Sink = DetectorOut<Message, Timer>

function handlers(group: Group, misses: number) {
  const { periodMs } = group.timing
  const { hopMs, roundTripMs, graceMs } = inquiryTiming(group)
  const inquiry = inquiries<State, Sink>(group, { begun: listen, ended: relax })
  const subscription = subscriptions<State, Sink>(group)

  /** Asks for beats; the first comes by return. */
  function listen(s: State, peer: NodeId, out: Sink): void {
    relax(s, peer, out)
    subscription.subscribe(s, peer, out)
    out.set('silence', peer, roundTripMs)
  }

  function unwatch(s: State, peer: NodeId, out: Sink): void {
    if (!s.watched.delete(peer)) return
    relax(s, peer, out)
    subscription.cancel(peer, out)
  }

  /** I do not wait for this peer's beat any more. */
  function relax(s: State, peer: NodeId, out: Sink): void {
    s.missed.set(peer, 0)
    out.clear('silence', peer)
    out.clear('lull', peer)
  }

  function beaten(s: State, peer: NodeId, out: Sink): void {
    if (!s.watched.has(peer)) return
    relax(s, peer, out)
    subscription.count(s, peer, out)
    out.set('silence', peer, periodMs + hopMs)
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
    if (s.watched.has(from)) listen(s, from, out) // it has forgotten that I watch
  }

  function timeout(s: State, timer: Timer, peer: NodeId, out: Sink): void {
    if (timer === 'beat') subscription.beat(s, out)
    else if (timer === 'silence') overdue(s, peer, out)
    else if (timer === 'lull') inquiry.condemn(s, peer, out)
    else inquiry.timeout(s, timer, peer, out)
  }

  function overdue(s: State, peer: NodeId, out: Sink): void {
    const missed = s.missed.get(peer) + 1
    s.missed.set(peer, missed)
    if (missed >= misses) return out.set('lull', peer, graceMs)
    subscription.renew(s, peer, out)
    out.set('silence', peer, periodMs)
  }

  const { start, request, watch, heard, knownDown } = inquiry
  const evidence = (s: State, peer: NodeId, _: unknown, out: Sink) => inquiry.evidence(s, peer, out)
  return { start, request, watch, unwatch, message, timeout, heard, evidence, knownDown }
}

/** A heartbeat that believes in a crash only when so many beats in a row are missing. */
export function heartbeatDetector({ misses }: { readonly misses: number }) {
  return detector({
    name: misses === 1 ? 'heartbeat' : `heartbeat-${misses}`,
    title: 'whoever is watched says "I am alive" every period',
    state,
    messages,
    timers,
    answerMs: (group) => inquiryTiming(group).answerMs,
    watchMs(group) {
      const { hopMs, graceMs } = inquiryTiming(group)
      // The last beat left just before the crash, and took its time.
      return misses * group.timing.periodMs + 2 * hopMs + graceMs
    },
    handlers: (group) => handlers(group, misses),
  })
}

export const heartbeat = heartbeatDetector({ misses: 1 })
