/** The trial `crowds` of `npm run endure`: starts a large group on this machine at once, and measures when its first leader leads, when all follow one, and what that costs. */
import { loadavg } from 'node:os'
import { until } from '../../../src/testing/wait.ts'
import { cpuSecondsOf } from '../../support/linux-processes.ts'
import { atMs, nowMs, TestCluster } from '../../support/test-cluster.ts'

export const CROWDS = [
  { members: 50, allowedMs: 5000 },
  { members: 100, allowedMs: 10_000 },
] as const

/** A machine that is too small for so many members may never be done. */
const FIRST_LIMIT_MS = 120_000
const AGREED_LIMIT_MS = 30_000

export async function crowdTrial({ members, allowedMs }: (typeof CROWDS)[number], times: number) {
  const firstMs: number[] = []
  const agreedMs: (number | null)[] = []
  const cpuSeconds: number[] = []
  for (let i = 1; i <= times; i++) {
    const startedMs = nowMs()
    await using cluster = await TestCluster.open({ members })
    const first = await until(() => cluster.of('elected')[0], 'a leader', FIRST_LIMIT_MS)
    cpuSeconds.push(
      cluster.names.reduce((sum, name) => sum + cpuSecondsOf(cluster.processes.pidOf(name)!), 0),
    )
    firstMs.push(Math.round(atMs(first) - startedMs))
    const isAgreed = cluster.agreed(() => cluster.names, undefined, AGREED_LIMIT_MS)
    agreedMs.push(
      await isAgreed.then(
        () => Math.round(nowMs() - startedMs),
        () => null,
      ),
    )
    process.stderr.write(`${members} members: ${i} of ${times}, ${firstMs.at(-1)} ms\n`)
  }
  const found = firstMs.filter((ms) => ms > allowedMs).length
  const measured = { firstMs, agreedMs, cpuSeconds: cpuSeconds.map(Math.round), load: loadavg()[0] }
  return { trial: 'crowds', members, times, found, allowed: 0, allowedMs, ...measured }
}
