/** Rings that assume no faults, which `join` refuses, on the host of the runtime: the same files as in the simulator and the checker. */
import { expect, test } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { Group } from '../../src/core/group.ts'
import { ping } from '../../src/detectors/index.ts'
import { Host } from '../../src/runtime/host/host.ts'
import { MemoryHub } from '../../src/transports/memory.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { MemoryDisk } from '../support/members.ts'

const NAMES = ['', 'a', 'b', 'c', 'd', 'e']
const IDS = [1, 2, 3, 4, 5]
const TIMING = { messageMs: 5, processingMs: 0, detectionMs: 20, watchMs: 30, periodMs: 100 }

function hostOf(algorithm: Algorithm, me: number, hub: MemoryHub, clock: ManualClock): Host {
  const ignore = (): void => undefined
  return new Host(
    {
      algorithm,
      options: {},
      detector: ping,
      group: new Group(IDS.length, TIMING, [3, 1, 5, 2, 4]),
      me,
      names: NAMES,
      roles: new Map(IDS.map((id) => [id, 'voter'])),
      identity: { id: NAMES[me], cluster: 'test', configuration: 'test' },
      listen: `${NAMES[me]}:1`,
      peers: IDS.filter((id) => id !== me).map((id) => {
        return { id: NAMES[id], address: `${NAMES[id]}:1` }
      }),
      transport: hub,
      store: new MemoryDisk(),
      fixedMembers: true,
      trustRefusals: false,
      longestStallMs: 1e9,
      clock,
      answer: () => Promise.resolve(null),
      key: '',
      adopt: () => false,
      accepts: () => true,
      longestBondMs: Infinity,
      leaps: { take: () => 0 },
    },
    {
      reconfigured: ignore,
      changed: ignore,
      renewed: ignore,
      verdictChanged: ignore,
      connected: ignore,
      unreachable: ignore,
      rejected: ignore,
      received: ignore,
      warned: () => undefined,
      failed: (error) => {
        throw error
      },
    },
  )
}

const rings = algorithms.filter(({ assumes, specimen }) => !assumes.crashes && !specimen)

test.each(rings.map((algorithm) => [algorithm.name, algorithm] as const))(
  '%s elects on the host of the runtime',
  async (_, algorithm) => {
    const hub = new MemoryHub({ schedule: () => undefined })
    const clock = new ManualClock()
    const hosts = IDS.map((me) => hostOf(algorithm, me, hub, clock))
    for (const host of hosts) await host.open()
    for (let left = 400; left > 0 && hosts.some(({ state }) => state.leader === 0); left--) {
      hub.run()
      clock.advance(1)
      await new Promise(setImmediate)
    }
    const leaders = new Set(hosts.map(({ state }) => state.leader))
    expect(leaders.size).toBe(1)
    const possible = algorithm.promises.leader === 'highest' ? [5] : IDS
    expect(possible).toContain([...leaders][0])
    const closing = hosts.map(async (host) => host.close())
    hub.run()
    await Promise.all(closing)
  },
)
