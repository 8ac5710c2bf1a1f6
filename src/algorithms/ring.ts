/**
 * The Ring algorithm: a list travels round the ring, and the largest number in it is the coordinator.
 *
 * Source: 004 §2 "Ring algorithm" (ELECTION collects, COORDINATOR informs), as corrected.
 * Assumes: a ring whose order every member knows; crashes and recoveries at any moment; messages arrive within Tm
 *   and are handled within Tp; a finite number of them may be lost; the detector is right. The election needs a
 *   list's largest number and its members, never its order: the list is a set.
 * Promises: when faults cease, all up members agree on the strongest of them; a member's accepted term
 *   never falls. Without faults during the election, 2n messages for each initiator, attempts at successors
 *   that are down included; 2m among m live members once these are known.
 * Departures: R-a a member accepts a coordinator weaker than its own only if the detector, asked now, reports its own
 *   down, starts if the new one is weaker than itself, and the coordinator repeats its claim to all members
 *   directly, which also corrects R-e; R-b an overdue ELECTION is issued again, and a member repeats the message
 *   that it passed on last when the receiver is reported down; R-c a list that arrives a second time is an
 *   orphan: it ends there, and the member starts; R-d only the origin closes its list. Terms are added here: one more
 *   than the largest collected; a member that knows a larger one reports it to the coordinator.
 */
import { algorithm, answer, period, type Out } from '../core/algorithm.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { NodeSet, type ReadonlyNodeSet } from '../core/node-set.ts'
import {
  counter,
  flag,
  node,
  nodeSet,
  oneOf,
  orNone,
  record,
  stable,
  union,
  type Infer,
} from '../core/schema.ts'
import { nextOf } from './helpers/ring-order.ts'

const state = record({
  status: oneOf('Idle', 'Elec', 'Norm'), // Idle: waits for a COORDINATOR
  leader: node,
  term: stable(counter()),
  own: flag, // the member's own ELECTION is under way
  next: node, // the member to send to, which is watched; NONE before the first message
  down: nodeSet, // found down while an ELECTION was passed on
  gone: nodeSet, // outside "the new ring": found down after its COORDINATOR was known
  claimant: node, // weaker than the leader, about which a request is open; else NONE
  claimTerm: orNone(counter()), // one more than the claim's
  kept: oneOf('nothing', 'election', 'coordinator'), // the message that was passed on last, to repeat it
  keptOrigin: node,
  keptList: nodeSet,
  keptSeen: nodeSet,
  keptTerm: orNone(counter()), // one more than the message's
})
const messages = union({
  election: { origin: node, list: nodeSet, term: counter() }, // term: the largest collected
  coordinator: { origin: node, list: nodeSet, seen: nodeSet, term: counter() },
  heartbeat: { term: counter() },
  higher: { term: counter() }, // the sender's term, above that of the claim
})
const timers = { own: answer(1), beat: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type ElectionMessage = Extract<Message, { type: 'election' }>
type CoordinatorMessage = Extract<Message, { type: 'coordinator' }>
type ListMessage = ElectionMessage | CoordinatorMessage
type Sink = Out<Message, keyof typeof timers>

function handlers(group: Group) {
  const { messageMs, processingMs, watchMs, periodMs } = group.timing
  // Once round the ring; each successor that is down delays the list once.
  const ownMs = group.members * (messageMs + processingMs + watchMs)

  /** "Builds an ELECTION message (containing its own process number)" */
  function start(s: State, out: Sink): void {
    leave(s, out)
    s.own = true
    s.status = 'Elec'
    out.set('own', ownMs)
    pass(s, { type: 'election', origin: out.me, list: NodeSet.of(out.me), term: s.term }, out)
  }

  function leave(s: State, out: Sink): void {
    if (s.leader === out.me) out.clear('beat')
    else if (s.leader !== NONE && s.leader !== s.next) out.unwatch(s.leader)
    s.leader = NONE
    s.status = s.own ? 'Elec' : 'Idle'
    s.claimant = NONE
    s.claimTerm = 0
  }

  function pass(s: State, m: ListMessage, out: Sink): void {
    s.kept = m.type
    s.keptOrigin = m.origin
    s.keptList = m.list.copy()
    s.keptSeen = m.type === 'coordinator' ? m.seen.copy() : new NodeSet()
    s.keptTerm = m.term + 1
    sendOn(s, m, out)
  }

  function sendOn(s: State, m: ListMessage, out: Sink): void {
    if (s.next === NONE) {
      s.next = nextOf(group, out.me, s.down, s.gone)
      if (s.next === NONE) return returnHome(s, m, out)
      out.watch(s.next)
    }
    out.send(s.next, m)
  }

  /** "Sender skips over it and goes to the next member along the ring" */
  function passAgain(s: State, out: Sink): void {
    const { kept, keptOrigin: origin } = s
    const term = s.keptTerm - 1
    const list = s.keptList.copy()
    if (kept === 'election') sendOn(s, { type: kept, origin, list, term }, out)
    if (kept !== 'coordinator') return
    sendOn(s, { type: kept, origin, list, seen: s.keptSeen.copy(), term }, out)
  }

  function clearKept(s: State): void {
    s.kept = 'nothing'
    s.keptOrigin = NONE
    s.keptList.clear()
    s.keptSeen.clear()
    s.keptTerm = 0
  }

  /** All other members are down: the message returns at once. */
  function returnHome(s: State, m: ListMessage, out: Sink): void {
    clearKept(s)
    if (m.type === 'election') election(s, m, out)
  }

  /** The members of a list have been up since they were found down, or will be found down again. */
  function readmit(s: State, list: ReadonlyNodeSet, out: Sink): void {
    if (s.down.size + s.gone.size === 0) return
    for (const peer of s.down) if (list.has(peer)) s.down.delete(peer)
    for (const peer of s.gone) if (list.has(peer)) s.gone.delete(peer)
    chooseNext(s, out)
  }

  function chooseNext(s: State, out: Sink): void {
    const next = nextOf(group, out.me, s.down, s.gone)
    if (next === s.next) return
    if (s.next !== NONE && s.next !== s.leader) out.unwatch(s.next)
    s.next = next
    if (next !== NONE) out.watch(next)
  }

  function election(s: State, m: ElectionMessage, out: Sink): void {
    if (m.origin === out.me) {
      if (s.own) close(s, m, out)
    } else if (m.list.has(out.me)) {
      if (!s.own) start(s, out)
    } else {
      const list = m.list.copy()
      list.add(out.me)
      pass(s, { ...m, list, term: Math.max(m.term, s.term) }, out)
    }
  }

  /** "When the message gets back to the process that started it all": "changes message type to COORDINATOR" */
  function close(s: State, { list, term }: ElectionMessage, out: Sink): void {
    s.own = false
    out.clear('own')
    const seen = NodeSet.of(out.me)
    inform(s, { type: 'coordinator', origin: out.me, list, seen, term: term + 1 }, out)
    adopt(s, list.max, term + 1, out)
  }

  /** Members that were skipped may have recovered: all are tried but those outside the old ring. */
  function inform(s: State, m: CoordinatorMessage, out: Sink): void {
    if (s.down.size > 0) {
      s.down.clear()
      chooseNext(s, out)
    }
    pass(s, m, out)
  }

  /** "Circulates message once again to inform everyone else"; "when message has circulated once, it is removed." */
  function coordinator(s: State, m: CoordinatorMessage, out: Sink): void {
    if (m.origin === out.me || m.seen.has(out.me)) return
    const seen = m.seen.copy()
    seen.add(out.me)
    inform(s, { ...m, seen }, out)
    adopt(s, m.list.max, m.term, out)
  }

  function adopt(s: State, leader: NodeId, term: number, out: Sink): void {
    if (leader === out.me) lead(s, term, out)
    else if (group.outranks(out.me, leader)) {
      if (!s.own) start(s, out)
    } else if (term < s.term) return
    else if (s.leader === NONE || !group.outranks(s.leader, leader)) follow(s, leader, term, out)
    else if (s.claimant === NONE || !group.outranks(s.claimant, leader)) {
      s.claimant = leader
      s.claimTerm = term + 1
      out.request(s.leader)
    }
  }

  function lead(s: State, term: number, out: Sink): void {
    if (s.leader !== out.me) {
      leave(s, out)
      s.leader = out.me
      s.status = 'Norm'
      out.set('beat', periodMs)
    }
    s.term = Math.max(term, s.term)
  }

  function follow(s: State, leader: NodeId, term: number, out: Sink): void {
    if (s.leader !== leader) {
      leave(s, out)
      s.leader = leader
      s.status = 'Norm'
      out.watch(leader)
    }
    s.term = term
  }

  function beat(s: State, out: Sink): void {
    clearKept(s)
    const claim: Message = { type: 'heartbeat', term: s.term }
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, claim)
    out.set('beat', periodMs)
  }

  function heartbeat(s: State, from: NodeId, term: number, out: Sink): void {
    if (term < s.term && group.outranks(from, out.me)) {
      return out.send(from, { type: 'higher', term: s.term })
    }
    adopt(s, from, term, out)
    if (s.leader === from) clearKept(s)
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'election' || m.type === 'coordinator') {
      readmit(s, m.list, out)
      if (m.type === 'election') election(s, m, out)
      else coordinator(s, m, out)
    } else if (m.type === 'heartbeat') {
      readmit(s, NodeSet.of(from), out)
      heartbeat(s, from, m.term, out)
    } else if (m.term > s.term && s.leader === out.me) {
      s.term = m.term + 1
      beat(s, out)
    }
  }

  function timeout(s: State, timer: keyof typeof timers, out: Sink): void {
    if (timer === 'own') start(s, out)
    else beat(s, out)
  }

  /** The leader is up: a weaker claim is void. */
  function up(s: State, peer: NodeId): void {
    if (peer !== s.leader) return
    s.claimant = NONE
    s.claimTerm = 0
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    const wasNext = peer === s.next
    if (wasNext) {
      if (s.kept === 'election') s.down.add(peer)
      else s.gone.add(peer)
      s.next = NONE
    }
    if (peer === s.leader) {
      const { claimant, claimTerm } = s
      if (claimant !== NONE && claimTerm > s.term) follow(s, claimant, claimTerm - 1, out)
      else if (!s.own) return start(s, out)
      else leave(s, out)
    }
    if (wasNext) passAgain(s, out)
  }

  /** An idle ring without a leader; members that have long been down are outside it. */
  function settled(s: State, _leader: NodeId, out: Sink, known?: ReadonlyNodeSet): void {
    if (known !== undefined && known.size > 0) s.gone = known.copy()
    out.set('own', ownMs)
  }

  return { start, message, timeout, up, down, settled }
}

export const ring = algorithm({
  name: 'ring',
  title: 'the list-carrying Ring that skips dead successors, corrected',
  topology: 'ring',
  state,
  messages,
  purposes: { heartbeat: 'heartbeat', higher: 'repair' },
  timers,
  promises: { agreement: 'eventually', leader: 'highest', termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: true, synchrony: true },
  handlers,
})
