/**
 * The detector `heartbeat`: a watched peer sends "I am alive" every period.
 *
 * Source: 000 §2.2, "for each node i, when it starts monitoring node j, to tell node j to periodically send
 *   'I'm alive' message to node i. This uses fewer messages and reduces the latency of the FD."
 * Assumes: as `ping` does. With `misses` k, any k−1 beats in a row may be lost.
 * Promises: as `ping` does, but a watched peer that crashes is reported within τ + 2(Tm + Tp) and a grace period,
 *   mostly sooner: an overdue beat proves the crash, and no question is asked.
 * Departures: B15; a single request is a question, as in `ping`, because only watched peers send beats; a
 *   subscription lasts ten beats and is renewed after five; the grace of a stalled member.
 */
import { detector } from '../core/detector.ts'
import { record, union } from '../core/schema.ts'
import * as inquiry from './helpers/inquiry.ts'
import * as overdue from './helpers/overdue-beats.ts'

const state = record(overdue.state)
const messages = union(overdue.messages)

/** A heartbeat that reports `down` only after `misses` beats in a row are missing. */
export function heartbeatDetector({ misses }: { readonly misses: number }) {
  return detector({
    name: misses === 1 ? 'heartbeat' : `heartbeat-${misses}`,
    title: 'a watched peer sends "I am alive" every period',
    state,
    messages,
    timers: overdue.timers,
    answerMs: (group) => inquiry.timing(group).answerMs,
    watchMs: (group) => overdue.watchMs(group, misses - 1),
    handlers(group) {
      const { questions: _, ...own } = overdue.handlers(group, () => misses - 1)
      return own
    },
  })
}

export const heartbeat = heartbeatDetector({ misses: 1 })
