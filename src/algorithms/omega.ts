/**
 * The oracle Ω over any failure detector: a member trusts the strongest of those that it does not suspect.
 *
 * Source: T. D. Chandra, V. Hadzilacos and S. Toueg, "The weakest failure detector for solving consensus", 1996: "there is a
 *   time after which all the correct processes always trust the same correct process". M. K. Aguilera, C. Delporte-Gallet,
 *   H. Fauconnier and S. Toueg, "Stable leader election", 2001, ask more of it: `stable-leader`.
 * Assumes: a durable term; a detector that is right in the end (◇P), and finitely many messages lost.
 * Promises: in the end all up members trust the strongest of them, however often the detector has erred. A member's term never
 *   falls. Trust needs no message: those of a leader are its term, to a−1 juniors, every period.
 * Departures: the oracle of the paper is one output. Here it is `leader`, with a term that a fence can compare: a leader's
 *   exceeds all that it knows, and a member that knows a larger one says so. A member that starts trusts nobody
 *   until its detector has told it enough to know whom.
 */
import { algorithm, period, type Out } from '../core/algorithm.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { counter, node, nodeSet, oneOf, record, stable, union, type Infer } from '../core/schema.ts'

const state = record({
  status: oneOf('Elec', 'Norm'), // Elec: it trusts nobody yet
  leader: node,
  term: stable(counter()),
  unknown: nodeSet, // superiors of which the detector has not spoken since the start
  suspects: nodeSet, // superiors that it last reported down
})
const messages = union({
  leads: { term: counter() },
  higher: { term: counter() }, // the sender's term, above that of the leader
})
const timers = { tick: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message, keyof typeof timers>

function handlers(group: Group) {
  const { periodMs } = group.timing

  function start(s: State, out: Sink): void {
    s.status = 'Elec'
    s.leader = NONE
    s.suspects.clear()
    s.unknown.clear()
    for (const peer of group.superiors(out.me)) {
      s.unknown.add(peer)
      out.request(peer)
    }
    out.set('tick', periodMs)
    choose(s, out)
  }

  /** The strongest that is not suspected, once the detector has spoken of it. */
  function choose(s: State, out: Sink): void {
    let best = out.me
    for (const peer of group.superiors(out.me)) {
      if (!s.suspects.has(peer) && group.outranks(peer, best)) best = peer
    }
    if (s.unknown.has(best) || best === s.leader) return
    if (s.leader !== NONE && s.leader !== out.me) out.unwatch(s.leader)
    s.leader = best
    s.status = 'Norm'
    if (best !== out.me) return out.watch(best)
    s.term += 1
    announce(s, out)
  }

  function announce(s: State, out: Sink): void {
    for (const peer of group.juniors(out.me)) out.send(peer, { type: 'leads', term: s.term })
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'leads') {
      if (m.term < s.term) out.send(from, { type: 'higher', term: s.term })
      else s.term = m.term
    } else if (m.term > s.term) {
      // Its next period announces it: two leaders that answered at once would race for ever.
      s.term = s.leader === out.me ? m.term + 1 : m.term
    }
  }

  /** A suspect may have been suspected by mistake, or have recovered. */
  function timeout(s: State, _timer: 'tick', out: Sink): void {
    for (const peer of s.suspects) out.request(peer)
    if (s.leader === out.me) announce(s, out)
    out.set('tick', periodMs)
  }

  function up(s: State, peer: NodeId, out: Sink): void {
    s.unknown.delete(peer)
    s.suspects.delete(peer)
    choose(s, out)
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    s.unknown.delete(peer)
    if (group.outranks(peer, out.me)) s.suspects.add(peer)
    choose(s, out)
  }

  function settled(s: State, leader: NodeId, out: Sink): void {
    s.status = 'Norm'
    s.leader = leader
    s.term = 1
    for (const peer of group.superiors(out.me)) {
      if (group.outranks(peer, leader)) s.suspects.add(peer)
    }
    if (leader !== out.me) out.watch(leader)
    out.set('tick', periodMs)
  }

  return { start, message, timeout, up, down, settled }
}

export const omega = algorithm({
  name: 'omega',
  title: 'Ω: trust in the strongest member that the failure detector does not suspect',
  state,
  messages,
  purposes: { leads: 'heartbeat', higher: 'repair' },
  timers,
  promises: { agreement: 'eventually', leader: 'highest', termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: true, synchrony: true },
  handlers,
})
