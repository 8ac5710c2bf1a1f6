/** The registry: every failure detector that a host can run, by name. */
import type { Detector } from '../core/detector.ts'
import { link } from './link.ts'
import { ping, pingDetector } from './ping.ts'

export const detectors: readonly Detector[] = [ping, link]

export { link, ping, pingDetector }
