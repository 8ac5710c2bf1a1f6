/**
 * The configuration of a group as hosts see it: which seats vote, which only follow, what the host keeps beside them,
 * and which rule of a change stands in the way. `docs/decisions/0018` has the rules.
 */
import { NONE, type NodeId } from './node-id.ts'
import type { ReadonlyNodeSet } from './node-set.ts'

/** What a change of the configuration asks for, as a whole: what it does not name, it takes away. */
export interface Change {
  readonly voters: ReadonlyNodeSet
  /** They follow the leader and adopt configurations, and never vote or stand. */
  readonly observers: ReadonlyNodeSet
  /** The host's part: names, addresses, timing. Algorithms compare it for equality only. */
  readonly data: string
  /**
   * The number of the term in which the host's user leads. Where no majority orders configurations, what was written in
   * an earlier term is older; absent: as the configurations themselves say.
   */
  readonly era?: number
}

/** The configuration that a member has adopted. */
export interface Configuration extends Change {
  /** Configurations are ordered by the term of the leader that wrote them, then by version. 0: the first configuration. */
  readonly term: number
  readonly version: number
  /**
   * At the leader that wrote it: a majority of its voters has adopted it. False everywhere else. Always true where no
   * majority is asked.
   */
  readonly committed: boolean
}

export function isNewerConfiguration(
  a: Pick<Configuration, 'term' | 'version'>,
  b: Pick<Configuration, 'term' | 'version'>,
): boolean {
  return a.term === b.term ? a.version > b.version : a.term > b.term
}

/** The content of the configuration that a message carries; undefined: it carries none. */
export function contentIn(message: Readonly<Record<string, unknown>>): Change | undefined {
  return message['voters'] === undefined ? undefined : (message as unknown as Change)
}

/** For how many milliseconds a message asks its receiver to vote for no other member; 0: for as long as its own timing says. */
export function bondIn(message: Readonly<Record<string, unknown>>): number {
  const { bond } = message
  return typeof bond === 'number' ? bond : 0
}

/** What a change makes of a seat. `alone`: the only voter, which is more than one change may do where three vote. */
export const SEAT_ROLES = ['voter', 'observer', 'outside', 'alone'] as const
export type SeatRole = (typeof SEAT_ROLES)[number]

/** The change that gives one seat another role; NONE: none, which lets the leader write the same content again. */
export function changeOfSeat(from: Change, seat: NodeId, role: SeatRole): Change {
  const voters = from.voters.copy()
  const observers = from.observers.copy()
  if (seat !== NONE) {
    voters.delete(seat)
    observers.delete(seat)
    if (role === 'alone') voters.clear()
    if (role === 'voter' || role === 'alone') voters.add(seat)
    if (role === 'observer') observers.add(seat)
  }
  return { voters, observers, data: from.data }
}

/** The longest `data`, in characters. */
export const MAX_CONFIGURATION_DATA = 65_536

/** The rule that refuses a change now; '': none. */
export type ChangeRefusal =
  | ''
  | 'not the leader'
  | 'no voter' // nobody would be left to lead
  | 'two roles' // a seat is voter and observer at once
  | 'more than one voter' // a change adds or removes one voter at most
  | 'not caught up' // the new voter is no observer that has adopted the leader's configuration
  | 'nothing changes'
  | 'not committed' // the last change, or its confirmation in the leader's own term: ask again later
