/** The faults of docs/guide/faults.md on real processes: kill, stop, cut, restart. `npm run soak` is the long form. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { isAlive } from '../../scripts/support/linux-processes.ts'
import { atMs, TestCluster } from '../../scripts/support/test-cluster.ts'
import { expectSound } from '../support/expect-sound.ts'
import { until } from '../../src/testing/wait.ts'

/** Three times as fast as the default, and slow enough for a busy machine. */
const BRISK = ['--detection', '600ms', '--period', '200ms', '--lease', '800ms']
const TRUSTING = [...BRISK, '--trust-refusals']
const ADVISORY = [...BRISK, '--safety', 'advisory']

describe.each([
  ['quorum', TRUSTING],
  ['advisory', ADVISORY],
])('with safety %s', (safety, flags) => {
  const unique = { unique: safety === 'quorum' }

  test('the leader is killed: a new one, all survivors agree, and the killed one rejoins', async () => {
    await using cluster = await TestCluster.open({ flags, restart: true })
    const leader = await cluster.agreed(() => cluster.names)
    cluster.processes.kill(leader)
    await cluster.agreed(() => cluster.names.filter((name) => name !== leader), leader)
    await until(() => cluster.of('exited').length === 1)
    await until(() => cluster.of('started').filter(({ node }) => node === leader).length === 2)
    await cluster.agreed(() => cluster.names)
    expectSound(cluster, unique)
  })

  test('a follower is killed: no election', async () => {
    await using cluster = await TestCluster.open({ members: 3, flags })
    const leader = await cluster.agreed()
    await sleep(300)
    const before = cluster.entries.length
    cluster.processes.kill(cluster.names.find((name) => name !== leader)!)
    await sleep(1000)
    expect(cluster.of('elected', before)).toEqual([])
    expect(cluster.of('lost', before)).toEqual([])
    expect(await cluster.agreed()).toBe(leader)
  })

  test('all are killed and started again: one leader, in a higher term', async () => {
    await using cluster = await TestCluster.open({ flags })
    await cluster.agreed()
    const before = Math.max(...cluster.of('elected').map(({ term }) => term))
    for (const name of cluster.names) cluster.processes.kill(name)
    await until(() => cluster.of('exited').length === 5)
    for (const name of ['c', 'a', 'e', 'b', 'd']) cluster.processes.start(name)
    await until(() => cluster.of('started').length === 10)
    await cluster.agreed(() => cluster.names)
    const after = Math.max(...cluster.of('elected').map(({ term }) => term))
    expect(after).toBeGreaterThan(before)
    expectSound(cluster, unique)
  })

  test('the leader is stopped for three leases and resumed: others lead, and it loses its term once', async () => {
    await using cluster = await TestCluster.open({ flags })
    const leader = await cluster.agreed()
    await sleep(300)
    const before = cluster.entries.length
    cluster.processes.pause(leader)
    await cluster.agreed(cluster.running(), leader)
    await sleep(2400)
    cluster.processes.resume(leader)
    await until(() => cluster.of('lost', before).some(({ node }) => node === leader))
    await cluster.agreed()
    const lost = cluster.of('lost', before).filter(({ node }) => node === leader)
    expect(lost).toMatchObject([{ reason: 'paused' }])
    expectSound(cluster, unique)
  })

  test('SIGTERM on the leader: it hands over before a detector could report its silence', async () => {
    await using cluster = await TestCluster.open({
      flags: [...flags, '--detection', '3s', '--period', '1s', '--lease', '4s'],
    })
    const leader = await cluster.agreed()
    await sleep(500)
    const before = cluster.entries.length
    cluster.processes.stop(leader)
    await cluster.agreed(cluster.running(), leader)
    const [lost] = cluster.of('lost', before)
    const [elected] = cluster.of('elected', before)
    expect(lost).toMatchObject({ node: leader, reason: 'closed' })
    expect(atMs(elected) - atMs(lost)).toBeLessThan(1500)
    await until(() => cluster.of('exited', before).length === 1)
    expect(cluster.of('exited', before)[0].reason).toBeNull()
  })
})

describe('stalls', () => {
  const flags = ['--detection', '500ms', '--lease', '1s']

  test.each([
    ['quorum', flags],
    ['advisory', [...flags, '--safety', 'advisory']],
  ])('a follower is stopped for 1.2 s, again and again: 0 elections (%s)', async (_, flags) => {
    await using cluster = await TestCluster.open({ members: 3, flags })
    const leader = await cluster.agreed()
    const follower = cluster.names.find((name) => name !== leader)!
    await sleep(500)
    const before = cluster.entries.length
    for (let i = 0; i < 4; i++) {
      cluster.processes.pause(follower)
      await sleep(1200)
      cluster.processes.resume(follower)
      await sleep(300)
    }
    expect(cluster.of('elected', before)).toEqual([])
    expect(cluster.of('leader', before)).toEqual([])
    expect(await cluster.agreed()).toBe(leader)
  })

  test('the leader is stopped for half a detection time: nothing', async () => {
    await using cluster = await TestCluster.open({
      members: 3,
      flags: ['--detection', '2s', '--lease', '3s'],
    })
    const leader = await cluster.agreed()
    await sleep(500)
    const before = cluster.entries.length
    cluster.processes.pause(leader)
    await sleep(1000)
    cluster.processes.resume(leader)
    await sleep(1500)
    expect(cluster.of('elected', before)).toEqual([])
    expect(cluster.of('lost', before)).toEqual([])
  })
})

describe('cuts', () => {
  test('the leader is isolated: the majority leads after its lease, and it has stepped down before', async () => {
    await using cluster = await TestCluster.open({ flags: BRISK })
    const leader = await cluster.agreed()
    await sleep(300)
    const before = cluster.entries.length
    cluster.processes.isolate(leader)
    const rest = cluster.names.filter((name) => name !== leader)
    await cluster.agreed(() => rest, leader)
    const lost = await until(() => cluster.of('lost', before).find(({ node }) => node === leader))
    const [elected] = cluster.of('elected', before)
    expect(lost.reason).toBe('quorum-lost')
    expect(atMs(lost)).toBeLessThan(atMs(elected))
    cluster.processes.heal()
    await cluster.agreed(() => cluster.names)
    expectSound(cluster)
  })

  test('majority and minority: the majority leads, the minority has no leader, and they agree when healed', async () => {
    await using cluster = await TestCluster.open({ flags: BRISK })
    const leader = await cluster.agreed()
    await sleep(300)
    const [other, ...majority] = cluster.names.filter((name) => name !== leader)
    const minority = [leader, other]
    for (const a of minority) for (const b of majority) cluster.processes.cut(a, b)
    const next = await cluster.agreed(() => majority, leader)
    expect(majority).toContain(next)
    await until(() =>
      minority.every(
        (name) => cluster.of('leader').findLast(({ node }) => node === name)?.leader === null,
      ),
    )
    cluster.processes.heal()
    await cluster.agreed(() => cluster.names)
    expectSound(cluster)
  })

  test('partial partition: the strongest sees one of four others; the rest has a leader and keeps it', async () => {
    await using cluster = await TestCluster.open({ flags: BRISK })
    await cluster.agreed()
    await sleep(300)
    for (const other of ['a', 'b', 'c']) cluster.processes.cut('e', other)
    await cluster.agreed(() => ['a', 'b', 'c'], 'e')
    await sleep(1500)
    const before = cluster.entries.length
    await sleep(3000)
    const churn = cluster.of('elected', before)
    expect(churn.length).toBeLessThanOrEqual(1)
    expect(await cluster.agreed(() => ['a', 'b', 'c'], 'e')).not.toBe('e')
    expectSound(cluster)
  })
})

test('members of a cluster end with it', async () => {
  await using cluster = await TestCluster.open({ members: 3 })
  await cluster.agreed()
  const pids = cluster.names.map((name) => cluster.processes.pidOf(name)!)
  cluster.processes.pause('a')
  await cluster.processes.close()
  expect(pids.filter(isAlive)).toEqual([])
})
