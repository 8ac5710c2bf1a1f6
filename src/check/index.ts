/**
 * The public entry `bellwether/check`: exports the model checker, which explores every interleaving of an algorithm's
 * handlers within a budget of faults.
 */
export { Checker, check, helpWith } from './checker.ts'
export { type CheckConfig, type CheckOptions, completeOptions } from './options.ts'
export type { Property } from './judge/properties.ts'
export type { CheckResult, Counterexample, Judgement } from './judge/verdict.ts'
export type { Ending, Progress } from './search/breadth-first.ts'
export type { Helpers, SearchToHelp } from './search/helper.ts'
export type { Transition, TransitionKind } from './transitions/successors.ts'
