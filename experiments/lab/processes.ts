/** Experiments on real processes. */
import type { ProcessExperiment } from './claim.ts'

export const experimentsOnProcesses: readonly ProcessExperiment[] = []
