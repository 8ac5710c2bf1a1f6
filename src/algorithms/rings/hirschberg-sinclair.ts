/**
 * The election of Hirschberg and Sinclair on a two-way ring: in phase k a candidate probes 2^k members on each side,
 * and goes on if it is the strongest of them.
 *
 * Source: D. S. Hirschberg and J. B. Sinclair, "Decentralized extrema-finding in circular configurations of processors", 1980.
 * Assumes: a ring in both directions, no faults.
 * Promises: all members elect the strongest of them, with at most 8n(1 + ⌈log₂ n⌉) messages and n for the result.
 * Departures: a member that has not started does so when a probe arrives. The result travels round the ring once.
 */
import { algorithm, type Out } from '../../core/algorithm.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { flag, int, node, observer, oneOf, record, union, type Infer } from '../../core/schema.ts'

/** More phases than any ring needs: the last one probes 2³⁰ members on each side. */
const LAST_PHASE = 30

const state = record({
  status: oneOf('Idle', 'Elec', 'Lost', 'Norm'), // Lost: a stronger candidate exists
  leader: node,
  term: observer(int(0, 0)), // there is one election only
  phase: int(0, LAST_PHASE),
  replied: flag, // one side has replied in this phase
})
const messages = union({
  /** `hops`: how many members it may still visit after this one. */
  probe: { uid: node, hops: int(0, 2 ** LAST_PHASE) },
  reply: { uid: node },
  elected: { uid: node },
})

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message>

function handlers(group: Group) {
  const onward = (me: NodeId): NodeId => group.successor(me)
  const back = (me: NodeId): NodeId => group.successor(me, group.members - 1)

  function start(s: State, out: Sink): void {
    if (s.status !== 'Idle') return
    s.status = 'Elec'
    probe(s, out)
  }

  /** "Sends messages in both directions" over 2^phase members. */
  function probe(s: State, out: Sink): void {
    const m: Message = { type: 'probe', uid: out.me, hops: 2 ** s.phase - 1 }
    out.send(onward(out.me), m)
    out.send(back(out.me), m)
  }

  /** A probe of a weaker candidate ends here. One that has come round the ring has met no stronger member. */
  function onProbe(s: State, from: NodeId, uid: NodeId, hops: number, out: Sink): void {
    if (uid === out.me) return lead(s, out)
    if (group.outranks(out.me, uid)) return start(s, out)
    if (s.leader === NONE) s.status = 'Lost'
    if (hops === 0) out.send(from, { type: 'reply', uid })
    else out.send(beyond(out.me, from), { type: 'probe', uid, hops: hops - 1 })
  }

  function onReply(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.uid !== out.me) return out.send(beyond(out.me, from), m)
    if (s.status !== 'Elec') return
    if (!s.replied) {
      s.replied = true
      return
    }
    s.replied = false
    s.phase += 1
    probe(s, out)
  }

  /** Both probes may return round the ring. */
  function lead(s: State, out: Sink): void {
    if (s.leader === out.me) return
    s.status = 'Norm'
    s.leader = out.me
    if (group.members > 1) out.send(onward(out.me), { type: 'elected', uid: out.me })
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'probe') onProbe(s, from, m.uid, m.hops, out)
    else if (m.type === 'reply') onReply(s, from, m, out)
    else if (m.uid !== out.me) {
      s.status = 'Norm'
      s.leader = m.uid
      out.send(onward(out.me), m)
    }
  }

  /** The neighbour on the other side. In a ring of two both are the same. */
  function beyond(me: NodeId, from: NodeId): NodeId {
    return from === onward(me) ? back(me) : onward(me)
  }

  /** An idle ring without a leader. */
  function settled(s: State): void {
    s.leader = NONE
  }

  return { start, message, settled }
}

export const hirschbergSinclair = algorithm({
  name: 'hirschberg-sinclair',
  title: 'Hirschberg and Sinclair on a two-way ring: doubled distances',
  topology: 'ring',
  state,
  messages,
  timers: {},
  promises: { agreement: 'always', leader: 'highest', termsRise: true },
  assumes: { crashes: false, recoveries: false, loss: false, synchrony: false },
  handlers,
})
