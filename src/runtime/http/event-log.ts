/** What happens to a member, as one record after another: for programs, for `/events`, for the live view. */
import { timestamp } from '../../clock/monotonic.ts'
import type { Election } from '../election.ts'

/** `started` and `exited` are told by whoever runs the process. */
export type EventName =
  'started' | 'exited' | 'elected' | 'lost' | 'leader' | 'down' | 'up' | 'refused' | 'error'

export interface EventRecord {
  /** Nanoseconds of CLOCK_MONOTONIC, in decimal. */
  readonly at: string
  readonly node: string
  readonly pid: number
  readonly event: EventName
  /** Whom the member follows. */
  readonly leader: string | null
  readonly term: number
  readonly reason: string | null
  /** `down` and `up`: of whom the member thinks so. `refused`: who does not fit, for `reason`. */
  readonly peer?: string
}

/** Writes down each event of an election. Returns the function that ends it. */
export function logEvents(election: Election, write: (entry: EventRecord) => void): () => void {
  const entry = (event: EventName, more: Partial<EventRecord> = {}): void => {
    const { leader, term } = believed(election)
    write({
      at: timestamp(),
      node: election.id,
      pid: process.pid,
      event,
      leader,
      term,
      reason: null,
      ...more,
    })
  }
  /** A member whose view changes otherwise, as when the leader's metadata comes, believes what it did. */
  let { leader: told, term: toldTerm } = believed(election)
  const believes = (leader: string | null, term: number): void => {
    if (leader === told && (leader === null || term === toldTerm)) return
    told = leader
    toldTerm = term
    entry('leader', { leader, term })
  }
  entry('started')
  const ends = [
    election.on('elected', ({ term }) => entry('elected', { leader: election.id, term })),
    election.on('lost', ({ term, reason, atMs }) =>
      entry('lost', { at: timestamp(atMs), term, reason }),
    ),
    election.on('leader', (view) =>
      view.kind === 'leader' ? believes(view.leader, view.term) : believes(null, election.term),
    ),
    election.on('peer', ({ peer, state }) => entry(state, { peer })),
    election.on('refused', ({ peer, detail }) => entry('refused', { peer, reason: detail })),
    election.on('error', (error) => entry('error', { reason: error.message })),
  ]
  return () => ends.forEach((end) => end())
}

function believed({ view, term }: Election): { leader: string | null; term: number } {
  return { leader: view.kind === 'leader' ? view.leader : null, term }
}
