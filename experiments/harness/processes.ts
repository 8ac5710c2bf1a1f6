/** Experiments on real processes. */
import { processExperiment } from '../003/real.ts'
import type { ProcessExperiment } from './claim.ts'

export const experimentsOnProcesses: readonly ProcessExperiment[] = [processExperiment]
