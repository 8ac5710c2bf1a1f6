/** One suite for every host: the duties of src/core/host-contract.ts, checked by an algorithm that runs on it. */
import { describe, expect, test } from 'vitest'
import { check } from '../../src/check/index.ts'
import { Group } from '../../src/core/group.ts'
import { STEP_DUTIES, type StepDuty } from '../../src/core/host-contract.ts'
import type { NodeId } from '../../src/core/node-id.ts'
import { Random } from '../../src/core/random.ts'
import type { TraceStep } from '../../src/sim/record/trace.ts'
import type { HostConfig } from '../../src/runtime/host/host-config.ts'
import { Host } from '../../src/runtime/host/host.ts'
import { configure } from '../../src/sim/config.ts'
import type { Fault } from '../../src/sim/faults/fault-catalogue.ts'
import { Stepper } from '../../src/sim/stepper/stepper.ts'
import { dataOfPeriod } from '../../src/sim/members/configurations.ts'
import { World } from '../../src/sim/world/world.ts'
import type { Stored } from '../../src/stores/store.ts'
import { MemoryHub } from '../../src/transports/memory.ts'
import { ContractProbe, LEASE_MS } from '../support/contract-probe.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { SILENT_HOST_EVENTS } from '../support/silent-host-events.ts'
import { RebuildProbe } from './rebuild-probe.ts'
import { ReferenceHost } from './reference-host.ts'

/** Enough for hosts with a clock, which run for long. */
const probe = (): ContractProbe => new ContractProbe(600, 60)
const seeds = Array.from({ length: 20 }, (_, i) => i + 1)

/** The first breaches of a run, and what the run did not exercise. */
function findingsOf({ breaches, met }: ContractProbe): string[] {
  const missed = Object.entries(met).filter(([, count]) => count === 0)
  return [
    ...breaches.slice(0, 3).map(({ duty, detail }) => `${duty}: ${detail}`),
    ...missed.map(([name]) => `no ${name}`),
  ]
}

function expectKept(watched: ContractProbe): void {
  expect(findingsOf(watched)).toEqual([])
}

/** Crashes, recoveries and pauses of two members, drawn from a seed. */
function faultsOf(random: Random): Fault[] {
  const faults: Fault[] = []
  for (let at = 20_000; at < 2_000_000; at += 20_000 + random.below(60_000)) {
    const node = 1 + random.below(2)
    if (random.below(2) === 0) {
      faults.push({ at, kind: 'pause', node })
      faults.push({ at: at + random.below(2 * 1000 * LEASE_MS), kind: 'resume', node })
    } else {
      faults.push({ at, kind: 'crash', node })
      faults.push({ at: at + 5000 + random.below(20_000), kind: 'recover', node })
    }
  }
  return faults
}

describe('the simulator', () => {
  test.each(seeds)('keeps every duty with crashes and pauses, seed %i', (seed) => {
    const watched = probe()
    const { algorithm, detector } = watched
    const faults = faultsOf(new Random(seed))
    const world = new World(configure({ algorithm, detector, members: 2, seed, faults }))
    watched.now = () => world.now / 1000
    watched.notifiesDetector = true
    const wasUp = [false, true, true]
    world.stopAt(3_000_000)
    while (world.step()) {
      for (const node of [1, 2]) {
        if (wasUp[node] && !world.isUp(node)) watched.crashed(node)
        wasUp[node] = world.isUp(node)
      }
    }
    expectKept(watched)
  })
})

describe('the stepper', () => {
  test.each(seeds)('keeps every duty in a random interleaving, seed %i', (seed) => {
    const watched = probe()
    const random = new Random(seed)
    const stepper = new Stepper({ algorithm: watched.algorithm, members: 2 })
    for (let left = 400; left > 0; left--) {
      const steps = enabledSteps(stepper)
      const step = steps[random.below(steps.length)]
      stepper.take(step)
    }
    expectKept(watched)
  })
})

/** Every step that a two-member stepper allows now; crashes are rare enough for notes to flow. */
function enabledSteps(stepper: Stepper): TraceStep[] {
  return [1, 2].flatMap((node): TraceStep[] => {
    const { up, silent, timers, requests, watches, draws } = stepper.memberOf(node)
    if (!up) return [{ verb: 'recover', node }]
    if (silent) return [{ verb: 'start', node }]
    const peer = 3 - node
    const messages = stepper
      .linkOf(peer, node)
      .slice(0, 1)
      .map((m) => stepper.recording.show(m, 'election'))
    const deliver = messages.map((message): TraceStep => ({
      verb: 'deliver',
      from: peer,
      to: node,
      message,
    }))
    const verdicts = [
      ...(requests.has(peer) ? ['up', 'down'] : []),
      ...(watches.has(peer) ? ['down'] : []),
    ].map((verb) => ({ verb: verb as 'up' | 'down', node, peer }))
    return [
      ...deliver,
      ...deliver,
      ...[...timers].map((timer): TraceStep => ({ verb: 'timeout', node, timer, peer: 0 })),
      ...verdicts,
      ...draws.map(({ name }): TraceStep => ({ verb: 'drawn', node, name, k: 1 })),
      { verb: 'crash', node },
    ]
  })
}

describe('the checker', () => {
  test('keeps every duty in every interleaving with a crash and a recovery', () => {
    const watched = new ContractProbe(3, 2)
    const { complete, states } = check({
      algorithm: watched.algorithm,
      members: 2,
      crashes: 1,
      recoveries: 1,
      timers: 'async',
    })
    expect(complete).toBe(true)
    expect(states).toBeGreaterThan(1000)
    expectKept(watched)
  })
})

describe('the runtime', () => {
  test.each(seeds)('keeps every duty with stalls and failing writes, seed %i', async (seed) => {
    const watched = probe()
    const clock = new ManualClock()
    watched.now = () => clock.now()
    watched.notifiesDetector = true
    const random = new Random(seed)
    const hub = new MemoryHub({ schedule: () => undefined })
    const disks = [1, 2].map(() => new FaultyDisk())
    const hosts = [1, 2].map((me) => hostOf(watched, me, hub, disks[me - 1], clock))
    for (const host of hosts) await host.open()
    for (let left = 600; left > 0; left--) {
      if (random.below(25) === 0) clock.stall(LEASE_MS + 5)
      if (random.below(30) === 0) disks[random.below(2)].failsNext = true
      hub.run()
      clock.advance(random.below(4))
      await new Promise(setImmediate) // writes that a follower may postpone
    }
    expectKept(watched)
    expect(disks[0].failures + disks[1].failures).toBeGreaterThan(0)
    const closing = hosts.map(async (host) => host.close())
    hub.run()
    await Promise.all(closing)
  })
})

/** A disk whose next write may fail, as a full one does. */
class FaultyDisk {
  stored: Stored | null = null
  failsNext = false
  failures = 0

  read(): Stored | null {
    return this.stored
  }

  write(stored: Stored): void {
    if (this.failsNext) {
      this.failsNext = false
      this.failures += 1
      throw new Error('no space left on the disk')
    }
    this.stored = stored
  }

  close(): void {}
}

const TIMING = { messageMs: 5, processingMs: 0, detectionMs: 20, watchMs: 20, periodMs: 100 }

type Watched = Pick<ContractProbe, 'algorithm' | 'detector' | 'breach' | 'crashed'>

/** A host of the runtime over memory; what leaves or shows too early is a breach. `groupOf`: that of a configuration. */
function hostOf(
  watched: Watched,
  me: NodeId,
  hub: MemoryHub,
  disk: FaultyDisk,
  clock: ManualClock,
  groupOf: (data: string) => Group | null = () => null,
): Host {
  const names = ['', 'a', 'b']
  let group = new Group(2, TIMING)
  let failures = 0
  const transport: HostConfig['transport'] = {
    listen: async (...given) => {
      const endpoint = await hub.listen(...given)
      const send: typeof endpoint.send = (peer, payload) => {
        if (disk.failures > failures) watched.breach('send messages', 'after a write that failed')
        endpoint.send(peer, payload)
      }
      return new Proxy(endpoint, {
        get: (target, name) => {
          if (name === 'send') return send
          const value: unknown = Reflect.get(target, name)
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        },
      })
    },
  }
  const host: Host = new Host(
    {
      algorithm: watched.algorithm,
      options: {},
      detector: watched.detector,
      get group() {
        return group
      },
      me,
      names,
      roles: new Map([
        [1, 'voter'],
        [2, 'voter'],
      ]),
      identity: { id: names[me], cluster: 'test', configuration: 'test' },
      listen: `${names[me]}:1`,
      peers: [{ id: names[3 - me], address: `${names[3 - me]}:1` }],
      transport,
      store: disk,
      fixedMembers: true,
      trustRefusals: false,
      longestStallMs: 1e9,
      clock,
      answer: () => Promise.resolve(null),
      key: '',
      adopt: (data) => {
        const next = groupOf(data)
        group = next ?? group
        return next !== null
      },
      accepts: () => true,
      longestBondMs: Infinity,
      leaps: { take: () => 0 },
    },
    {
      ...SILENT_HOST_EVENTS,
      changed: () => {
        const { leader, term, leased } = host.state
        if (leased === true && host.deadline === Infinity) {
          watched.breach('publish the state', 'a deadline was visible before it counted')
        }
        if (leader !== me || term <= ((disk.stored?.state['term'] as number | undefined) ?? 0))
          return
        watched.breach('publish the state', `term ${term} was visible before it was durable`)
      },
      failed: () => {
        failures = disk.failures
        watched.crashed(me)
      },
    },
  )
  return host
}

describe('handlers are those of the group that the configuration describes', () => {
  const dataOf = (random: Random): string => dataOfPeriod(1000 * (50 + random.below(5) * 10))
  const missed = ({ breaches, met }: RebuildProbe): string[] => [
    ...breaches.slice(0, 3),
    ...Object.entries(met).flatMap(([name, count]) => (count === 0 ? [`no ${name}`] : [])),
  ]

  test.each(seeds)('in the simulator, with crashes and pauses, seed %i', (seed) => {
    const random = new Random(seed)
    const timing = { periodMs: 100 }
    const faults = faultsOf(random)
    for (let at = 10_000; at < 2_000_000; at += 10_000 + random.below(40_000)) {
      faults.push({ at, kind: 'change-period', node: 1, us: 1000 * (50 + random.below(5) * 10) })
    }
    const placeholder = new RebuildProbe(TIMING).algorithm
    const { timing: bounds } = configure({ algorithm: placeholder, members: 2, timing })
    const watched = new RebuildProbe(bounds)
    const { algorithm } = watched
    const world = new World(configure({ algorithm, members: 2, seed, timing, faults }))
    world.stopAt(3_000_000)
    while (world.step());
    expect(missed(watched)).toEqual([])
  })

  const runHosts = async (seed: number, isLazy: boolean): Promise<string[]> => {
    const watched = new RebuildProbe(TIMING)
    const { algorithm } = watched
    const { detector } = probe()
    const events = { breach: () => undefined, crashed: () => undefined }
    const clock = new ManualClock()
    const random = new Random(seed)
    const hub = new MemoryHub({ schedule: () => undefined })
    const disks = [1, 2].map(() => new FaultyDisk())
    const groupOf = (data: string): Group | null => (isLazy ? null : watched.groupOf(data))
    const hosts = [1, 2].map((me) =>
      hostOf({ algorithm, detector, ...events }, me, hub, disks[me - 1], clock, groupOf),
    )
    for (const host of hosts) await host.open()
    for (let left = 400; left > 0; left--) {
      if (random.below(10) === 0) {
        const { voters, observers } = hosts[0].configuration!
        hosts[0].change({ voters, observers, data: dataOf(random) })
      }
      if (random.below(30) === 0) hosts[random.below(2)].restart(3)
      if (random.below(40) === 0) disks[random.below(2)].failsNext = true
      hub.run()
      clock.advance(random.below(4))
      await new Promise(setImmediate)
    }
    const closing = hosts.map(async (host) => host.close())
    hub.run()
    await Promise.all(closing)
    return missed(watched)
  }

  test.each(seeds)('in the runtime, with restarts and failing writes, seed %i', async (seed) => {
    expect(await runHosts(seed, false)).toEqual([])
  })

  test('and a host that keeps its handlers fails', async () => {
    for (const seed of seeds) {
      expect((await runHosts(seed, true))[0]).toMatch(/for a period of 100 ms, not/u)
    }
  })
})

describe('the suite itself', () => {
  const runReference = (order: readonly StepDuty[], isHasty = false): string[] =>
    seeds.flatMap((seed) => {
      const watched = probe()
      new ReferenceHost(watched, order, seed, isHasty).run(2000)
      return findingsOf(watched)
    })

  test('passes a host that keeps the duties in their order', () => {
    expect(runReference(STEP_DUTIES)).toEqual([])
  })

  test('fails a host that lets other events come before an expired deadline', () => {
    expect(runReference(STEP_DUTIES, true)).not.toEqual([])
  })

  const swaps = STEP_DUTIES.flatMap((a, i) => STEP_DUTIES.slice(i + 1).map((b) => [a, b] as const))
  test.each(swaps)('fails a host that swaps "%s" and "%s"', (a, b) => {
    const swapped = STEP_DUTIES.map((duty) => (duty === a ? b : duty === b ? a : duty))
    expect(runReference(swapped)).not.toEqual([])
  })
})
