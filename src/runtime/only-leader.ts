/** Wraps a function for schedulers that call every replica: it runs only on the leader. */
import type { Election, TermOf } from './election.ts'
import type { Safety } from './options/option-table.ts'

/**
 * Returns a function that calls `work` with the term while this member leads, and does nothing otherwise. Work that
 * must have stopped before another member leads belongs into `lead`: this one is not awaited.
 */
export function onlyLeader<S extends Safety, A extends unknown[], R>(
  election: Pick<Election<S>, 'current'>,
  work: (term: TermOf<S>, ...args: A) => R,
): (...args: A) => R | undefined {
  return (...args) => {
    const { current: term } = election
    return term === null ? undefined : work(term, ...args)
  }
}
