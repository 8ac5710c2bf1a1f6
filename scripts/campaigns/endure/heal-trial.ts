/**
 * The trial `heals` of `npm run endure`: cuts a real network, by dropping packets, and measures how long after the heal
 * all members that can talk follow one leader.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Namespaces } from '../../../src/testing/namespaces.ts'
import { until } from '../../../src/testing/wait.ts'
import { TestCluster } from '../../support/test-cluster.ts'

/** The default timing of the runtime. */
const DETECTION_MS = 1500
/** After a full split: the heal is found within a detection time, then follows one election. */
const ELECTION_MS = 4000

export interface HealCase {
  readonly cut: 'follower' | 'follower-and-crash' | 'split'
  readonly seconds: number
  readonly allowedMs: number
}

export const HEAL_CASES: readonly HealCase[] = [
  ...[5, 15, 40, 70].map((seconds) => {
    return { cut: 'follower', seconds, allowedMs: DETECTION_MS } as const
  }),
  { cut: 'follower-and-crash', seconds: 15, allowedMs: DETECTION_MS + ELECTION_MS },
  { cut: 'split', seconds: 45, allowedMs: DETECTION_MS + ELECTION_MS },
]

export async function healTrial(
  { cut, seconds, allowedMs }: HealCase,
  times: number,
  flags: readonly string[] = [],
) {
  using net = Namespaces.open(['a', 'b', 'c'])
  const tookMs: number[] = []
  for (let i = 1; i <= times; i++) {
    await using cluster = await TestCluster.open({ members: 3, network: net, flags })
    tookMs.push(Math.round(await healOnce(cluster, net, cut, seconds)))
    process.stderr.write(`${cut}, ${seconds} s: ${i} of ${times}, ${tookMs.at(-1)} ms\n`)
  }
  const found = tookMs.filter((ms) => ms > allowedMs).length
  return { trial: 'heals', cut, seconds, times, found, allowed: 0, allowedMs, tookMs }
}

/** Milliseconds from the heal until all members that run follow one leader. */
async function healOnce(
  cluster: TestCluster,
  net: Namespaces,
  cut: HealCase['cut'],
  seconds: number,
): Promise<number> {
  const leader = await cluster.agreed(() => cluster.names)
  await sleep(1000)
  const [cutOff, other] = cluster.names.filter((name) => name !== leader)
  if (cut === 'split') net.partition()
  else net.partition([leader, other])
  await until(() => cluster.believes(cutOff) === null, 'the cut', 20_000)
  if (cut === 'follower-and-crash') cluster.processes.kill(other)
  await sleep(1000 * seconds)
  const before = cluster.entries.length
  net.heal()
  const at = performance.now()
  await until(
    () =>
      cluster.entries
        .slice(before)
        .some((entry) => entry.event === 'leader' && entry.leader !== null),
    'a leader',
    60_000,
  )
  const members = cut === 'follower-and-crash' ? [leader, cutOff] : cluster.names
  await cluster.agreed(() => members, undefined, 60_000)
  return performance.now() - at
}
