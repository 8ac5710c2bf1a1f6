/**
 * Ping: "Are you alive?", asked when the election asks, and every period of a peer that is watched.
 *
 * Source: 000 §2.2, "the simplest implementation of failure detector is to send the 'Are You Alive?'
 *   message to each node being monitored periodically. If a reply is not received in the expected time,
 *   FD raises <DownSig, i>"; the list and the notices of recovery: 000 §2.2, 001 §3.
 * Assumes: messages arrive within Tm, in order and unharmed, and are handled within Tp; a recovering
 *   member keeps its election silent for Tm. It may itself be stalled at any moment. With `tries` k,
 *   any k−1 exchanges in a row may be lost.
 * Promises: `down` only if the peer was down, or not yet started again, after the latest request; every
 *   request is answered within To = 2(Tm + Tp), a quarter of that, and Tp; a watched peer that crashes is
 *   reported within τ + To. No message unless a request or a watch is open.
 * Departures: B15 (the silence); an answer counts only for the latest question; a stalled member reads
 *   what has come before it believes its own time-out.
 */
import { period } from '../core/algorithm.ts'
import { detector, type DetectorOut } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import type { NodeId } from '../core/node-id.ts'
import { record, union, type Infer } from '../core/schema.ts'
import {
  inquiries,
  inquiryMessages,
  inquiryState,
  inquiryTimers,
  inquiryTiming,
} from './helpers/inquiry.ts'

const state = record(inquiryState)
const messages = union(inquiryMessages)
const timers = { ...inquiryTimers, poll: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Timer = keyof typeof timers
type Sink = DetectorOut<Message, Timer>

function handlers(group: Group, tries: number) {
  const { periodMs } = group.timing
  const inquiry = inquiries<State, Sink>(
    group,
    { begun: poll, ended: (_s, peer, out) => out.clear('poll', peer) },
    tries,
  )

  function poll(s: State, peer: NodeId, out: Sink): void {
    if (!s.asked.has(peer)) inquiry.ask(s, peer, out)
    out.set('poll', peer, periodMs)
  }

  function unwatch(s: State, peer: NodeId, out: Sink): void {
    s.watched.delete(peer)
    out.clear('poll', peer)
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    inquiry.message(s, from, m, out)
  }

  function timeout(s: State, timer: Timer, peer: NodeId, out: Sink): void {
    if (timer === 'poll') poll(s, peer, out)
    else inquiry.timeout(s, timer, peer, out)
  }

  const { start, request, watch, heard, knownDown } = inquiry
  const evidence = (s: State, peer: NodeId, _: unknown, out: Sink) => inquiry.evidence(s, peer, out)
  return { start, request, watch, unwatch, message, timeout, heard, evidence, knownDown }
}

/** A ping that believes in a crash only when so many questions in a row had no answer. */
export function pingDetector({ tries }: { readonly tries: number }) {
  return detector({
    name: tries === 1 ? 'ping' : `ping-${tries}`,
    title: '"Are you alive?", asked when asked for, and every period of a watched peer',
    state,
    messages,
    timers,
    answerMs: (group) => inquiryTiming(group, tries).answerMs,
    watchMs: (group) => group.timing.periodMs + inquiryTiming(group, tries).answerMs,
    handlers: (group) => handlers(group, tries),
  })
}

export const ping = pingDetector({ tries: 1 })
