/** What `/status` shows of a member. */
import { NONE } from '../../core/node-id.ts'
import { eventLoopLagMs, monotonic } from '../../clock/monotonic.ts'
import type { Fencing } from '../fencing/fencing.ts'
import type { Host } from '../host/host.ts'
import type { ResolvedOptions } from '../options/options.ts'
import type { Term } from '../term.ts'

interface Handle {
  readonly settings: ResolvedOptions
  readonly term: number
  readonly current: Term | null
}

export function statusOf(handle: Handle, host: Host, fencing: Fencing | null, believedAt: number) {
  const { settings } = handle
  const { status, leader } = host.state
  return {
    id: settings.id,
    pid: process.pid,
    status: host.takesPart ? status : 'off',
    leader: leader === NONE ? null : settings.names[leader],
    term: handle.term,
    fence: handle.current?.fence ?? null,
    since: new Date(believedAt).toISOString(),
    safety: settings.safety,
    engine: engineStatus(settings, fencing),
    algorithm: settings.algorithm.name,
    detector: settings.detector.name,
    peers: peersStatus(settings, host),
    loopLagMs: Math.round(eventLoopLagMs()),
  }
}

function engineStatus({ fenced, names }: ResolvedOptions, fencing: Fencing | null) {
  if (fenced === null || fencing === null) return null
  return {
    name: fenced.engine.name,
    holder: names[fencing.known.holder] || null,
    token: fencing.token,
    trouble: fencing.trouble?.message ?? null,
  }
}

function peersStatus({ group, names, me }: ResolvedOptions, { detector, links }: Host) {
  const now = monotonic.now()
  return [...group.everyone]
    .filter((peer) => peer !== me)
    .map((peer) => ({
      id: names[peer],
      state: detector.opinionOf(peer),
      lastHeardMs: elapsed(now, links.lastHeard(peer)),
      rttMs: links.roundTrip(peer) ?? null,
    }))
}

function elapsed(now: number, then: number | undefined): number | null {
  return then === undefined ? null : Math.round(now - then)
}
