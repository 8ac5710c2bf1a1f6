/** The interface through which a world runs the failure detectors of all its members. */
import type { AnyMessage } from '../../core/algorithm.ts'
import type { DetectorOut } from '../../core/detector.ts'
import type { ModuleDetectors } from './module-detectors.ts'

export type Detectors = Omit<ModuleDetectors, keyof DetectorOut<AnyMessage>>
