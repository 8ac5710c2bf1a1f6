/**
 * Garcia-Molina's Invitation algorithm of 1982: members form groups, each with a coordinator, and groups that reach each
 * other merge.
 *
 * Source: H. Garcia-Molina, "Elections in a distributed computing system", IEEE Trans. Computers C-31(1), 1982, §V and
 *   Appendix II. 003 cites it: "one important result for each system", here for the asynchronous one.
 * Assumes: durable group numbers. For progress, messages within Tm, finitely many lost, and a network that is whole or
 *   falls into parts whose members all reach each other.
 * Promises: members of one group follow one coordinator, at every moment; when faults cease, the members of each part
 *   follow one of themselves. No agreement is promised across cuts. A member's group numbers rise. A merge that brings
 *   a members into one group costs 3(a−1) messages: Invitation, Accept, Ready.
 * Departures: a group number is a count and its coordinator, larger than those of the groups that merge; the paper
 *   counts at each member alone. The calls of one round are sent together and share one time-out. Accept and Ready are
 *   no calls: a member without Ready recovers in time. A coordinator that a weaker one asks looks for others at
 *   once. There are no tasks to hand out with Ready, so a coordinator skips Reorganization.
 */
import { algorithm, answer, period, type Out } from '../core/algorithm.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { counter, flag, node, nodeSet, oneOf, record, stable, union } from '../core/schema.ts'
import type { Infer } from '../core/schema.ts'

/** A group number is k·1024 + the NodeId of the coordinator that formed the group. */
const STRIDE = 1024

const state = record({
  status: oneOf('Norm', 'Election', 'Reorganization'),
  leader: node, // c, in Norm
  term: stable(counter(STRIDE)), // g, the number of the group
  coordinator: node, // c
  up: nodeSet, // of a coordinator: the other members of its group
  checking: flag, // the answers to Are-you-coordinator are still to come
  found: nodeSet, // the coordinators among those answers
  highest: counter(STRIDE), // the largest number of their groups
})
const messages = union({
  areYouCoordinator: {},
  coordinator: { yes: flag, term: counter(STRIDE) },
  invitation: { coordinator: node, term: counter(STRIDE) },
  accept: { term: counter(STRIDE) },
  ready: { term: counter(STRIDE) },
  areYouThere: { term: counter(STRIDE) },
  here: { term: counter(STRIDE), yes: flag },
})
const timers = {
  check: period,
  silence: period,
  answers: answer(1), // to Are-you-coordinator
  here: answer(1), // the answer to Are-you-there
  accepts: answer(2), // to the invitations
  delay: answer(3), // before a weaker coordinator invites a stronger one
  ready: answer(4),
}

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Invitation = Extract<Message, { type: 'invitation' }>
type Timer = keyof typeof timers
type Sink = Out<Message, Timer>

function handlers(group: Group) {
  const { messageMs, processingMs, periodMs } = group.timing
  const callMs = 2 * (messageMs + processingMs)
  const acceptsMs = 2 * callMs // invitations pass through the former coordinators
  const mergeMs = callMs + acceptsMs
  const readyMs = 2 * acceptsMs

  /** Recovery: "forms a new group with itself as its only member". */
  function recover(s: State, out: Sink): void {
    stop(s, out)
    s.highest = s.term
    form(s, out)
    s.up.clear()
    coordinate(s, out)
    // Members that recover together need not look for each other at the same moment.
    if (group.members > 1) out.set('check', 0, callMs)
  }

  function stop(s: State, out: Sink): void {
    for (const timer of Object.keys(timers) as Timer[]) out.clear(timer)
    s.leader = NONE
    s.checking = false
    s.found.clear()
  }

  function form(s: State, out: Sink): void {
    const largest = Math.max(s.term, s.highest)
    s.term = (Math.floor(largest / STRIDE) + 1) * STRIDE + out.me
    s.coordinator = out.me
  }

  function coordinate(s: State, out: Sink): void {
    s.status = 'Norm'
    s.leader = out.me
    s.highest = s.term
  }

  /** Check: a coordinator looks for others. */
  function check(s: State, out: Sink): void {
    out.clear('check')
    out.clear('delay')
    s.checking = true
    s.found.clear()
    s.highest = s.term
    for (const peer of group.everyone) {
      if (peer !== out.me) out.send(peer, { type: 'areYouCoordinator' })
    }
    out.set('answers', callMs)
  }

  function isCoordinator(s: State, me: NodeId): boolean {
    return s.status === 'Norm' && s.coordinator === me
  }

  function onQuestion(s: State, from: NodeId, out: Sink): void {
    const yes = isCoordinator(s, out.me)
    out.send(from, { type: 'coordinator', yes, term: s.term })
    if (yes && !s.checking && group.outranks(out.me, from)) check(s, out)
  }

  function onAnswer(s: State, from: NodeId, term: number): void {
    if (!s.checking) return
    s.found.add(from)
    s.highest = Math.max(s.highest, term)
  }

  /** "The higher the priority of a node, the shorter the time it waits": the strongest coordinator merges at once. */
  function checked(s: State, out: Sink): void {
    s.checking = false
    if (s.found.size === 0) return out.set('check', periodMs)
    if (group.outranks(out.me, s.found.max)) merge(s, out)
    else out.set('delay', (s.found.max - out.me) * mergeMs)
  }

  /** Merge: invites the coordinators that it found, and the members of its own group. */
  function merge(s: State, out: Sink): void {
    const invited = s.up.copy()
    for (const peer of s.found) invited.add(peer)
    form(s, out)
    stop(s, out)
    s.status = 'Election'
    s.up.clear()
    for (const peer of invited) {
      out.send(peer, { type: 'invitation', coordinator: out.me, term: s.term })
    }
    out.set('accepts', acceptsMs)
  }

  /** "If a coordinator, it forwards the invitation to the members of its group"; then it accepts itself. */
  function onInvitation(s: State, m: Invitation, out: Sink): void {
    if (s.status !== 'Norm' || m.term <= s.term) return
    if (s.coordinator === out.me) for (const peer of s.up) out.send(peer, m)
    stop(s, out)
    s.status = 'Reorganization'
    s.up.clear()
    s.coordinator = m.coordinator
    s.term = m.term
    s.highest = m.term
    out.send(m.coordinator, { type: 'accept', term: m.term })
    out.set('ready', readyMs)
  }

  function onAccept(s: State, from: NodeId, term: number): void {
    if (s.status === 'Election' && term === s.term) s.up.add(from)
  }

  /** All members that will join have accepted. */
  function merged(s: State, out: Sink): void {
    for (const peer of s.up) out.send(peer, { type: 'ready', term: s.term })
    coordinate(s, out)
    out.set('check', periodMs)
  }

  function onReady(s: State, term: number, out: Sink): void {
    if (s.status !== 'Reorganization' || term !== s.term) return
    s.status = 'Norm'
    s.leader = s.coordinator
    out.clear('ready')
    out.set('silence', periodMs)
  }

  /** Timeout: is the coordinator there, and is this member in its group? */
  function askCoordinator(s: State, out: Sink): void {
    out.send(s.leader, { type: 'areYouThere', term: s.term })
    out.set('here', callMs)
  }

  function onHere(s: State, from: NodeId, term: number, yes: boolean, out: Sink): void {
    if (s.leader !== from || term !== s.term) return
    if (!yes) return recover(s, out)
    out.clear('here')
    out.set('silence', periodMs)
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    switch (m.type) {
      case 'areYouCoordinator':
        return onQuestion(s, from, out)
      case 'coordinator':
        return m.yes ? onAnswer(s, from, m.term) : undefined
      case 'invitation':
        return onInvitation(s, m, out)
      case 'accept':
        return onAccept(s, from, m.term)
      case 'ready':
        return onReady(s, m.term, out)
      case 'areYouThere': {
        const yes = m.term === s.term && s.coordinator === out.me && s.up.has(from)
        return out.send(from, { type: 'here', term: m.term, yes })
      }
      case 'here':
        return onHere(s, from, m.term, m.yes, out)
    }
  }

  function timeout(s: State, timer: Timer, out: Sink): void {
    if (timer === 'check') check(s, out)
    else if (timer === 'answers') checked(s, out)
    else if (timer === 'delay') merge(s, out)
    else if (timer === 'accepts') merged(s, out)
    else if (timer === 'silence') askCoordinator(s, out)
    else recover(s, out)
  }

  /** A host with a detector need not wait for the silence. */
  function down(s: State, peer: NodeId, out: Sink): void {
    if (peer === s.leader) recover(s, out)
  }

  function settled(s: State, leader: NodeId, out: Sink, gone?: { has(id: NodeId): boolean }): void {
    s.term = STRIDE + leader
    s.highest = s.term
    s.leader = leader
    s.coordinator = leader
    if (leader !== out.me) return out.set('silence', periodMs)
    for (const peer of group.everyone) {
      if (peer !== leader && gone?.has(peer) !== true) s.up.add(peer)
    }
    out.set('check', periodMs)
  }

  return { start: recover, message, timeout, down, settled }
}

export const invitation = algorithm({
  name: 'invitation',
  title: "Garcia-Molina's Invitation: groups that merge, one leader in each part of the network",
  state,
  messages,
  purposes: {
    areYouCoordinator: 'heartbeat',
    coordinator: 'heartbeat',
    areYouThere: 'heartbeat',
    here: 'heartbeat',
  },
  timers,
  promises: { agreement: 'in groups', leader: 'any', oneLeaderPerTerm: true, termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: true, synchrony: true },
  handlers,
})
