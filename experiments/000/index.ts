/** 000: Park, "An Election Algorithm with Failure Detectors in Distributed Systems", 2008. */
import type { Experiment } from '../harness/claim.ts'
import { detectorExperiments } from './detectors.ts'
import { timeExperiments } from './times.ts'

export const experiments000: readonly Experiment[] = [...timeExperiments, ...detectorExperiments]
