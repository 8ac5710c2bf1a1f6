/**
 * Makes V8 keep type feedback from a function's first call on, while a member starts and warms up.
 *
 * Without feedback each access to a property is a full look-up. V8 keeps none before a function has run for a while, and
 * the functions of an election seldom run: all of them are slow when the leader is lost, which costs the survivors a
 * seventh of their processor time then (docs/decisions/0027-what-a-failover-costs.md). The flag concerns the whole
 * process, so it is set for this time only; other functions that run first meanwhile are faster, and take memory sooner.
 */
import { setFlagsFromString } from 'node:v8'

/** The members of this process that have not warmed up yet. */
let starting = 0

/** Returns the function that ends it; further calls of that do nothing. */
export function keepTypeFeedback(): () => void {
  starting += 1
  if (starting === 1) setFlag('--no-lazy-feedback-allocation')
  let hasEnded = false
  return () => {
    if (hasEnded) return
    hasEnded = true
    starting -= 1
    if (starting === 0) setFlag('--lazy-feedback-allocation')
  }
}

/** Other runtimes have other engines, or none of its flags: nothing depends on it. */
function setFlag(flag: string): void {
  try {
    setFlagsFromString(flag)
  } catch {
    // Without it everything works as well.
  }
}
