/**
 * Writes the event log of a member: converts each event of its election into a record, for programs, `/events` and the
 * live view.
 */
import { timestamp } from '../../clock/monotonic.ts'
import type { Election } from '../election.ts'

/** `started` and `exited` are also written by the program that runs the process. */
export type EventName =
  'started' | 'exited' | 'elected' | 'lost' | 'leader' | 'down' | 'up' | 'refused' | 'error'

export interface EventRecord {
  /** Nanoseconds of CLOCK_MONOTONIC, in decimal. */
  readonly at: string
  readonly node: string
  readonly pid: number
  readonly event: EventName
  /** The member that this member follows. */
  readonly leader: string | null
  readonly term: number
  /** The term as people see it, such as `1·e`. */
  readonly termText: string
  readonly reason: string | null
  /** `down` and `up`: the peer of the verdict. `refused`: the peer that was rejected, for `reason`. */
  readonly peer?: string
}

/** Writes a record for each event. Returns the function that ends it. */
export function logEvents(election: Election, write: (record: EventRecord) => void): () => void {
  const log = (event: EventName, more: Partial<EventRecord> = {}): void => {
    const { id: node } = election
    const { pid } = process
    const { leader, term } = { ...leaderOf(election), ...more }
    const termText = election.termText(term)
    write({ at: timestamp(), node, pid, event, reason: null, ...more, leader, term, termText })
  }
  // A view that changes in another way, as by the leader's metadata, is no event.
  let last = leaderOf(election)
  log('started')
  const subscriptions = [
    election.on('elected', ({ term }) => log('elected', { leader: election.id, term })),
    election.on('lost', ({ term, reason, atMs }) =>
      log('lost', { at: timestamp(atMs), term, reason }),
    ),
    election.on('leader', (view) => {
      const { leader, term } = view.kind === 'leader' ? view : { leader: null, term: election.term }
      if (leader === last.leader && (leader === null || term === last.term)) return
      last = { leader, term }
      log('leader', last)
    }),
    election.on('peer', ({ peer, state }) => log(state, { peer })),
    election.on('refused', ({ peer, detail }) => log('refused', { peer, reason: detail })),
    election.on('error', (error) => log('error', { reason: error.message })),
  ]
  return () => subscriptions.forEach((end) => end())
}

function leaderOf({ view, term }: Election): { leader: string | null; term: number } {
  return { leader: view.kind === 'leader' ? view.leader : null, term }
}
