/** Compares an incident of a live group with the run that simulates it: how long each has no leader. */
import { parseDuration } from '../../../src/core/time.ts'
import type { Run } from '../simulation/worker-protocol.ts'

/** An incident as a link carries it: `28ms@3.2s`, how long no member led and when that begins in the run, in microseconds. */
export interface LiveIncident {
  readonly forUs: number
  readonly at: number
}

export function writeIncident({ forUs, at }: LiveIncident): string {
  return `${forUs}us@${at}us`
}

export function readIncident(text: string | null): LiveIncident | null {
  const [forUs, at] = (text ?? '').split('@').map((part) => parseDuration(part))
  return forUs === undefined || at === undefined ? null : { forUs, at }
}

/** For how long no member leads in the run from then on: a paused leader does not. Null: a member leads on, or none ever leads again. */
export function simulatedUs({ diagram }: Run, { at }: LiveIncident): number | null {
  const led = diagram.lanes
    .flatMap(({ intervals }) => intervals)
    .filter(({ state, paused }) => state === 'leading' && !paused)
    .sort((a, b) => a.from - b.from)
  // A fault at that moment may come an instant later: the incident is cut off at whole microseconds.
  let from = at
  for (const interval of led) if (interval.from <= at + 1) from = Math.max(from, interval.to)
  if (from > at + SLACK_US) return null
  const next = led.find((interval) => interval.from > at + 1)
  return next === undefined ? null : next.from - Math.max(at, from)
}

/** Two moments that are this close are the same one. */
const SLACK_US = 1000
