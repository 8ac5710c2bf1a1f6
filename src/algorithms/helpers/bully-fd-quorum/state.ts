/**
 * Declares what a member of bully-fd-quorum stores, sends and waits for, how terms are numbered, and which messages can
 * change nothing any more.
 */
import { answer, choiceOption, period } from '../../../core/algorithm.ts'
import type { Out, ValuesOf } from '../../../core/algorithm.ts'
import { NONE, type NodeId } from '../../../core/node-id.ts'
import {
  counter,
  flag,
  id,
  node,
  nodeSet,
  oneOf,
  record,
  source,
  stable,
  union,
  type Infer,
} from '../../../core/schema.ts'
import {
  admissionFields,
  admissionMessages,
  admissionOptions,
  admissionTimers,
  isObsolete,
} from '../admission.ts'
import {
  bondField,
  bondFields,
  bondTimers,
  leaseFields,
  leaseOptions,
  leaseTimers,
  type Lease,
} from '../lease.ts'
import {
  contentFields,
  isNewer,
  isSame,
  registerFields,
  stampFields,
  termOfElection,
} from '../register.ts'

/** A term is k·1024 + the NodeId of the member that leads in it. Terms are compared as whole numbers. */
export const STRIDE = 1024

/** An incarnation has fewer rounds than this; both parts of an id together stay exact. */
const ROUNDS = 2 ** 32

export const state = record({
  // Elec1: waits until it is this member's turn to stand. Elec2: asks for votes. Wait: has voted. New: may not vote.
  // Out: is no member of its configuration.
  status: oneOf('Norm', 'Elec1', 'Elec2', 'Wait', 'New', 'Out'),
  leader: node,
  term: stable(counter(STRIDE)), // no vote for a smaller one follows; in Norm the leader's
  vote: stable(counter(STRIDE)), // the largest with this member's vote: `term`, or in Wait one that may lapse
  known: counter(STRIDE), // the largest known to have any vote: candidates exceed it
  head: node, // the member that is watched: the leader, or the candidate whose Ldr is awaited
  down: nodeSet, // superiors reported down
  passed: nodeSet, // superiors that backed off or resigned: their turn is over
  backingOff: flag, // this member is one of those
  acks: nodeSet, // of this candidacy, or of this round of Norm?
  deferredFrom: node, // whose Halt waits until the member is free to vote, with its term and round
  deferredTerm: counter(STRIDE),
  deferredRound: id,
  deferredIncarnation: id, // and the incarnation that sent it
  deferredBond: bondField,
  round: id, // the round that is out; in Wait, the one that was answered
  voteRound: id, // the last round that asked for votes
  inherits: flag, // in Elec2: asked for no votes, because a leader resigned in favour of this member
  rounds: source,
  incarn: stable(source),
  incarnation: id, // this one; a proof of death names incarnations
  started: stable(flag), // in an earlier incarnation, which may have answered a leader
  ...leaseFields,
  ...bondFields,
  ...admissionFields,
  ...registerFields(termOfElection(STRIDE)),
})
const stamp = stampFields(termOfElection(STRIDE))
export const messages = union({
  halt: { term: counter(STRIDE), round: id, incarnation: id, bond: bondField, ...stamp },
  ack: { term: counter(STRIDE), round: id },
  rej: { term: counter(STRIDE) }, // the sender voted for this term, which is larger
  // this round will not make the sender lead; `successor` leads, or may; lapsed: the sender never led in the term
  release: { term: counter(STRIDE), round: id, successor: node, lapsed: flag },
  ldr: { term: counter(STRIDE) },
  'norm?': { term: counter(STRIDE), round: id, incarnation: id, bond: bondField, ...stamp },
  norm: { term: counter(STRIDE), round: id, mark: id, incarnation: id, ...stamp },
  // the sender's configuration; from a leader it is Norm? as well, else its round is 0
  config: {
    term: counter(STRIDE),
    round: id,
    incarnation: id,
    bond: bondField,
    ...contentFields(termOfElection(STRIDE)),
  },
  // the sender no longer leads in this term, and voted for the next one of the successor's incarnation
  resign: {
    term: counter(STRIDE),
    successor: node,
    next: counter(STRIDE),
    mark: id,
    incarnation: id,
    bond: bondField,
    ...stamp,
  },
  // the leader of this term resigned in favour of the receiver, whose next one the sender voted for too
  endorse: { term: counter(STRIDE), next: counter(STRIDE), mark: id, bond: bondField, ...stamp },
  ...admissionMessages(STRIDE),
})
export const timers = {
  tau: period,
  endorsements: answer(1), // of the handover to this member
  restart: answer(1), // τ2
  patience: answer(2), // the end of Elec1 and Wait
  retry: answer(3),
  ...leaseTimers,
  ...bondTimers,
  ...admissionTimers,
}

export type State = Infer<typeof state>
export type Message = Infer<typeof messages>
export type MessageOf<T extends Message['type']> = Extract<Message, { type: T }>
export type ElectionMessage = Exclude<Message, { type: 'who?' | 'who' | 'found' }>
export type Halt = Omit<MessageOf<'halt'>, 'type' | 'configTerm' | 'configVersion'>
export type Resignation = Omit<MessageOf<'resign'>, 'type'>
export type Timer = keyof typeof timers
export type Sink = Out<Message, Timer>

export const options = {
  preempt: choiceOption('sticky', 'yes'),
  ...leaseOptions,
  ...admissionOptions,
}
export type Options = ValuesOf<typeof options>

export function termAfter(term: number, member: NodeId): number {
  return (Math.floor(term / STRIDE) + 1) * STRIDE + member
}

/**
 * The term that a candidate asks for: above all that it knows, and its own. Or the term that it inherits. A leader writes
 * configurations under its own term, so that is above the one under which its configuration was written.
 */
export function candidateTerm(s: State, me: NodeId): number {
  return s.inherits ? s.term : termAfter(Math.max(s.known, s.configTerm), me)
}

export function freshId(s: State): number {
  s.rounds += 1
  return s.incarn * ROUNDS + s.rounds
}

export function deferHalt(
  s: State,
  candidate: NodeId,
  { term, round, incarnation, bond }: Halt,
): void {
  s.deferredFrom = candidate
  s.deferredTerm = term
  s.deferredRound = round
  s.deferredIncarnation = incarnation
  s.deferredBond = bond
}

export function clearDeferred(s: State): void {
  deferHalt(s, NONE, { term: s.term, round: 0, incarnation: 0, bond: 0 })
}

/** The bond that a member asks for under its configuration. */
export function bondOf({ configTerm }: State, { bondMs }: Lease): number {
  return configTerm === 0 ? 0 : bondMs
}

/** A vote that stays: for a leader, for itself, or for the successor that a leader named. */
export function recordVote(s: State, term: number): void {
  s.term = term
  s.vote = term
  s.known = term
  clearDeferred(s)
}

/** The candidate will never lead by the vote that this member gave last: a failed candidacy raises no term. */
export function returnVote(s: State): void {
  s.vote = s.term
  s.known = s.term
}

/** There is a leader: whose turn it was no longer matters. */
export function forgetElection(s: State): void {
  s.passed.clear()
  s.acks.clear()
  s.down.clear()
}

export function releaseOf(s: State, term: number, round: number, successor: NodeId): Message {
  return { type: 'release', term, round, successor, lapsed: s.term < term }
}

/** Whether an answer may tell the leader something about configurations. */
function confirms(s: State, from: NodeId, m: MessageOf<'norm'>): boolean {
  return isNewer(m, s) || (s.configTerm !== 0 && isSame(m, s) && !s.confirmed.has(from))
}

/** A term never falls, `vote` and `known` are no smaller; a round that is over never returns. */
export function obsolete(s: State, from: NodeId, m: Message): boolean {
  switch (m.type) {
    case 'ldr':
    case 'release':
    case 'resign':
      return m.term < s.term
    case 'rej':
      return m.term <= s.term
    case 'norm':
      return m.term < s.term || (m.round !== s.round && m.mark === 0 && !confirms(s, from, m))
    case 'config':
      return m.round === 0 && !isNewer(m, s)
    case 'ack':
      return m.round !== s.voteRound
    case 'endorse':
      return m.next < s.term || (m.next === s.term && !s.inherits)
    case 'halt':
    case 'norm?':
      return false
    case 'who?':
    case 'who':
    case 'found':
      return isObsolete(s, m)
  }
}
