/**
 * The election of Peterson on a one-way ring: in each phase at least half of the active members become relays.
 *
 * Source: G. L. Peterson, "An O(n log n) unidirectional algorithm for the circular extrema problem", 1982, the basic
 *   algorithm, which 000 and 001 cite. Algorithm A of D. Dolev, M. Klawe and M. Rodeh, "An O(n log n) unidirectional
 *   distributed algorithm for extrema finding in a circle", 1982, decides alike. It sends the neighbour's number second,
 *   not the larger of the two, and whichever member then holds the largest number finds the result.
 * Assumes: a one-way ring, messages in order, no faults. Copies of messages are tolerated.
 * Promises: all members elect the strongest of them, with at most 2n(1 + ⌊log₂ n⌋) messages and n for the result.
 * Departures: a member that has not started does so when a message arrives. Messages carry their phase, so that a
 *   member drops a copy of one that it has handled. The result travels round the ring once.
 */
import { algorithm, type Out } from '../../core/algorithm.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { int, node, observer, oneOf, record, union, type Infer } from '../../core/schema.ts'

/** More phases than any ring needs: each one halves the active members. */
const MOST_PHASES = 64

const state = record({
  status: oneOf('Idle', 'Active', 'Relay', 'Norm'),
  leader: node,
  term: observer(int(0, 0)), // there is one election only
  tid: node, // the number that an active member holds in this phase, its own in the first
  ntid: node, // the number of the nearest active member before it; NONE: not arrived yet
  phase: int(0, MOST_PHASES), // of an active member
  seen: int(0, 2 * MOST_PHASES + 1), // the place of the last message in the order of phases
})
const messages = union({
  first: { uid: node, phase: int(1, MOST_PHASES) }, // tid
  second: { uid: node, phase: int(1, MOST_PHASES) }, // the larger of tid and ntid
  elected: { uid: node },
})

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message>

function handlers(group: Group) {
  const pass = (m: Message, out: Sink): void => out.send(group.successor(out.me), m)
  const larger = (a: NodeId, b: NodeId): NodeId => (group.outranks(a, b) ? a : b)

  function start(s: State, out: Sink): void {
    if (s.status === 'Idle') beginPhase(s, out.me, out)
  }

  /** "send(tid)" */
  function beginPhase(s: State, tid: NodeId, out: Sink): void {
    s.status = 'Active'
    s.tid = tid
    s.ntid = NONE
    s.phase += 1
    pass({ type: 'first', uid: tid, phase: s.phase }, out)
  }

  /** "receive(ntid)", then "if tid > ntid then send(tid) else send(ntid)" */
  function onFirst(s: State, ntid: NodeId, out: Sink): void {
    s.ntid = ntid
    pass({ type: 'second', uid: larger(s.tid, ntid), phase: s.phase }, out)
  }

  /** "receive(nntid)", then "if ntid ≥ max(tid, nntid) then tid := ntid else goto relay" */
  function onSecond(s: State, nntid: NodeId, out: Sink): void {
    if (s.ntid === larger(s.ntid, larger(s.tid, nntid))) return beginPhase(s, s.ntid, out)
    stop(s, 'Relay')
  }

  function stop(s: State, status: 'Relay' | 'Norm'): void {
    s.status = status
    s.tid = NONE
    s.ntid = NONE
  }

  function message(s: State, _from: NodeId, m: Message, out: Sink): void {
    start(s, out)
    if (s.leader !== NONE) return
    // "if ntid = initial then announce elected": a number that comes home is the largest.
    if (m.type === 'elected' || m.uid === out.me) return follow(s, m.uid, out)
    if (isCopy(s, m)) return
    if (s.status === 'Relay') pass(m, out)
    else if (m.type === 'first') onFirst(s, m.uid, out)
    else onSecond(s, m.uid, out)
  }

  /** First and second messages of rising phases take turns. */
  function isCopy(s: State, m: Exclude<Message, { type: 'elected' }>): boolean {
    const place = 2 * m.phase + (m.type === 'second' ? 1 : 0)
    if (place <= s.seen) return true
    s.seen = place
    return false
  }

  /** The result ends at the leader, which knows it. */
  function follow(s: State, leader: NodeId, out: Sink): void {
    stop(s, 'Norm')
    s.leader = leader
    pass({ type: 'elected', uid: leader }, out)
  }

  /** An idle ring without a leader. */
  function settled(s: State): void {
    s.leader = NONE
  }

  return { start, message, settled }
}

export const peterson = algorithm({
  name: 'peterson',
  title: 'Peterson on a one-way ring: half of the candidates drop out in each phase',
  topology: 'ring',
  state,
  messages,
  timers: {},
  promises: { agreement: 'always', leader: 'highest', termsRise: true },
  assumes: { crashes: false, recoveries: false, loss: false, synchrony: false },
  handlers,
})
