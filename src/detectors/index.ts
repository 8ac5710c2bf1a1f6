/** The registry of failure detectors: the list that hosts choose from by name, and each one as an export. */
import type { Detector } from '../core/detector.ts'
import { heartbeat, heartbeatDetector } from './heartbeat.ts'
import { link } from './link.ts'
import { phi } from './phi.ts'
import { ping, pingDetector } from './ping.ts'
import { token } from './token.ts'

export const detectors: readonly Detector[] = [ping, heartbeat, token, phi, link]

export { heartbeat, heartbeatDetector, link, phi, ping, pingDetector, token }
