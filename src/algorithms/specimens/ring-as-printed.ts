/**
 * The Ring algorithm as printed, a specimen: the bullets of 004, followed to the letter.
 *
 * Source: 004 §2 "Ring algorithm", from "When a process notices that coordinator is not functioning" to
 *   "When message has circulated once, it is removed."
 * Assumes: what the text assumes: reliable messages, crashes that the sender of a message notices.
 * Promises: what the text claims: everyone learns "who the new coordinator is (list member with highest
 *   number)". Concurrent initiators leave different coordinators for ever (R-a), a message that is lost
 *   with its holder is never missed (R-b, R-e), one whose starter is down never stops (R-c).
 * Departures: none intended. Option `recognise` (R-d): "the process that started it all", or, as the next
 *   line says, any "process [that] recognizes the message that contains its own process number". The
 *   list is a set with its starter beside it: no other rule reads its order. A member that starts or
 *   recovers begins an election, which the text does not say. While a request about a successor is open, only
 *   the latest message waits for the verdict. Terms do not exist and stay 0.
 */
import { algorithm, choiceOption, type Out } from '../../core/algorithm.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { NodeSet } from '../../core/node-set.ts'
import { int, node, nodeSet, observer, oneOf, record, union } from '../../core/schema.ts'
import type { Infer } from '../../core/schema.ts'
import { nextOf } from '../helpers/ring-order.ts'

const state = record({
  status: oneOf('Elec', 'Norm'),
  leader: node,
  term: observer(int(0, 0)),
  ring: observer(nodeSet), // "who the members of the new ring are"
  sending: oneOf('nothing', 'election', 'coordinator'), // while the request about its receiver is open
  starter: node,
  list: nodeSet,
  skipped: nodeSet, // successors found down as this message was sent
})
const messages = union({
  election: { starter: node, list: nodeSet },
  coordinator: { starter: node, list: nodeSet },
})

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message>

function handlers(group: Group, { recognise }: { readonly recognise: 'starter' | 'number' }) {
  /** "Builds an ELECTION message (containing its own process number)" */
  function start(s: State, out: Sink): void {
    s.leader = NONE
    s.status = 'Elec'
    send(s, { type: 'election', starter: out.me, list: NodeSet.of(out.me) }, out)
  }

  /** "Sends the message to its successor" */
  function send(s: State, m: Message, out: Sink): void {
    s.sending = m.type
    s.starter = m.starter
    s.list = m.list.copy()
    s.skipped.clear()
    sendTo(s, m, group.successor(out.me), out)
  }

  function sendTo(s: State, m: Message, successor: NodeId, out: Sink): void {
    if (successor === NONE || successor === out.me) {
      // No other member runs: only the member's own message can get back to its starter.
      if (m.starter === out.me) message(s, out.me, m, out)
      return
    }
    out.send(successor, m)
    out.request(successor)
  }

  /** "If successor is down, sender skips over it and goes to the next member along the ring" */
  function skip(s: State, peer: NodeId, out: Sink): void {
    if (s.sending === 'nothing' || peer !== nextOf(group, out.me, s.skipped)) return
    s.skipped.add(peer)
    const m: Message = { type: s.sending, starter: s.starter, list: s.list.copy() }
    sendTo(s, m, nextOf(group, out.me, s.skipped), out)
  }

  /** "… until a running process is located." */
  function up(s: State, peer: NodeId, out: Sink): void {
    if (peer !== nextOf(group, out.me, s.skipped)) return
    s.sending = 'nothing'
    s.starter = NONE
    s.list.clear()
    s.skipped.clear()
  }

  function election(s: State, m: Message, out: Sink): void {
    const back = recognise === 'starter' ? m.starter === out.me : m.list.has(out.me)
    if (back) {
      adopt(s, m, out)
      return send(s, { type: 'coordinator', starter: out.me, list: m.list }, out)
    }
    // "At each step, sender adds its own process number to the list in the message."
    const list = m.list.copy()
    list.add(out.me)
    send(s, { ...m, list }, out)
  }

  function coordinator(s: State, m: Message, out: Sink): void {
    if (m.starter === out.me) return
    adopt(s, m, out)
    send(s, m, out)
  }

  /** "Who the new coordinator is (list member with highest number); who the members of the new ring are." */
  function adopt(s: State, { list }: Message, out: Sink): void {
    const leader = list.max
    if (s.leader !== leader) {
      if (s.leader !== NONE && s.leader !== out.me) out.unwatch(s.leader)
      if (leader !== out.me) out.watch(leader)
    }
    s.leader = leader
    s.status = 'Norm'
    s.ring = list.copy()
  }

  function message(s: State, _from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'election') election(s, m, out)
    else coordinator(s, m, out)
  }

  /** "When a process notices that coordinator is not functioning" */
  function down(s: State, peer: NodeId, out: Sink): void {
    skip(s, peer, out)
    if (peer === s.leader) start(s, out)
  }

  /** An idle ring without a leader. */
  function settled(): void {}

  return { start, message, up, down, settled }
}

export const ringAsPrinted = algorithm({
  name: 'ring-as-printed',
  title: 'the Ring as printed in 004 (specimen)',
  specimen: true,
  topology: 'ring',
  state,
  messages,
  timers: {},
  options: { recognise: choiceOption('starter', 'number') },
  promises: { agreement: 'eventually', leader: 'highest', termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: false, synchrony: true },
  handlers,
})
