/** Every algorithm of the registry that tolerates crashes elects over real links, with every detector: the same files as in the simulator. */
import { describe, expect, test } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { detectors } from '../../src/detectors/index.ts'
import type { Safety } from '../../src/index.ts'
import { tcp } from '../../src/transports/tcp/tcp.ts'
import { Cluster } from '../support/members.ts'

const real = algorithms.filter(({ specimen, assumes }) => !specimen && assumes.crashes)
const TIMING = { detection: 600, period: 300, lease: 1200, message: 60 }

async function cluster(
  algorithm: string,
  detector: string,
  safety: Safety = 'advisory',
): Promise<Cluster> {
  const names = ['a', 'b', 'c']
  const ports = await freePorts(3)
  const members = Object.fromEntries(names.map((name, i) => [name, `127.0.0.1:${ports[i]}`]))
  const options = { algorithm, detector, safety, members, transport: tcp(), timing: TIMING }
  return new Cluster(names, options)
}

describe.each(real.map(({ name }) => name))('%s', (name) => {
  test('elects over TCP, and again when the leader has left', async () => {
    const group = await cluster(name, 'link')
    await group.startAll()
    const first = await group.agreed()
    const leader = group.members.get(first)!
    group.members.delete(first)
    await leader.close()
    expect(await group.agreed(first)).not.toBe(first)
  })
})

test.each(['bully-fd-quorum', 'roulette-majority'])(
  '%s elects with safety quorum',
  async (name) => {
    const group = await cluster(name, 'link', 'quorum')
    await group.startAll()
    await group.agreed()
    const term = group.leader.current!
    expect(term.fence).toBe(term.number)
    expect(term.remainingMs()).toBeLessThanOrEqual(TIMING.lease)
  },
)

test.each(detectors.map(({ name }) => name))('bully-fd elects over TCP with %s', async (name) => {
  const group = await cluster('bully-fd', name)
  await group.startAll()
  expect(await group.agreed()).toBe('c')
})
