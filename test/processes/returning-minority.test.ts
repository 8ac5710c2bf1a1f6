/** A minority that was cut off together comes back: real processes, and a leader that keeps its term. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { TestCluster } from '../../scripts/support/test-cluster.ts'
import { until } from '../../src/testing/wait.ts'

const BRISK = ['--detection', '300ms', '--period', '100ms', '--lease', '400ms']

test('two of five that were cut off together follow the leader again, and its term goes on', async () => {
  await using cluster = await TestCluster.open({ flags: BRISK })
  const leader = await cluster.agreed()
  const [first, second, ...others] = cluster.names.filter((name) => name !== leader)
  const since = cluster.entries.length
  for (const away of [first, second]) {
    for (const peer of [leader, ...others]) cluster.processes.cut(away, peer)
  }
  await until(() => (cluster.believes(first) === null ? true : undefined))
  await sleep(4000) // each stands several times, and the other votes for it
  cluster.processes.heal()
  await until(() => {
    const beliefs = [first, second].map((name) => cluster.believes(name))
    return beliefs.every((belief) => belief === leader) ? true : undefined
  })
  await sleep(500)
  expect([cluster.of('lost', since), cluster.of('elected', since)]).toEqual([[], []])
})
