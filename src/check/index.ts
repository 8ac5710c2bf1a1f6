/** The model checker: every interleaving of the handlers that ship, within a budget of faults. */
export * from './checker.ts'
export * from './options.ts'
export type { Property } from './properties.ts'
export type { Ending, Progress } from './search.ts'
export type { Step, StepKind } from './successors.ts'
