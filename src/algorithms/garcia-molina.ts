/**
 * Garcia-Molina's Bully algorithm of 1982, with which the documents compare theirs: sequential calls, each with a time-out.
 *
 * Source: 000 §3.2 "Efficiency Analysis" (eq. 3.3) and 001 §2 analyse "Elections in a Distributed Computing System",
 *   IEEE Trans. Computers C-31(1), 1982. The paper itself is not among the documents; what they say of it:
 *   AreYouThere to every superior, Halt to every junior, then NewCoordinator and Ready to the halted ones, each
 *   call awaited before the next; the coordinator calls AreYouNormal periodically.
 * Assumes: crashes and recoveries; messages arrive within Tm and are handled within Tp, so that a call
 *   without an answer after To proves that the callee is down.
 * Promises: when faults cease, all up members agree on the strongest of them; a member's accepted
 *   term never falls. Begun by the strongest up member and undisturbed, with f members down and a
 *   up: f + 6(a−1) messages, and f·To + 3(a−1)·Te until it leads. Eq. 3.3, f·To + a·Te, counts the caller
 *   itself and leaves NewCoordinator and Ready out.
 * Departures: AreYouNormal asks whether a member is Normal under the caller, not only Normal (B13); a member
 *   that a junior asks checks its coordinator at once, instead of at its next time-out. Terms are added here: one
 *   more than the largest in the answers to Halt.
 */
import { algorithm, answer, period, type Out } from '../core/algorithm.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import {
  counter,
  flag,
  id,
  node,
  nodeSet,
  observer,
  oneOf,
  record,
  source,
  stable,
  union,
  type Infer,
} from '../core/schema.ts'

const state = record({
  status: oneOf('Norm', 'Election', 'Reorganization'),
  leader: node,
  term: stable(observer(counter())),
  coordinator: node, // c: the leader, or in Reorganization the next one
  halter: node, // h: the member that sent the last Halt
  // The purpose of the calls, the member that was called last, and the mark of that call.
  calling: oneOf('nobody', 'coordinator', 'superiors', 'juniors', 'announce', 'ready'),
  callee: node,
  mark: id,
  up: nodeSet, // halted juniors
  checked: node, // the member whose AreYouNormal is out
  haltedTerm: observer(counter()), // the largest of the member's term and those in the answers to Halt
  calls: source,
  incarn: stable(source),
})
const messages = union({
  areYouThere: { mark: id },
  halt: { mark: id },
  newCoordinator: { mark: id },
  ready: { mark: id, term: observer(counter()) },
  answer: { mark: id, term: observer(counter()) }, // to each of the four
  areYouNormal: {},
  normal: { yes: flag },
})
const timers = {
  call: answer(1), // To
  patience: answer(2), // for a stronger member, or the one that sent Halt
  silence: period, // of the coordinator
  check: period,
  checkCall: period,
}

/** An incarnation makes fewer calls than this; both parts of a mark together stay exact. */
const CALLS = 2 ** 32

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message, keyof typeof timers>

function handlers(group: Group) {
  const { messageMs, processingMs, detectionMs, periodMs } = group.timing
  const callMs = Math.max(detectionMs, 2 * messageMs + processingMs) // To ≥ Te
  const patienceMs = 4 * group.members * callMs // a whole election
  const silenceMs = 2 * periodMs + (group.members + 1) * callMs // a whole round of checks

  function start(s: State, out: Sink): void {
    s.incarn += 1
    election(s, out)
  }

  function election(s: State, out: Sink): void {
    stop(s, out)
    s.status = 'Election'
    s.haltedTerm = s.term
    begin(s, 'superiors', out)
  }

  function stop(s: State, out: Sink): void {
    for (const timer of ['call', 'patience', 'silence', 'check', 'checkCall'] as const) {
      out.clear(timer)
    }
    s.leader = NONE
    s.coordinator = NONE
    s.calling = 'nobody'
    s.callee = NONE
    s.mark = 0
    s.up.clear()
    s.checked = NONE
  }

  function begin(s: State, calling: State['calling'], out: Sink): void {
    s.calling = calling
    s.callee = out.me
    callNext(s, out)
  }

  /** One call at a time: the next one follows when this one is answered, or To has passed. */
  function callNext(s: State, out: Sink): void {
    s.callee = nextCallee(s)
    if (s.callee === NONE) return finish(s, out)
    s.calls += 1
    s.mark = s.incarn * CALLS + s.calls
    out.send(s.callee, callOf(s))
    out.set('call', callMs)
  }

  function nextCallee({ calling, callee, coordinator, up }: State): NodeId {
    if (calling === 'coordinator') return callee === coordinator ? NONE : coordinator
    if (calling === 'superiors') return callee < group.strongest ? callee + 1 : NONE
    if (calling === 'juniors') return callee - 1
    let below = callee - 1
    while (below > NONE && !up.has(below)) below -= 1
    return below
  }

  function callOf({ calling, mark, haltedTerm }: State): Message {
    if (calling === 'juniors') return { type: 'halt', mark }
    if (calling === 'announce') return { type: 'newCoordinator', mark }
    if (calling === 'ready') return { type: 'ready', mark, term: haltedTerm + 1 }
    return { type: 'areYouThere', mark }
  }

  /** All members of this round have been called. */
  function finish(s: State, out: Sink): void {
    if (s.calling === 'superiors') {
      s.halter = out.me
      begin(s, 'juniors', out)
    } else if (s.calling === 'juniors') {
      s.status = 'Reorganization'
      begin(s, 'announce', out)
    } else if (s.calling === 'announce') begin(s, 'ready', out)
    else {
      const term = s.haltedTerm + 1
      stop(s, out)
      become(s, out.me, term)
      out.set('check', periodMs)
    }
  }

  function become(s: State, leader: NodeId, term: number): void {
    s.status = 'Norm'
    s.leader = leader
    s.coordinator = leader
    s.term = term
  }

  function answered(s: State, from: NodeId, term: number, out: Sink): void {
    out.clear('call')
    if (s.calling === 'superiors') {
      stop(s, out) // a stronger member is up and takes over
      return out.set('patience', patienceMs)
    }
    if (s.calling === 'coordinator') {
      s.calling = 'nobody'
      return out.set('silence', silenceMs)
    }
    if (s.calling === 'juniors') {
      s.up.add(from)
      s.haltedTerm = Math.max(s.haltedTerm, term)
    }
    callNext(s, out)
  }

  function unanswered(s: State, out: Sink): void {
    if (s.calling === 'superiors' || s.calling === 'juniors') callNext(s, out)
    else election(s, out) // the coordinator is down, or a halted junior
  }

  /** "Has the coordinator failed?" */
  function checkCoordinator(s: State, out: Sink): void {
    if (s.leader === NONE || s.leader === out.me || s.calling !== 'nobody') return
    begin(s, 'coordinator', out)
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    switch (m.type) {
      case 'areYouThere':
        out.send(from, { type: 'answer', mark: m.mark, term: s.term })
        if (group.outranks(out.me, from)) checkCoordinator(s, out)
        return
      case 'halt':
        stop(s, out)
        s.status = 'Election'
        s.halter = from
        out.set('patience', patienceMs)
        return out.send(from, { type: 'answer', mark: m.mark, term: s.term })
      case 'newCoordinator':
        if (s.status === 'Election' && s.halter === from) {
          s.status = 'Reorganization'
          s.coordinator = from
        }
        return out.send(from, { type: 'answer', mark: m.mark, term: s.term })
      case 'ready':
        if (s.status === 'Reorganization' && s.coordinator === from) {
          out.clear('patience')
          become(s, from, m.term)
          out.set('silence', silenceMs)
        }
        return out.send(from, { type: 'answer', mark: m.mark, term: s.term })
      case 'answer':
        if (s.calling !== 'nobody' && m.mark === s.mark) answered(s, from, m.term, out)
        return
      case 'areYouNormal':
        if (s.leader === from) out.set('silence', silenceMs)
        return out.send(from, { type: 'normal', yes: s.leader === from })
      case 'normal':
        if (s.leader !== out.me || s.checked !== from) return
        if (m.yes) checkNext(s, out)
        else election(s, out)
    }
  }

  /** The coordinator's round: is every member that is up Normal under it? */
  function checkNext(s: State, out: Sink): void {
    out.clear('checkCall')
    do s.checked = s.checked === NONE ? group.strongest : s.checked - 1
    while (s.checked === out.me)
    if (s.checked === NONE) return out.set('check', periodMs)
    out.send(s.checked, { type: 'areYouNormal' })
    out.set('checkCall', callMs)
  }

  function timeout(s: State, timer: keyof typeof timers, out: Sink): void {
    if (timer === 'call') unanswered(s, out)
    else if (timer === 'patience') election(s, out)
    else if (timer === 'silence') checkCoordinator(s, out)
    else checkNext(s, out)
  }

  /** A host with a detector need not wait for the silence. */
  function down(s: State, peer: NodeId, out: Sink): void {
    if (s.leader !== NONE && peer === s.leader) election(s, out)
  }

  function settled(s: State, leader: NodeId, out: Sink): void {
    s.incarn = 1
    become(s, leader, 1)
    s.halter = leader
    if (leader === out.me) out.set('check', periodMs)
    else out.set('silence', silenceMs)
  }

  return { start, message, timeout, down, settled }
}

export const garciaMolina = algorithm({
  name: 'garcia-molina',
  title: "Garcia-Molina's Bully of 1982: sequential calls with time-outs",
  state,
  messages,
  purposes: { areYouNormal: 'heartbeat', normal: 'heartbeat' },
  timers,
  promises: { agreement: 'eventually', leader: 'highest', termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: false, synchrony: true },
  handlers,
})
