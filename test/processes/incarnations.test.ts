/** News about a peer is news about one incarnation of it: real processes, a real restart, a late proof of death. */
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atMs, program, TestCluster } from '../../scripts/support/test-cluster.ts'
import { until } from '../../src/testing/wait.ts'

/** Terms that began before another member's term had ended. */
function overlaps(cluster: TestCluster): string[] {
  const lost = cluster.of('lost')
  const terms = cluster.of('elected').map((entry) => {
    const end = lost.find(({ node, term }) => node === entry.node && term === entry.term)
    return { ...entry, from: atMs(entry), to: end === undefined ? Infinity : atMs(end) }
  })
  return terms.flatMap((a) =>
    terms
      .filter((b) => b.term > a.term && b.from < a.to)
      .map((b) => `${b.node} in ${b.term} began while ${a.node} led in ${a.term}`),
  )
}

test('a proof of death of a former incarnation frees no vote for the present one', async () => {
  await using cluster = await TestCluster.open({ flags: ['--trust-refusals'] })
  const leader = await cluster.agreed()
  // The strongest other member restarts, and reaches the leader only.
  const [restarted, ...others] = cluster.names.filter((name) => name !== leader).toReversed()
  cluster.processes.kill(restarted)
  await until(() => (cluster.of('exited').length > 0 ? true : undefined))
  for (const other of others) cluster.processes.cut(restarted, other)
  cluster.processes.start(restarted)
  await until(() => (cluster.believes(restarted) === leader ? true : undefined))
  await sleep(2500)
  cluster.processes.heal()
  // The others vote for it because the leader named it, and then learn that it had crashed before.
  const stepDown = [program, 'step-down', '--state', cluster.state, '--to', restarted]
  execFileSync(process.execPath, stepDown)
  await sleep(2500)
  expect(overlaps(cluster)).toEqual([])
  expect(cluster.of('elected').map(({ node }) => node)).toContain(restarted)
})
