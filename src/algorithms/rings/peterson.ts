/**
 * The election of Peterson, and of Dolev, Klawe and Rodeh, on a one-way ring: in each phase at least half of the active
 * members become relays.
 *
 * Source: G. L. Peterson, "An O(n log n) unidirectional algorithm for the circular extrema problem", 1982; D. Dolev, M. Klawe
 *   and M. Rodeh, "An O(n log n) unidirectional distributed algorithm for extrema finding in a circle", 1982.
 * Assumes: a one-way ring, messages in order, no faults.
 * Promises: all members elect the strongest of them, with at most 2n(1 + ⌊log₂ n⌋) messages and n for the result.
 * Departures: a member that has not started does so when a message arrives. Messages carry their phase, so that a
 *   member drops a copy of one that it has handled. The member that finds the largest number
 *   need not own it, so the result names the owner, and travels round the ring once.
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
  value: node, // the number that an active member holds in this phase, its own in the first
  phase: int(0, MOST_PHASES), // of an active member
  seen: int(0, 2 * MOST_PHASES + 1), // the place of the last message in the order of phases
  left: node, // the number of the nearest active member before it; NONE: not arrived yet
})
const messages = union({
  first: { uid: node, phase: int(1, MOST_PHASES) }, // the sender's number
  second: { uid: node, phase: int(1, MOST_PHASES) }, // the number of the active member before the sender
  elected: { uid: node },
})

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message>

function handlers(group: Group) {
  const pass = (m: Message, out: Sink): void => out.send(group.successor(out.me), m)

  function start(s: State, out: Sink): void {
    if (s.status === 'Idle') beginPhase(s, out.me, out)
  }

  function beginPhase(s: State, value: NodeId, out: Sink): void {
    s.status = 'Active'
    s.value = value
    s.left = NONE
    s.phase += 1
    pass({ type: 'first', uid: value, phase: s.phase }, out)
  }

  /** A number that returns belongs to the only active member. */
  function onFirst(s: State, uid: NodeId, out: Sink): void {
    if (uid === s.value) return pass({ type: 'elected', uid }, out)
    s.left = uid
    pass({ type: 'second', uid, phase: s.phase }, out)
  }

  /** A member stays active for the number before it, if that is larger than its own and than the one before. */
  function onSecond(s: State, uid: NodeId, out: Sink): void {
    if (group.outranks(s.left, s.value) && group.outranks(s.left, uid)) {
      beginPhase(s, s.left, out)
    } else {
      s.status = 'Relay'
      s.value = NONE
      s.left = NONE
    }
  }

  function message(s: State, _from: NodeId, m: Message, out: Sink): void {
    start(s, out)
    if (m.type === 'elected') {
      if (s.leader === NONE) follow(s, m, out)
    } else if (isCopy(s, m)) return
    else if (s.status === 'Relay') pass(m, out)
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

  function follow(s: State, m: Message, out: Sink): void {
    const announced = s.status === 'Active'
    s.status = 'Norm'
    s.leader = m.uid
    s.value = NONE
    s.left = NONE
    if (!announced) pass(m, out)
  }

  /** An idle ring without a leader. */
  function settled(s: State): void {
    s.leader = NONE
  }

  return { start, message, settled }
}

export const peterson = algorithm({
  name: 'peterson',
  title:
    'Peterson, and Dolev, Klawe and Rodeh, on a one-way ring: half of the candidates drop out in each phase',
  topology: 'ring',
  state,
  messages,
  timers: {},
  promises: { agreement: 'always', leader: 'highest', termsRise: true },
  assumes: { crashes: false, recoveries: false, loss: false, synchrony: false },
  handlers,
})
