/** For schedulers that call every replica: the call does something on one of them. */
import type { Election, TermOf } from './election.ts'
import type { Safety } from './options/options.ts'

/**
 * A function that calls `work` with the term where this member leads, and does nothing elsewhere. Whoever needs the work
 * to have stopped before another leads puts it into `lead` instead: this one is not waited for.
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
