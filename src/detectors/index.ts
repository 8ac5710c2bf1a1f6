/** The registry: every failure detector that a host can run, by name. */
import type { Detector } from '../core/detector.ts'
import { ping, pingDetector } from './ping.ts'

export const detectors: readonly Detector[] = [ping]

export { ping, pingDetector }
