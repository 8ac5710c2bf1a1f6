/** The list of all experiments in the simulator and the checker. */
import { bullyExperiments as bully000 } from '../000/bully.ts'
import { detectorExperiments } from '../000/detectors.ts'
import { failureExperiments } from '../000/many-failures.ts'
import { proseExperiments } from '../000/prose.ts'
import { termExperiments } from '../000/terms.ts'
import { timeExperiments as times000 } from '../000/times.ts'
import { advantageExperiments } from '../001/advantages.ts'
import { messageExperiments } from '../001/messages.ts'
import { propertyExperiments } from '../001/properties.ts'
import { timeExperiments as times001 } from '../001/times.ts'
import { experiments002 } from '../002/index.ts'
import { raftExperiment } from '../003/against-raft.ts'
import { caseExperiments } from '../003/case-studies.ts'
import { durationExperiments } from '../003/durations.ts'
import { electionExperiments } from '../003/elections.ts'
import { launchExperiment } from '../003/launch.ts'
import { safetyExperiments } from '../003/safety.ts'
import { bullyExperiments as bully004 } from '../004/bully.ts'
import { ringExperiments } from '../004/rings.ts'
import { experimentsBeyond } from '../beyond/index.ts'
import { ringExperiment } from '../beyond/rings.ts'
import type { Experiment } from './claim.ts'

/** In the order of the documents. */
export const experiments: readonly Experiment[] = [
  ...times000,
  ...termExperiments,
  ...failureExperiments,
  ...detectorExperiments,
  ...bully000,
  ...proseExperiments,
  ...messageExperiments,
  ...times001,
  ...propertyExperiments,
  ...advantageExperiments,
  ...experiments002,
  launchExperiment,
  ...durationExperiments,
  ...electionExperiments,
  raftExperiment,
  ...caseExperiments,
  ...safetyExperiments,
  ...ringExperiments,
  ...bully004,
  ...experimentsBeyond,
  ringExperiment,
]
