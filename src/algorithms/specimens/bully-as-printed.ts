/**
 * The Bully algorithm as printed, a specimen: three texts, followed to the letter.
 *
 * Source: form 000: 000 §3.1; form 002: 002 "Bully Algorithm" (1) and (2); form 004: 004 §3, actions 1–4.
 * Assumes: what the texts assume: reliable FIFO messages within Tm, crashes and recoveries.
 * Promises: what the texts claim: in the end all agree on the strongest. They do not: T-a, T-b, T-d.
 * Departures: none intended. Where a text is silent: a member that starts or recovers holds an election (002
 *   does not say), the strongest member waits for no answer, terms do not exist and stay 0. Option `highest`:
 *   whether a process "knows its id is the highest" (002) of all, or of those that it does not know to be down. Option
 *   `elections`: whether 004's actions start an election in an election, as they say, or 004 §1 stands above them: "an
 *   individual process does not call more than one election at a time". Option `notices`: whether a process whose "job is
 *   done" (000) notices again that the coordinator that it had "is no longer responding to requests", or never. Option
 *   `follows`: whether a process of 000 follows every process that announces its victory, or only one with a higher number.
 */
import { algorithm, answer, choiceOption, type Out, type ValuesOf } from '../../core/algorithm.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { int, node, nodeSet, observer, oneOf, record, union } from '../../core/schema.ts'
import type { Infer } from '../../core/schema.ts'

const state = record({
  status: oneOf('Norm', 'Elec', 'WaitC'), // WaitC: a superior answered
  leader: node,
  term: observer(int(0, 0)),
  down: nodeSet, // with highest=up: the members that the detector reported down
})
const messages = union({ election: {}, ok: {}, coordinator: {} })
const timers = { answer: answer(1), coordinator: answer(2) }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message, keyof typeof timers>

const ELECTION: Message = { type: 'election' }
const OK: Message = { type: 'ok' }
const COORDINATOR: Message = { type: 'coordinator' }

const readings = {
  form: choiceOption('002', '000', '004'),
  highest: choiceOption('all', 'up'),
  elections: choiceOption('any', 'one'),
  notices: choiceOption('once', 'again'),
  follows: choiceOption('any', 'higher'),
}

function handlers(group: Group, options: ValuesOf<typeof readings>) {
  const { form, highest, elections, notices, follows } = options
  const { messageMs, processingMs } = group.timing
  const answerMs = 2 * messageMs + processingMs
  const coordinatorMs = answerMs + 2 * messageMs

  /** "P sends an ELECTION message to all processes with higher numbers." (000, step 1) */
  function start(s: State, out: Sink): void {
    if (s.leader !== NONE && s.leader !== out.me) out.unwatch(s.leader)
    s.leader = NONE
    // 002: "if it knows its id is the highest, it elects itself as coordinator"
    if (isHighest(s, out.me)) return victory(s, out)
    s.status = 'Elec'
    for (const peer of group.superiors(out.me)) out.send(peer, ELECTION)
    out.clear('coordinator')
    out.set('answer', answerMs)
  }

  function isHighest(s: State, me: NodeId): boolean {
    for (const peer of group.superiors(me)) if (!s.down.has(peer)) return false
    return true
  }

  /** "If no one responds, P wins the election and becomes coordinator." (000, step 2) */
  function victory(s: State, out: Sink): void {
    s.status = 'Norm'
    s.leader = out.me
    out.clear('answer')
    out.clear('coordinator')
    // 000: "sending all processes a message"; 004: "broadcasts victory"; 002: "to all lower id processes".
    const receivers = form === '002' ? group.juniors(out.me) : group.everyone
    for (const peer of receivers) {
      if (peer !== out.me && !s.down.has(peer)) out.send(peer, COORDINATOR)
    }
  }

  function onOk(s: State, out: Sink): void {
    if (s.status !== 'Elec') return
    s.status = 'WaitC'
    out.clear('answer')
    // 000, step 3: "it takes over. P's job is done." 002 and 004: wait, then start again.
    if (form !== '000' || notices === 'again') out.set('coordinator', coordinatorMs)
  }

  function onElection(s: State, from: NodeId, out: Sink): void {
    out.send(from, OK)
    if (!isHolding(s)) start(s, out)
  }

  /** 000: "unless it is already holding one"; 002: "unless it has already done so"; 004, action 4: no exception. */
  function isHolding(s: State): boolean {
    if (form === '004' && elections === 'any') return false
    return form === '000' ? s.status === 'Elec' : s.status !== 'Norm'
  }

  function onCoordinator(s: State, from: NodeId, out: Sink): void {
    // 000: "the biggest guy in town always wins"
    if (follows === 'higher' && !group.outranks(from, out.me)) return
    // 004: "a victory message from a process with a lower ID number, it immediately initiates a new election".
    if (form === '004' && !group.outranks(from, out.me)) {
      if (!isHolding(s)) start(s, out)
      return
    }
    if (s.leader !== from) {
      if (s.leader !== NONE && s.leader !== out.me) out.unwatch(s.leader)
      out.watch(from)
    }
    s.leader = from
    s.status = 'Norm'
    out.clear('answer')
    out.clear('coordinator')
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    s.down.delete(from)
    if (m.type === 'election') onElection(s, from, out)
    else if (m.type === 'ok') onOk(s, out)
    else onCoordinator(s, from, out)
  }

  function timeout(s: State, timer: keyof typeof timers, out: Sink): void {
    if (timer === 'answer') victory(s, out)
    else start(s, out)
  }

  /** "When a process finds the coordinator has failed (via the failure detector)" (002) */
  function down(s: State, peer: NodeId, out: Sink): void {
    if (highest === 'up') s.down.add(peer)
    if (s.status === 'Norm' && peer === s.leader) start(s, out)
  }

  function settled(s: State, leader: NodeId, out: Sink): void {
    s.leader = leader
    if (leader !== out.me) out.watch(leader)
  }

  return { start, message, timeout, down, settled }
}

export const bullyAsPrinted = algorithm({
  name: 'bully-as-printed',
  title: 'the Bully as printed in 000, 002 and 004 (specimen)',
  specimen: true,
  state,
  messages,
  timers,
  options: readings,
  promises: { agreement: 'eventually', leader: 'highest', termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: false, synchrony: true },
  handlers,
})
