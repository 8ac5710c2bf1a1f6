/** Opens clusters of processes with their state on the disk, recovers failed members, reads the clock and computes medians, for the benchmarks of failover. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { TestCluster } from '../../scripts/support/test-cluster.ts'
import { until } from '../../src/testing/wait.ts'

/** Fifty processes at once take a while on two cores. */
const START_LIMIT_MS = 120_000

export async function openCluster(members: number, flags: readonly string[]): Promise<TestCluster> {
  const state = mkdtempSync(join(tmpdir(), 'bellwether-'))
  const cluster = await TestCluster.open({ members, flags, state })
  await cluster.agreed(() => cluster.names, undefined, START_LIMIT_MS)
  return cluster
}

export type Failure = 'kill' | 'stop' | 'pause'

/** Brings a failed member back and waits until all members agree. */
export async function recover(cluster: TestCluster, name: string, failure: Failure) {
  if (failure === 'pause') cluster.processes.resume(name)
  else {
    await until(() => cluster.processes.conditionOf(name) === 'dead')
    cluster.processes.start(name)
  }
  // It may take over the leadership: wait until that has happened.
  await sleep(800)
  await cluster.agreed(() => cluster.names)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
