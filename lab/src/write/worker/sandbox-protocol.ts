/** The types of what the page asks the sandbox, and of what it answers. */
import type { CheckerQuestions } from '../../checker/checker-protocol.ts'
import type { AlgorithmInfo, WorkerQuestions } from '../../simulation/worker-protocol.ts'
import type { Problem } from '../program-problem.ts'

export type Loaded =
  | { readonly algorithm: AlgorithmInfo; readonly problems: readonly [] }
  | { readonly algorithm: null; readonly problems: readonly Problem[] }

/** A program, by its text, is the algorithm of the questions after it. */
export type SandboxQuestions = WorkerQuestions &
  CheckerQuestions & { load: { ask: string; answer: Loaded } }
