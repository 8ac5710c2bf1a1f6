/**
 * Bully_FD as printed, a specimen: followed to the letter, with what the text leaves out.
 *
 * Source: 000 Fig. 3.1 and 001 Fig. 1, statement by statement. Superiors are their less(i), juniors their
 *   greater(i), `head` and `mark` together their elid.
 * Assumes: what the text assumes: a perfect detector, reliable FIFO messages, crashes and recoveries.
 * Promises: what 001 §4.3 claims: any two members in Norm have the same leader, always, and a leader is
 *   always elected in the end. Neither holds: B1 to B16.
 * Departures: none intended. Where the text cannot be carried out: `incar` is read as `incarn` (B2);
 *   nextel is never incremented, so the id of an incarnation is made once, at its start (B1);
 *   Request_FD(j) with j unbound asks about head(elid) or, as an option, about no member (B5); `watch`
 *   replaces polling of the leader and the head of elid. Option `text`: the figure, or the prose of 001 §4.2, which is
 *   another algorithm: a recovered process "waits for Norm?" and does nothing else, and Norm? goes "to all
 *   live processes", not to greater(i). Terms do not exist and stay 0.
 */
import { algorithm, choiceOption, period, type Out, type ValuesOf } from '../../core/algorithm.ts'
import type { Group, MemberSequence } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { NodeSet } from '../../core/node-set.ts'
import {
  id,
  int,
  node,
  nodeSet,
  observer,
  oneOf,
  record,
  source,
  stable,
  union,
  type Infer,
} from '../../core/schema.ts'

const state = record({
  status: oneOf('Norm', 'Elec1', 'Elec2', 'Wait'),
  leader: node, // ldr, which 001 calls valid in Norm only
  term: observer(int(0, 0)),
  head: node, // of elid
  mark: id, // the rest of elid
  down: nodeSet,
  dwGter: nodeSet,
  acks: nodeSet,
  own: id, // ⟨incarn, nextel⟩, the same for all elections of an incarnation
  incarn: stable(source),
})
const messages = union({
  halt: { mark: id },
  ack: { mark: id },
  ldr: { mark: id },
  'norm?': { mark: id },
  notNorm: { mark: id },
})
const timers = { tau: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message, keyof typeof timers>

const readings = { j: choiceOption('head', 'nobody'), text: choiceOption('figure', 'prose') }

function handlers(group: Group, { j: reading, text }: ValuesOf<typeof readings>) {
  const { periodMs } = group.timing

  /** "Upon recovery do incarn ← incarn + 1; Stage1() od" */
  function start(s: State, out: Sink): void {
    s.incarn += 1
    s.own = s.incarn
    if (text === 'figure' || s.incarn === 1) return stage1(s, out)
    s.status = 'Elec1' // 001 §4.2: "initialises its status to Elec1 and waits for <Norm?, t>"
    s.head = out.me
    s.mark = s.own
  }

  /** "status ← Elec1; down ← ∅; elid ← <i, incar, nextel>; if i = 1 then Stage2() else Request_FD(less(i)) fi" */
  function stage1(s: State, out: Sink): void {
    leaveNorm(s, out)
    s.status = 'Elec1'
    s.down.clear()
    s.head = out.me
    s.mark = s.own
    if (out.me === group.strongest) stage2(s, out)
    else for (const peer of group.superiors(out.me)) out.request(peer)
  }

  /** "status ← Elec2; acks, dw_gter ← ∅; Request_FD(greater(i))" */
  function stage2(s: State, out: Sink): void {
    s.status = 'Elec2'
    s.acks.clear()
    s.dwGter.clear()
    for (const peer of group.juniors(out.me)) out.request(peer)
  }

  /** "down ← down − {j}; elid ← t; status ← Wait; Send <Ack, t> to j" */
  function onHalt(s: State, from: NodeId, mark: number, out: Sink): void {
    leaveNorm(s, out)
    s.down.delete(from)
    s.head = from
    s.mark = mark
    s.status = 'Wait'
    out.send(from, { type: 'ack', mark })
    if (reading === 'head') out.watch(from) // "Periodically(τ) do if status = Wait then Request_FD(j) od"
  }

  /** "acks ← acks ∪ {j}; if status = Elec2 ∧ ((acks ∪ dw_gter) ⊇ greater(i)) then …" */
  function onAck(s: State, from: NodeId, mark: number, out: Sink): void {
    s.acks.add(from)
    if (s.status !== 'Elec2' || !covers(s.acks, s.dwGter, group.juniors(out.me))) return
    s.leader = out.me
    s.status = 'Norm'
    const ldr: Message = { type: 'ldr', mark }
    for (const peer of s.acks) out.send(peer, ldr)
    out.set('tau', periodMs)
  }

  /** ldr is no longer valid, and what Norm and Wait do periodically ends. */
  function leaveNorm(s: State, out: Sink): void {
    if (s.head !== NONE && s.head !== out.me) out.unwatch(s.head)
    out.clear('tau')
    s.leader = NONE
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    switch (m.type) {
      case 'halt':
        return onHalt(s, from, m.mark, out)
      case 'ack':
        return onAck(s, from, m.mark, out)
      case 'ldr': // "if status = Wait ∧ t = elid then ldr ← j; status ← Norm fi"
        if (s.status !== 'Wait' || s.head !== from || s.mark !== m.mark) return
        s.leader = from
        s.status = 'Norm'
        return out.watch(from) // "if status = Norm ∧ ldr ≠ i then Request_FD(ldr) fi"
      case 'norm?': // "if status ≠ Norm then Send <NotNorm,t> to j fi"
        if (s.status !== 'Norm') out.send(from, { type: 'notNorm', mark: m.mark })
        return
      case 'notNorm': // "if status = Norm ∧ ldr = i ∧ t = elid then Stage1() fi"
        if (s.leader === out.me && m.mark === s.mark) stage1(s, out)
    }
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    if (!group.outranks(peer, out.me)) {
      s.dwGter.add(peer)
      return
    }
    s.down.add(peer)
    const leaderDown = s.status === 'Norm' && peer === s.leader
    const headDown = s.status === 'Wait' && peer === s.head
    if (leaderDown || headDown) stage1(s, out)
    else if (s.status === 'Elec1' && s.down.size === group.superiors(out.me).length) stage2(s, out)
  }

  /** "if j ∈ greater(i) ∧ status = Elec2 then send <Halt, elid> to j fi" */
  function up(s: State, peer: NodeId, out: Sink): void {
    if (group.outranks(peer, out.me) || s.status !== 'Elec2') return
    out.send(peer, { type: 'halt', mark: s.mark })
  }

  /** "if status = Norm ∧ ldr = i then Send <Norm?, elid> to greater(i) fi" */
  function timeout(s: State, _tau: keyof typeof timers, out: Sink): void {
    const norm: Message = { type: 'norm?', mark: s.mark }
    const asked = text === 'figure' ? group.juniors(out.me) : group.everyone
    for (const peer of asked) if (peer !== out.me) out.send(peer, norm)
    out.set('tau', periodMs)
  }

  function settled(s: State, leader: NodeId, out: Sink): void {
    s.incarn = 1
    s.own = 1
    s.leader = leader
    s.head = leader
    s.mark = 1
    if (leader === out.me) out.set('tau', periodMs)
    else out.watch(leader)
  }

  return { start, message, timeout, up, down, settled }
}

function covers(acks: NodeSet, dwGter: NodeSet, juniors: MemberSequence): boolean {
  for (const peer of juniors) if (!acks.has(peer) && !dwGter.has(peer)) return false
  return true
}

export const bullyFdAsPrinted = algorithm({
  name: 'bully-fd-as-printed',
  title: 'Bully_FD as printed in 000 and 001 (specimen)',
  specimen: true,
  state,
  messages,
  purposes: { 'norm?': 'heartbeat', notNorm: 'repair' },
  timers,
  options: readings,
  promises: { agreement: 'always', leader: 'highest', termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: false, synchrony: true },
  handlers,
})
