/**
 * The Ring algorithm: a list travels round the ring, and its largest number is the coordinator.
 *
 * Source: 004 §2 "Ring algorithm" (ELECTION collects, COORDINATOR informs), as corrected.
 * Assumes: a ring of which everybody knows the order; crashes and recoveries at any moment; messages
 *   arrive within Tm and are handled within Tp; a finite number of them may be lost; the detector is
 *   right. The election needs a list's largest number and who is in it, never its order: it is a set.
 * Promises: when faults cease, all up members agree on the strongest of them; a member's accepted term
 *   never falls. Without faults during the election, 2n messages for each initiator, attempts at dead
 *   successors included; 2m among m live members once the dead are known.
 * Departures: R-a a weaker coordinator than mine counts only if the detector, asked now, says that mine is
 *   down, one weaker than myself makes me start, and the coordinator repeats its claim to everybody
 *   directly, which also mends R-e; R-b an overdue ELECTION is issued again, and what I passed on last
 *   goes to the next member when its receiver is reported down; R-c a list that comes by a second time
 *   is an orphan: it ends at me and I start; R-d only the origin closes its list. Terms are ours: one
 *   more than the largest collected; a member that knows a larger one says so to the coordinator.
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
  status: oneOf('Idle', 'Elec', 'Norm'), // Idle: I wait for a COORDINATOR
  leader: node,
  term: stable(counter()),
  own: flag, // my own ELECTION is under way
  next: node, // to whom I send and whom I watch; NONE before there is anything to send
  down: nodeSet, // found down as I passed an ELECTION on
  gone: nodeSet, // outside "the new ring": found down after its COORDINATOR was known
  claimant: node, // weaker than my leader, which is being asked about; else NONE
  claimTerm: orNone(counter()), // one more than the claim's
  kept: oneOf('nothing', 'election', 'coordinator'), // what I passed on last, for another try
  keptOrigin: node,
  keptList: nodeSet,
  keptSeen: nodeSet,
  keptTerm: orNone(counter()), // one more than the message's
})
const messages = union({
  election: { origin: node, list: nodeSet, term: counter() }, // term: the largest collected
  coordinator: { origin: node, list: nodeSet, seen: nodeSet, term: counter() },
  heartbeat: { term: counter() },
  higher: { term: counter() }, // your claim is below my term, which is this
})
const timers = { own: answer(1), beat: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Election = Extract<Message, { type: 'election' }>
type Coordinator = Extract<Message, { type: 'coordinator' }>
type Sink = Out<Message, keyof typeof timers>

function handlers(group: Group) {
  const { messageMs, processingMs, watchMs, periodMs } = group.timing
  // Once round the ring, and each dead successor holds the list up once.
  const ownMs = group.members * (messageMs + processingMs + watchMs)

  /** "Builds an ELECTION message (containing its own process number)" */
  function start(s: State, out: Sink): void {
    leave(s, out)
    s.own = true
    s.status = 'Elec'
    out.set('own', ownMs)
    pass(s, { type: 'election', origin: out.me, list: NodeSet.of(out.me), term: s.term }, out)
  }

  /** Nobody leads me any more. */
  function leave(s: State, out: Sink): void {
    if (s.leader === out.me) out.clear('beat')
    else if (s.leader !== NONE && s.leader !== s.next) out.unwatch(s.leader)
    s.leader = NONE
    s.status = s.own ? 'Elec' : 'Idle'
    s.claimant = NONE
    s.claimTerm = 0
  }

  // Passing on.

  function pass(s: State, m: Election | Coordinator, out: Sink): void {
    s.kept = m.type
    s.keptOrigin = m.origin
    s.keptList = m.list.copy()
    s.keptSeen = m.type === 'coordinator' ? m.seen.copy() : new NodeSet()
    s.keptTerm = m.term + 1
    sendOn(s, m, out)
  }

  function sendOn(s: State, m: Election | Coordinator, out: Sink): void {
    if (s.next === NONE) {
      s.next = nextOf(group, out.me, s.down, s.gone)
      if (s.next === NONE) return comeHome(s, m, out)
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

  function forget(s: State): void {
    s.kept = 'nothing'
    s.keptOrigin = NONE
    s.keptList.clear()
    s.keptSeen.clear()
    s.keptTerm = 0
  }

  /** All others are down: what I would send reaches me. */
  function comeHome(s: State, m: Election | Coordinator, out: Sink): void {
    forget(s)
    if (m.type === 'election') election(s, m, out)
  }

  /** Whoever is in a list was alive after I last thought otherwise, or will be found down again. */
  function heard(s: State, list: ReadonlyNodeSet, out: Sink): void {
    if (s.down.size + s.gone.size === 0) return
    for (const peer of s.down) if (list.has(peer)) s.down.delete(peer)
    for (const peer of s.gone) if (list.has(peer)) s.gone.delete(peer)
    aim(s, out)
  }

  function aim(s: State, out: Sink): void {
    const next = nextOf(group, out.me, s.down, s.gone)
    if (next === s.next) return
    if (s.next !== NONE && s.next !== s.leader) out.unwatch(s.next)
    s.next = next
    if (next !== NONE) out.watch(next)
  }

  // The two circulations.

  function election(s: State, m: Election, out: Sink): void {
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
  function close(s: State, { list, term }: Election, out: Sink): void {
    s.own = false
    out.clear('own')
    const seen = NodeSet.of(out.me)
    inform(s, { type: 'coordinator', origin: out.me, list, seen, term: term + 1 }, out)
    adopt(s, list.max, term + 1, out)
  }

  /** Who was skipped may have recovered, and should know: everybody outside the old ring only is tried. */
  function inform(s: State, m: Coordinator, out: Sink): void {
    if (s.down.size > 0) {
      s.down.clear()
      aim(s, out)
    }
    pass(s, m, out)
  }

  /** "Circulates message once again to inform everyone else"; "when message has circulated once, it is removed." */
  function coordinator(s: State, m: Coordinator, out: Sink): void {
    if (m.origin === out.me || m.seen.has(out.me)) return
    const seen = m.seen.copy()
    seen.add(out.me)
    inform(s, { ...m, seen }, out)
    adopt(s, m.list.max, m.term, out)
  }

  // The coordinator.

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
    forget(s)
    const claim: Message = { type: 'heartbeat', term: s.term }
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, claim)
    out.set('beat', periodMs)
  }

  function heartbeat(s: State, from: NodeId, term: number, out: Sink): void {
    if (term < s.term && group.outranks(from, out.me)) {
      return out.send(from, { type: 'higher', term: s.term })
    }
    adopt(s, from, term, out)
    if (s.leader === from) forget(s)
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'election' || m.type === 'coordinator') {
      heard(s, m.list, out)
      if (m.type === 'election') election(s, m, out)
      else coordinator(s, m, out)
    } else if (m.type === 'heartbeat') {
      heard(s, NodeSet.of(from), out)
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

  /** My leader lives: a weaker claim is void. */
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

  /** A ring at rest: nobody leads, and whoever has long been down is outside. */
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
  promises: {
    agreement: 'eventually',
    leader: 'highest',
    oneLeaderPerTerm: false,
    termsRise: true,
  },
  assumes: { crashes: true, recoveries: true, loss: true, synchrony: true },
  handlers,
})
