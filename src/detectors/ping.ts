/**
 * The detector `ping`: asks "Are you alive?" once for each request, and every period about a watched peer.
 *
 * Source: 000 §2.2, "the simplest implementation of failure detector is to send the 'Are You Alive?'
 *   message to each node being monitored periodically. If a reply is not received in the expected time,
 *   FD raises <DownSig, i>"; the list and the notices of recovery: 000 §2.2, 001 §3.
 * Assumes: messages arrive within Tm, in order and unaltered, and are handled within Tp; a recovering
 *   member's election sends nothing for Tm. The member itself may be stalled at any moment. With `tries` k,
 *   any k−1 exchanges in a row may be lost.
 * Promises: `down` only if the peer was down, or had not yet started again, after the latest request; every
 *   request is answered within To = 2(Tm + Tp), a quarter of that, and Tp; a watched peer that crashes is
 *   reported within τ + To. No message is sent unless a request or a watch is open.
 * Departures: B15 (the startup wait); an answer counts only for the latest question; a stalled member handles
 *   the messages that have arrived before it acts on its own time-out.
 */
import { period } from '../core/algorithm.ts'
import { detector, type DetectorOut } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import type { NodeId } from '../core/node-id.ts'
import { record, union, type Infer } from '../core/schema.ts'
import * as inquiry from './helpers/inquiry.ts'

const state = record(inquiry.state)
const messages = union(inquiry.messages)
const timers = { ...inquiry.timers, poll: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Timer = keyof typeof timers
type Sink = DetectorOut<Message, Timer>

function handlers(group: Group, tries: number) {
  const { periodMs } = group.timing
  const questions = inquiry.handlers<State, Sink>(
    group,
    { begun: poll, ended: (_s, peer, out) => out.clear('poll', peer) },
    tries,
  )

  function poll(s: State, peer: NodeId, out: Sink): void {
    if (!s.asked.has(peer)) questions.ask(s, peer, out)
    out.set('poll', peer, periodMs)
  }

  function unwatch(s: State, peer: NodeId, out: Sink): void {
    s.watched.delete(peer)
    out.clear('poll', peer)
  }

  function timeout(s: State, timer: Timer, peer: NodeId, out: Sink): void {
    if (timer === 'poll') poll(s, peer, out)
    else questions.timeout(s, timer, peer, out)
  }

  return { ...questions.own, unwatch, message: questions.message, timeout }
}

/** A ping that reports `down` only after `tries` questions in a row without an answer. */
export function pingDetector({ tries }: { readonly tries: number }) {
  return detector({
    name: tries === 1 ? 'ping' : `ping-${tries}`,
    title: 'asks "Are you alive?" once for each request, and every period about a watched peer',
    state,
    messages,
    timers,
    answerMs: (group) => inquiry.timing(group, tries).answerMs,
    watchMs: (group) => group.timing.periodMs + inquiry.timing(group, tries).answerMs,
    handlers: (group) => handlers(group, tries),
  })
}

export const ping = pingDetector({ tries: 1 })
