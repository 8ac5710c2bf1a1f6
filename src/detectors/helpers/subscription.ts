/**
 * Handlers, state and messages of subscriptions to heartbeats, both ends: "tell node j to periodically send 'I'm
 * alive' to node i" (000 §2.2).
 *
 * A subscription expires after some beats unless the watcher renews it, which it does halfway. So a member stops
 * sending to a watcher that has crashed, or whose cancellation was lost.
 */
import { period } from '../../core/algorithm.ts'
import type { DetectorOut } from '../../core/detector.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { nodeSet, perNode, type RecordOf, type UnionOf } from '../../core/schema.ts'
import * as inquiry from './inquiry.ts'

/** How many beats a subscription lasts, and after how many it is renewed. */
const LEASE_BEATS = 10
const RENEW_BEATS = 5

export const state = {
  watchers: nodeSet, // the subscribers
  lease: perNode(0, LEASE_BEATS), // how many beats each of them still gets
  beats: perNode(0, RENEW_BEATS), // how many came from each watched peer since the last renewal
}
export const messages = {
  watch: {}, // send beats, the first at once
  renew: {},
  unwatch: {},
}
export const timers = { beat: period }

const wire = { ...messages, ...inquiry.messages }
type State = RecordOf<typeof state> & RecordOf<typeof inquiry.state>
type Message = UnionOf<typeof wire>
type Sink = DetectorOut<Message, keyof typeof timers | keyof typeof inquiry.timers>

/** "I am alive", as no answer to a question. */
const BEAT: Message = { type: 'alive', round: 0 }
const WATCH: Message = { type: 'watch' }
const RENEW: Message = { type: 'renew' }
const UNWATCH: Message = { type: 'unwatch' }

/** How a detector begins and stops to wait for beats, and what it does when one arrives or a peer has recovered. */
interface Waiting<S, O> extends Record<
  'begin' | 'stop' | 'beat',
  (s: S, peer: NodeId, out: O) => void
> {
  readonly recovered?: (s: S, peer: NodeId) => void
}

export function handlers<S extends State, O extends Sink>(group: Group, waiting: Waiting<S, O>) {
  const { periodMs } = group.timing
  const questions = inquiry.handlers<S, O>(group, { begun: waiting.begin, ended: waiting.stop })

  // The watcher's end.

  function subscribe(s: S, peer: NodeId, out: O): void {
    s.beats.set(peer, 0)
    out.send(peer, WATCH)
  }

  /** Asks for more beats; the peer answers at once if the subscription had expired. */
  function renew(s: S, peer: NodeId, out: O): void {
    s.beats.set(peer, 0)
    out.send(peer, RENEW)
  }

  function unwatch(s: S, peer: NodeId, out: O): void {
    if (!s.watched.delete(peer)) return
    waiting.stop(s, peer, out)
    out.send(peer, UNWATCH)
  }

  function count(s: S, peer: NodeId, out: O): void {
    const beats = s.beats.get(peer) + 1
    if (beats < RENEW_BEATS) s.beats.set(peer, beats)
    else renew(s, peer, out)
  }

  // The end that sends beats.

  function serve(s: S, from: NodeId, type: 'watch' | 'renew', out: O): void {
    s.lease.set(from, LEASE_BEATS)
    const isNew = s.watchers.add(from)
    if (isNew && s.watchers.size === 1) out.set('beat', NONE, periodMs)
    if (isNew || type === 'watch') out.send(from, BEAT)
  }

  function end(s: S, watcher: NodeId): void {
    s.watchers.delete(watcher)
    s.lease.set(watcher, 0)
  }

  function beat(s: S, out: O): void {
    for (const watcher of s.watchers) {
      out.send(watcher, BEAT)
      const left = s.lease.get(watcher) - 1
      s.lease.set(watcher, left)
      if (left === 0) s.watchers.delete(watcher)
    }
    if (s.watchers.size > 0) out.set('beat', NONE, periodMs)
  }

  function message(s: S, from: NodeId, m: Message, out: O): void {
    if (m.type === 'watch' || m.type === 'renew' || m.type === 'unwatch') {
      questions.heard(s, from)
      return m.type === 'unwatch' ? end(s, from) : serve(s, from, m.type, out)
    }
    questions.message(s, from, m, out)
    if (m.type === 'alive' && m.round === 0 && s.watched.has(from)) waiting.beat(s, from, out)
    if (m.type !== 'recovered') return
    end(s, from)
    waiting.recovered?.(s, from)
    if (s.watched.has(from)) waiting.begin(s, from, out) // the peer has forgotten the subscription
  }

  return { questions, own: { ...questions.own, unwatch, message }, subscribe, renew, count, beat }
}
