/** The registry: every failure detector that a host can run, by name. */
import type { Detector } from '../core/detector.ts'

export const detectors: readonly Detector[] = []
