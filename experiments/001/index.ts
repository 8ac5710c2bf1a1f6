/** 001: Park, "An Efficient Coordinator Election Algorithm in Synchronous Distributed Systems", 2004. */
import type { Experiment } from '../harness/claim.ts'
import { messageExperiments } from './messages.ts'
import { propertyExperiments } from './properties.ts'
import { timeExperiments } from './times.ts'

export const experiments001: readonly Experiment[] = [
  ...messageExperiments,
  ...timeExperiments,
  ...propertyExperiments,
]
