/** Builds the status of a member as `/status` shows it: election, engine and peers. */
import { eventLoopLagMs, monotonic } from '../../clock/monotonic.ts'
import type { View } from '../election-events.ts'
import type { Arbiter } from '../fencing/fencing-config.ts'
import type { Host } from '../host/host.ts'
import { awaitedFounders } from '../membership/founding-wait.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import type { Term } from '../term.ts'

interface Handle {
  readonly view: View
  readonly term: number
  termText(term: number): string
  readonly current: Term | null
}

export type MemberStatus = ReturnType<typeof statusOf>

export function statusOf(
  handle: Handle,
  options: ResolvedOptions,
  host: Host,
  fencing: Arbiter | null,
  since: number,
) {
  const { view } = handle
  return {
    id: options.id,
    pid: process.pid,
    status: statusWord(options, host, handle.current !== null),
    leader: view.kind === 'leader' ? view.leader : null,
    term: handle.term,
    termText: handle.termText(handle.term),
    fence: handle.current?.fence ?? null,
    since: new Date(since).toISOString(),
    safety: options.safety,
    leaseMs: options.leaseMs,
    timing: timingOf(options),
    trustRefusals: options.trustRefusals,
    engine: engineStatus(options, fencing),
    algorithm: options.engineOnly ? 'engine' : options.algorithm.name,
    detector: options.engineOnly ? 'engine' : options.detector.name,
    waitsFor: awaitedFounders(options, host),
    peers: peersStatus(options, host),
    loopLagMs: Math.round(eventLoopLagMs()),
    slowestWriteMs: Math.round(host.slowestWriteMs),
  }
}

function timingOf({ group: { timing } }: ResolvedOptions) {
  const { periodMs, detectionMs, messageMs } = timing
  return { periodMs, detectionMs, messageMs }
}

function statusWord({ engineOnly }: ResolvedOptions, host: Host, leads: boolean): string {
  if (!host.takesPart) return 'off'
  if (engineOnly) return leads ? 'leader' : 'candidate'
  return host.state.status
}

function engineStatus({ fenced }: ResolvedOptions, fencing: Arbiter | null) {
  if (fenced === null || fencing === null) return null
  return {
    name: fenced.engine.name,
    holder: fencing.holder || null,
    token: fencing.token,
    trouble: fencing.trouble?.message ?? null,
  }
}

function peersStatus({ roles, names, me }: ResolvedOptions, host: Host) {
  const now = monotonic.now()
  return [...roles.keys()]
    .filter((peer) => peer !== me)
    .map((peer) => {
      const { verdict, lastReceivedAt, roundTripMs = null, trouble = null } = host.peerState(peer)
      const lastHeardMs = lastReceivedAt === undefined ? null : Math.round(now - lastReceivedAt)
      return { id: names[peer], state: verdict, lastHeardMs, rttMs: roundTripMs, trouble }
    })
}
