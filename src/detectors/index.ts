/**
 * The registry: every failure detector that any host can run, by name. `link` is not among them: it lives
 * on what a real transport knows, and the runtime adds it.
 */
import type { Detector } from '../core/detector.ts'
import { heartbeat, heartbeatDetector } from './heartbeat.ts'
import { link } from './link.ts'
import { phi } from './phi.ts'
import { ping, pingDetector } from './ping.ts'
import { token } from './token.ts'

export const detectors: readonly Detector[] = [ping, heartbeat, token, phi]

export { heartbeat, heartbeatDetector, link, phi, ping, pingDetector, token }
