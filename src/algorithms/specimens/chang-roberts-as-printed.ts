/**
 * The algorithm of Chang and Roberts as printed, a specimen: the two stages of 004, followed to the letter.
 *
 * Source: 004 §2 "Chang and Robert algorithm", the first stage's points 1–4 and the second stage's 1–3.
 * Assumes: what the text assumes: a one-way ring, reliable messages, "no failure occurs".
 * Promises: what the text claims: "only a single winner will be announced", the largest. That holds if a
 *   participant never starts. If it may, the winner is announced repeatedly (C-a); with one crash
 *   a number is lost or circulates for ever (C-b). Terms do not exist and stay 0.
 * Departures: none intended. Option `participantStarts`: the text does not forbid it. Option `repair`: a
 *   ring that closes over a member that is down, to show C-b; the text's own ring stays as it is.
 */
import { algorithm, choiceOption, type Out, type ValuesOf } from '../../core/algorithm.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { int, node, nodeSet, observer, oneOf, record, union } from '../../core/schema.ts'
import type { Infer } from '../../core/schema.ts'
import { nextOf } from '../helpers/ring-order.ts'

const state = record({
  status: oneOf('non-participant', 'participant'),
  leader: node,
  term: observer(int(0, 0)),
  down: nodeSet, // neighbours over which a repaired ring has closed
})
const messages = union({ election: { uid: node }, elected: { uid: node } })

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message>

const options = { participantStarts: choiceOption('no', 'yes'), repair: choiceOption('no', 'yes') }

function handlers(group: Group, { participantStarts, repair }: ValuesOf<typeof options>) {
  /** 2: "A process that notices a lack of leader starts an election." */
  function start(s: State, out: Sink): void {
    if (participantStarts === 'no' && s.status === 'participant') return
    s.leader = NONE
    sendElection(s, out.me, out)
  }

  function toNeighbour(s: State, m: Message, out: Sink): void {
    const next = nextOf(group, out.me, s.down)
    if (next === NONE) {
      if (m.uid === out.me) message(s, out.me, m, out)
      return
    }
    if (repair === 'yes') out.watch(next)
    out.send(next, m)
  }

  /** 3: "Every time a process sends or forwards an election message", it "marks itself as a participant." */
  function sendElection(s: State, uid: NodeId, out: Sink): void {
    s.status = 'participant'
    toNeighbour(s, { type: 'election', uid }, out)
  }

  function election(s: State, uid: NodeId, out: Sink): void {
    // 4.1 "If the arrived UID is larger": "forwards the election message".
    if (group.outranks(uid, out.me)) sendElection(s, uid, out)
    // 4.4 "the same as the UID of the process": "starts acting as the leader."
    else if (uid === out.me) {
      s.status = 'non-participant'
      s.leader = out.me
      toNeighbour(s, { type: 'elected', uid }, out)
    }
    // 4.2 smaller, "not a participant": "replaces the UID"; 4.3 "already a participant": "discards".
    else if (s.status === 'non-participant') sendElection(s, out.me, out)
  }

  /** Second stage, 2 and 3: records and forwards it "unchanged"; "The leader discards that message". */
  function elected(s: State, m: Message, out: Sink): void {
    if (m.uid === out.me) return
    s.status = 'non-participant'
    s.leader = m.uid
    toNeighbour(s, m, out)
  }

  function message(s: State, _from: NodeId, m: Message, out: Sink): void {
    if (m.type === 'election') election(s, m.uid, out)
    else elected(s, m, out)
  }

  /** Only a repaired ring watches. */
  function down(s: State, peer: NodeId, out: Sink): void {
    s.down.add(peer)
    if (peer === s.leader) start(s, out)
  }

  /** An idle ring without a leader. */
  function settled(): void {}

  return { start, message, down, settled }
}

export const changRobertsAsPrinted = algorithm({
  name: 'chang-roberts-as-printed',
  title: 'Chang and Roberts as printed in 004 (specimen)',
  specimen: true,
  topology: 'ring',
  state,
  messages,
  timers: {},
  options,
  promises: { agreement: 'eventually', leader: 'highest', termsRise: true },
  assumes: { crashes: false, recoveries: false, loss: false, synchrony: false },
  handlers,
})
