/** The list of all experiments in the simulator and the checker, and the setup they run with: algorithms, seed, number of samples. */
import { algorithms } from 'bellwether/algorithms'
import type { Algorithm } from 'bellwether/core'
import { detectorExperiments } from '../000/detectors.ts'
import { failureExperiments } from '../000/many-failures.ts'
import { timeExperiments as times000 } from '../000/times.ts'
import { messageExperiments } from '../001/messages.ts'
import { propertyExperiments } from '../001/properties.ts'
import { timeExperiments as times001 } from '../001/times.ts'
import { experiments002 } from '../002/index.ts'
import { raftExperiment } from '../003/against-raft.ts'
import { electionExperiments } from '../003/elections.ts'
import { launchExperiment } from '../003/launch.ts'
import { safetyExperiments } from '../003/safety.ts'
import { experiments004 } from '../004/index.ts'
import { experimentsBeyond } from '../beyond/index.ts'
import { ringExperiment } from '../beyond/rings.ts'
import type { Experiment, Setup } from './claim.ts'

/** In the order of the documents. */
export const experiments: readonly Experiment[] = [
  ...times000,
  ...failureExperiments,
  ...detectorExperiments,
  ...messageExperiments,
  ...times001,
  ...propertyExperiments,
  ...experiments002,
  launchExperiment,
  ...electionExperiments,
  raftExperiment,
  ...safetyExperiments,
  ...experiments004,
  ...experimentsBeyond,
  ringExperiment,
]

export interface SetupOptions {
  readonly seed: number
  /** Claims; none: all. */
  readonly only?: readonly string[]
  /** 1: all samples. */
  readonly effort: number
  /** Algorithms that replace those of the same name. */
  readonly replaced?: readonly Algorithm[]
}

export function setupOf({ seed, effort, only = [], replaced = [] }: SetupOptions): Setup {
  const byName = new Map([...algorithms, ...replaced].map((one) => [one.name, one]))
  return {
    seed,
    wants: (id) => only.length === 0 || only.includes(id),
    samples: (full) => Math.max(2, Math.round(full * effort)),
    algorithm(name) {
      const found = byName.get(name)
      if (found === undefined) throw new Error(`there is no algorithm ${name}`)
      return found
    },
  }
}
