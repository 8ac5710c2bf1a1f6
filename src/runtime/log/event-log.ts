/**
 * Writes the event log of a member: converts each event of its election into a record, for programs, `/events` and the
 * live view.
 */
import { monotonic, timestamp } from '../../clock/monotonic.ts'
import { BellwetherError } from '../../core/errors/bellwether-error.ts'
import type { ElectionEvents } from '../election-events.ts'
import { WorkFailedError } from '../errors.ts'
import type { Election } from '../handle.ts'
import { observing, type Listener } from '../listeners.ts'

/** `started` and `exited` are also written by the program that runs the process. */
export type EventName =
  | 'started'
  | 'exited'
  | 'elected'
  | 'lost'
  | 'leader'
  | 'down'
  | 'up'
  | 'unreachable'
  | 'refused'
  | 'reconfigured'
  | 'removed'
  | 'error'

export interface EventRecord {
  /** Nanoseconds of CLOCK_MONOTONIC, in decimal. */
  readonly at: string
  /** The same moment by the wall clock, in ISO 8601. */
  readonly time: string
  readonly node: string
  readonly pid: number
  readonly event: EventName
  /** The member that this member follows. */
  readonly leader: string | null
  readonly term: number
  /** The term as people see it, such as `1·e`. */
  readonly termText: string
  readonly reason: string | null
  /** `lost`: the reason that was given to step down, or why the work failed. */
  readonly detail?: string
  /** `down`, `up`, `unreachable`: the peer. `refused`: the peer that was rejected, for `reason`. */
  readonly peer?: string
  /** `error`: where the work, or bellwether itself, failed. */
  readonly stack?: string
}

/** A moment of CLOCK_MONOTONIC in milliseconds, as a record shows it. */
export function moment(ms = monotonic.now()): Pick<EventRecord, 'at' | 'time'> {
  const time = new Date(Date.now() - (monotonic.now() - ms)).toISOString()
  return { at: timestamp(ms), time }
}

type Write = (record: EventRecord) => void

/** Writes a record for each event. Returns the function that ends it. */
export function logEvents(election: Election, write: Write): () => void {
  return subscribe(election, write, (listener) => listener)
}

/** As `logEvents`, for a place that nobody may look at: errors are reported elsewhere too. */
export function observeEvents(election: Election, write: Write): () => void {
  return subscribe(election, write, observing)
}

function subscribe(
  election: Election,
  write: Write,
  mark: <F extends object>(listener: F) => F,
): () => void {
  const log = (event: EventName, more: Partial<EventRecord> = {}, atMs?: number): void => {
    const { id: node } = election
    const { pid } = process
    const { leader, term } = { ...leaderOf(election), ...more }
    const termText = election.termText(term)
    const fields = { node, pid, event, reason: null, ...more, leader, term, termText }
    write({ ...moment(atMs), ...fields })
  }
  // A view that changes in another way, as by the leader's metadata, is no event.
  let last = leaderOf(election)
  log('started')
  const listeners: Partial<{ [K in keyof ElectionEvents]: Listener<ElectionEvents[K]> }> = {
    elected: ({ term }) => log('elected', { leader: election.id, term }),
    lost: ({ term, reason, detail, atMs }) =>
      log('lost', { term, reason, ...(detail !== undefined && { detail }) }, atMs),
    leader: (view) => {
      const { leader, term } = view.kind === 'leader' ? view : { leader: null, term: election.term }
      if (leader === last.leader && (leader === null || term === last.term)) return
      last = { leader, term }
      log('leader', last)
    },
    peer: ({ peer, state, reason = null }) => log(state, { peer, reason }),
    unreachable: ({ peer, reason }) => log('unreachable', { peer, reason }),
    refused: ({ peer, detail }) => log('refused', { peer, reason: detail }),
    reconfigured: ({ members, changes }) => {
      const others = changes.filter((change) => !change.startsWith('members:'))
      log('reconfigured', { reason: [rolesIn(members), ...others].join('; ') })
    },
    removed: () => log('removed'),
    error: (error) => log('error', { reason: error.message, ...stackOf(error) }),
  }
  const entries = Object.entries(listeners) as [keyof ElectionEvents, Listener<never>][]
  for (const [event, listener] of entries) election.on(event, mark(listener) as never)
  return () => {
    for (const [event, listener] of entries) election.off(event, listener as never)
  }
}

/** Weakest first: `a, b, d (observer)`. */
function rolesIn(members: Election['members']): string {
  return members.map(({ id, role }) => (role === 'voter' ? id : `${id} (${role})`)).join(', ')
}

/** An error that says what to do needs no stack; the work's own does. */
function stackOf(error: Error): { stack?: string } {
  if (error instanceof WorkFailedError) return { stack: error.detail }
  if (error instanceof BellwetherError || error.stack === undefined) return {}
  return { stack: error.stack }
}

function leaderOf({ view, term }: Election): { leader: string | null; term: number } {
  return { leader: view.kind === 'leader' ? view.leader : null, term }
}
