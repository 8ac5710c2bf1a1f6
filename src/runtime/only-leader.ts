/** Wraps a function for schedulers that call every replica: it runs only on the leader. */
import type { Term } from './term.ts'

/**
 * Returns a function that calls `work` with the term while this member leads, and does nothing otherwise. Work that
 * must have stopped before another member leads belongs into `lead`: this one is not awaited.
 */
export function onlyLeader<T extends Term, A extends unknown[], R>(
  election: { readonly current: T | null },
  work: (term: T, ...args: A) => R,
): (...args: A) => R | undefined {
  return (...args) => {
    const { current: term } = election
    return term === null ? undefined : work(term, ...args)
  }
}
