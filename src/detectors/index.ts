/** The registry of failure detectors: lists all of them, for hosts that choose one by name, and exports each one. */
import type { Detector } from '../core/detector.ts'
import { eventuallyPerfect } from './eventually-perfect.ts'
import { heartbeat, heartbeatDetector } from './heartbeat.ts'
import { link } from './link.ts'
import { phi } from './phi.ts'
import { ping, pingDetector } from './ping.ts'
import { queryResponse } from './query-response.ts'
import { token } from './token.ts'

export const detectors: readonly Detector[] = [
  ping,
  heartbeat,
  token,
  phi,
  link,
  eventuallyPerfect,
  queryResponse,
]

export {
  eventuallyPerfect,
  heartbeat,
  heartbeatDetector,
  link,
  phi,
  ping,
  pingDetector,
  queryResponse,
  token,
}
