/** 003: Rafailescu, "Fault Tolerant Leader Election in Distributed Systems", 2017: the roulette wheel. */
import type { Experiment } from '../harness/claim.ts'
import { electionExperiments } from './elections.ts'
import { launchExperiment } from './launch.ts'
import { safetyExperiments } from './safety.ts'

export const experiments003: readonly Experiment[] = [
  launchExperiment,
  ...electionExperiments,
  ...safetyExperiments,
]
