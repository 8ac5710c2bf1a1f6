/** The model checker: every interleaving of the handlers that ship, within a budget of faults. */
export * from './checker.ts'
export * from './options.ts'
export type { Property } from './judge/properties.ts'
export type { Ending, Progress } from './search/breadth-first.ts'
export type { Transition, TransitionKind } from './transitions/successors.ts'
