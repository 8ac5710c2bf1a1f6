/**
 * LeLann's election: every member sends its number round a one-way ring, and each learns all numbers before its own
 * returns.
 *
 * Source: G. Le Lann, "Distributed systems: towards a formal approach", 1977, which 004 cites.
 * Assumes: a one-way ring, messages in order, no faults.
 * Promises: all members elect the strongest of them; n² messages, whichever members start.
 * Departures: a member that has not started does so when a number arrives, so that it learns the result too. There is no
 *   announcement: a member's own number returns after all others have passed it.
 */
import { algorithm, type Out } from '../../core/algorithm.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { int, node, observer, oneOf, record, union, type Infer } from '../../core/schema.ts'

const state = record({
  status: oneOf('Idle', 'Elec', 'Norm'),
  leader: node,
  term: observer(int(0, 0)), // there is one election only
  strongest: node, // of the numbers that have arrived, and the member's own
})
const messages = union({ number: { uid: node } })

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message>

function handlers(group: Group) {
  function start(s: State, out: Sink): void {
    if (s.status !== 'Idle') return
    s.status = 'Elec'
    s.strongest = out.me
    out.send(group.successor(out.me), { type: 'number', uid: out.me })
  }

  function message(s: State, _from: NodeId, m: Message, out: Sink): void {
    start(s, out)
    if (m.uid === out.me) {
      s.status = 'Norm'
      s.leader = s.strongest
    } else {
      if (group.outranks(m.uid, s.strongest)) s.strongest = m.uid
      out.send(group.successor(out.me), m)
    }
  }

  /** An idle ring without a leader. */
  function settled(s: State): void {
    s.strongest = NONE
  }

  return { start, message, settled }
}

export const leLann = algorithm({
  name: 'le-lann',
  title: 'LeLann on a one-way ring: every number visits every member',
  topology: 'ring',
  state,
  messages,
  timers: {},
  promises: { agreement: 'always', leader: 'highest', termsRise: true },
  assumes: { crashes: false, recoveries: false, loss: false, synchrony: false },
  handlers,
})
