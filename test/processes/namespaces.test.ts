/** Cuts of a real network: each member in a network namespace, with a router that drops packets. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { Namespaces } from '../../src/testing/index.ts'
import { healTrial } from '../../scripts/campaigns/endure/heal-trial.ts'
import { atMs, TestCluster } from '../../scripts/support/test-cluster.ts'
import { expectSound } from '../support/expect-sound.ts'
import { until } from '../../src/testing/wait.ts'

const missing = Namespaces.whyUnavailable()
if (missing !== undefined) process.stderr.write(`no cuts of real networks: ${missing}\n`)

const FIVE = ['a', 'b', 'c', 'd', 'e']
const LEASE_MS = 800
const BRISK = ['--detection', '600ms', '--period', '200ms', '--lease', `${LEASE_MS}ms`]
/** From the heal to agreement: 2 s, and what a busy machine adds. TCP alone would take longer. */
const HEALED_MS = 8000

const open: { cluster: TestCluster; net: Namespaces }[] = []
afterEach(async () => {
  for (const { cluster, net } of open.splice(0)) {
    await cluster.close()
    net.close()
  }
})

async function start(flags: readonly string[] = BRISK) {
  const net = Namespaces.open(FIVE)
  const cluster = await TestCluster.open({ members: 5, flags, network: net })
  open.push({ cluster, net })
  const leader = await cluster.agreed(() => cluster.names)
  await sleep(400)
  return { cluster, net, leader, others: FIVE.filter((name) => name !== leader) }
}

/** How late a process may be on a busy machine. */
const BUSY_MS = 3000

/** The term ended, by its own log, before the next began; and by itself, within its lease. */
function expectInTurn(cluster: TestCluster, cutAtMs: number, leader: string): void {
  const lost = cluster.of('lost').findLast((entry) => entry.node === leader)!
  // One that still hears the others, unheard itself, can only say that no answer came in time.
  expect(['quorum-lost', 'expired']).toContain(lost.reason)
  expect(atMs(lost) - cutAtMs).toBeLessThan(LEASE_MS + BUSY_MS)
  const next = cluster.of('elected').filter(({ term }) => term > lost.term)
  expect(next).not.toEqual([])
  expect(atMs(lost)).toBeLessThan(Math.min(...next.map(atMs)))
}

const now = (): number => Number(process.hrtime.bigint()) / 1e6

async function healed(cluster: TestCluster, net: Namespaces): Promise<void> {
  net.heal()
  await cluster.agreed(() => cluster.names, undefined, HEALED_MS)
  expectSound(cluster)
}

describe.skipIf(missing !== undefined)('in networks of their own', () => {
  test('majority and minority: the majority leads, the leader of the minority has stepped down within its lease, and all agree soon after the heal', async () => {
    const { cluster, net, leader, others } = await start()
    net.partition([leader, others[0]], others.slice(1))
    const cutAt = now()
    const next = await cluster.agreed(() => others.slice(1), leader)
    expect(others.slice(1)).toContain(next)
    await until(() => cluster.believes(others[0]) === null)
    expectInTurn(cluster, cutAt, leader)
    await healed(cluster, net)
  })

  test('the leader is isolated for 15 s: connections that TCP still thinks open do not delay the heal', async () => {
    const { cluster, net, leader, others } = await start()
    net.partition([leader], others)
    const cutAt = now()
    await cluster.agreed(() => others, leader)
    await sleep(15_000)
    expectInTurn(cluster, cutAt, leader)
    await healed(cluster, net)
  })

  test.each(['from', 'to'] as const)(
    'a one-way cut %s the leader: it steps down within its lease, the others lead',
    async (direction) => {
      const { cluster, net, leader, others } = await start()
      for (const other of others) {
        if (direction === 'from') net.cutOneWay(leader, other)
        else net.cutOneWay(other, leader)
      }
      const cutAt = now()
      await cluster.agreed(() => others, leader)
      expectInTurn(cluster, cutAt, leader)
      await healed(cluster, net)
    },
  )

  test('a three-way split: no member leads, and all agree soon after the heal', async () => {
    const { cluster, net, leader, others } = await start()
    const cutAt = now()
    net.partition([leader, others[0]], [others[1], others[2]], [others[3]])
    await until(() => FIVE.every((name) => cluster.believes(name) === null))
    await sleep(2000)
    expect(cluster.of('elected').filter((entry) => atMs(entry) > cutAt)).toEqual([])
    await healed(cluster, net)
    expectInTurn(cluster, cutAt, leader)
  })

  test('partial partition: the strongest sees one of four others; the rest has a leader, and little churn', async () => {
    const { cluster, net } = await start()
    for (const other of ['a', 'b', 'c']) net.cut('e', other)
    await cluster.agreed(() => ['a', 'b', 'c'], 'e')
    await sleep(1500)
    const before = cluster.entries.length
    await sleep(3000)
    expect(cluster.of('elected', before).length).toBeLessThanOrEqual(1)
    await healed(cluster, net)
  })

  test('a ring of majorities: each sees its two neighbours; one leader per term, no endless elections', async () => {
    const { cluster, net } = await start()
    FIVE.forEach((name, i) => {
      net.cut(name, FIVE[(i + 2) % 5])
    })
    await sleep(3000)
    const before = cluster.entries.length
    await sleep(4000)
    // The leader reaches a majority. A member that reaches neither the leader nor a majority may stand.
    expect(cluster.of('elected', before).length).toBeLessThanOrEqual(4)
    await healed(cluster, net)
  })

  test('a follower that was cut off for 8 s follows within a detection time of the heal, and does not wait for TCP', async () => {
    const slack = 1400 // of a busy machine
    const heal = { cut: 'follower', seconds: 8, allowedMs: 600 + slack } as const
    expect(await healTrial(heal, 1, BRISK)).toMatchObject({ found: 0 })
  })

  test('a machine that is cut off and comes back follows, without an election', async () => {
    const { cluster, net, leader, others } = await start()
    const before = cluster.entries.length
    net.partition(
      [others[0]],
      FIVE.filter((name) => name !== others[0]),
    )
    await until(() => cluster.believes(others[0]) === null)
    await sleep(1000)
    await healed(cluster, net)
    expect(cluster.of('elected', before)).toEqual([])
    expect(cluster.believes(others[0])).toBe(leader)
  })
})
