/** Runs the checker for an experiment, looks up whether a property holds, and describes the result in words. */
import { check, type CheckResult, type CheckOptions } from 'bellwether/check'
import type { Setup } from './claim.ts'

/** More than any of these searches needs; a changed algorithm should not make a search endless. */
const MAX_STATES = 3_000_000

type Given = Omit<CheckOptions, 'algorithm' | 'members'> & { readonly members?: number }

export function explore(setup: Setup, name: string, given: Given): CheckResult {
  return check({ members: 3, maxStates: MAX_STATES, ...given, algorithm: setup.algorithm(name) })
}

/** Where a text says "a leader": in the end all must follow one of them, which need not be the strongest. */
export function exploreForAny(setup: Setup, name: string, given: Given): CheckResult {
  const algorithm = setup.algorithm(name)
  const promises = { ...algorithm.promises, leader: 'any' as const }
  const lenient = { ...algorithm, promises }
  return check({ members: 3, maxStates: MAX_STATES, ...given, algorithm: lenient })
}

/** Whether a property holds; null if the search ended undecided. */
export function holdsIn(result: CheckResult, name: string): boolean | null {
  return result.properties.find((property) => property.name === name)?.holds ?? null
}

export function shownCheck({ ok, states, counterexample, complete }: CheckResult): string {
  const size = `${states.toLocaleString('en')} states`
  if (ok) return `no violation in all ${size}`
  if (counterexample === null) return `undecided after ${size}${complete ? '' : ' (cut off)'}`
  return `“${counterexample.property}” broken after ${counterexample.steps.length} steps (${size})`
}
