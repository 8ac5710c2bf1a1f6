/**
 * "Tell node j to periodically send 'I'm alive' to node i" (000 §2.2): both ends of it.
 *
 * A subscription is a lease of some beats that the watcher renews halfway, so that nobody goes on sending
 * to one that has crashed, or whose word that it has stopped watching was lost.
 */
import { period } from '../../core/algorithm.ts'
import type { DetectorOut } from '../../core/detector.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { nodeSet, perNode, type RecordOf, type UnionOf } from '../../core/schema.ts'
import { inquiryMessages } from './inquiry.ts'

/** How many beats a subscription lasts, and after how many it is renewed. */
const LEASE_BEATS = 10
const RENEW_BEATS = 5

export const subscriptionState = {
  watchers: nodeSet, // who asked me to beat
  lease: perNode(0, LEASE_BEATS), // how many beats each of them still gets
  beats: perNode(0, RENEW_BEATS), // how many came from each since I last asked for more
}
export const subscriptionMessages = {
  watch: {}, // beat for me, and say at once that you are alive
  renew: {}, // go on
  unwatch: {},
}
export const subscriptionTimers = { beat: period }

const wire = { ...subscriptionMessages, alive: inquiryMessages.alive }
type Subscription = RecordOf<typeof subscriptionState>
type SubscriptionMessage = UnionOf<typeof wire>
type SubscriptionSink = DetectorOut<SubscriptionMessage, 'beat'>

/** "I am alive", of my own accord: answers no question. */
const BEAT: SubscriptionMessage = { type: 'alive', round: 0 }
const WATCH: SubscriptionMessage = { type: 'watch' }
const RENEW: SubscriptionMessage = { type: 'renew' }
const UNWATCH: SubscriptionMessage = { type: 'unwatch' }

export function subscriptions<S extends Subscription, O extends SubscriptionSink>(group: Group) {
  const { periodMs } = group.timing

  // The watcher's end.

  function subscribe(s: S, peer: NodeId, out: O): void {
    s.beats.set(peer, 0)
    out.send(peer, WATCH)
  }

  /** Asks for more, and for a sign of life if the peer no longer knew of me. */
  function renew(s: S, peer: NodeId, out: O): void {
    s.beats.set(peer, 0)
    out.send(peer, RENEW)
  }

  function cancel(peer: NodeId, out: O): void {
    out.send(peer, UNWATCH)
  }

  function count(s: S, peer: NodeId, out: O): void {
    const beats = s.beats.get(peer) + 1
    if (beats < RENEW_BEATS) s.beats.set(peer, beats)
    else renew(s, peer, out)
  }

  // The end that beats.

  function message(s: S, from: NodeId, type: 'watch' | 'renew' | 'unwatch', out: O): void {
    if (type === 'unwatch') return drop(s, from)
    s.lease.set(from, LEASE_BEATS)
    const fresh = s.watchers.add(from)
    if (fresh && s.watchers.size === 1) out.set('beat', NONE, periodMs)
    if (fresh || type === 'watch') out.send(from, BEAT)
  }

  function drop(s: S, watcher: NodeId): void {
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

  return { subscribe, renew, cancel, count, message, drop, beat }
}
