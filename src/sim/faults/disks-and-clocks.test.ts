/** Faults of disks and clocks, members that leave, and the monitor of leases. */
import { describe, expect, test } from 'vitest'
import { bullyFdQuorum } from '../../algorithms/bully-fd-quorum.ts'
import { rouletteMajority } from '../../algorithms/roulette-majority.ts'
import type { Algorithm } from '../../core/algorithm.ts'
import { configure, type SimOptions } from '../config.ts'
import { recordRun } from '../run.ts'
import { World } from '../world/world.ts'
import type { Fault } from './fault-catalogue.ts'

const SECOND = 1_000_000

function run(faults: readonly Fault[], more: Partial<SimOptions> = {}) {
  const config = configure({ algorithm: bullyFdQuorum, members: 3, faults, ...more })
  return recordRun(config)
}

describe('a slow disk', () => {
  const disk: Fault = { kind: 'disk', node: 1, us: 50_000, at: 0 }

  test('delays the votes of its member, and nothing that needs no write', () => {
    const { recording } = run([disk, { kind: 'crash', node: 2, at: 10 }], { untilUs: SECOND })
    const firstOf = (type: string): number =>
      recording.entries.find(
        ({ step }) => step.kind === 'deliver' && step.from === 1 && step.message.type === type,
      )!.at
    const asked = recording.entries.find(({ step }) => step.kind === 'deliver' && step.node === 1)!
    expect(firstOf('ack')).toBeGreaterThanOrEqual(asked.at + 50_000)
    const beats = recording.entries.filter(
      ({ step }) => step.kind === 'deliver' && step.from === 1 && step.message.type === 'norm',
    )
    const rounds = recording.entries.filter(
      ({ step }) => step.kind === 'deliver' && step.node === 1 && step.message.type === 'norm?',
    )
    expect(beats.at(-1)!.at - rounds.at(-1)!.at).toBeLessThan(10_000)
  })

  test('makes its member invisible until the write is over, and a crash before that leaves the old state or the new one', () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= 20; seed++) {
      const config = configure({
        algorithm: bullyFdQuorum,
        members: 3,
        seed,
        faults: [{ ...disk, us: 5 * SECOND }],
      })
      const world = new World(config)
      while (world.states[1].term === 0 && world.step());
      expect(world.monitors.term[1]).toBe(0)
      world.inject({ kind: 'crash', node: 1, at: world.now })
      seen.add(world.states[1].term === 0 ? 'old' : 'new')
      const { deliveries } = world.members
      world.runUntil(10 * SECOND)
      expect(world.members.deliveries).toBeGreaterThan(deliveries)
      expect(world.messageCounts.byType['ack']).toBeGreaterThan(0)
      expect(world.monitors.violations).toEqual([])
    }
    expect([...seen].sort()).toEqual(['new', 'old'])
  })

  test('that is paused as well shows its step when it resumes', () => {
    const faults: Fault[] = [
      { kind: 'disk', node: 3, us: 20_000, at: 0 },
      { kind: 'pause', node: 3, at: 10_000 },
      { kind: 'resume', node: 3, at: 100_000 },
    ]
    const world = new World(configure({ algorithm: bullyFdQuorum, members: 3, faults }))
    world.runUntil(99_999)
    expect(world.monitors.leader[3]).toBe(0)
    world.runUntil(SECOND)
    expect(world.monitors.agreed).toBe(3)
  })

  test('whose write fails ends the incarnation before a message leaves', () => {
    const { recording, world } = run([{ kind: 'fail-write', node: 1, at: 0 }], { untilUs: SECOND })
    const crash = recording.entries.filter(
      ({ step }) => step.kind === 'fault' && step.fault.kind === 'crash',
    )
    expect(crash).toHaveLength(1)
    const sent = recording.entries.some(({ step }) => step.kind === 'deliver' && step.from === 1)
    expect([sent, world.isUp(1)]).toEqual([false, false])
  })
})

describe('a clock that drifts', () => {
  test('lets the timers of its member take longer or shorter', () => {
    const beats = (rate: number): number => {
      const faults: Fault[] = [{ kind: 'drift', node: 3, rate, at: 0 }]
      const { recording } = run(faults, { untilUs: 10 * SECOND })
      return recording.entries.filter(({ step }) => step.kind === 'timeout' && step.timer === 'tau')
        .length
    }
    expect(beats(1.1) / beats(1)).toBeCloseTo(1.1, 1)
    expect(beats(0.5) / beats(1)).toBeCloseTo(0.5, 1)
  })

  test('within the allowed drift no two leases overlap; beyond it they do, and the monitor says so', () => {
    const broken = (rate: number): readonly string[] => {
      const faults: Fault[] = [
        { kind: 'drift', node: 3, rate, at: 0 },
        { kind: 'cut', from: [1, 2], to: [3], at: SECOND },
        { kind: 'cut', from: [3], to: [1, 2], at: SECOND },
      ]
      const { world } = run(faults, { untilUs: 3 * SECOND })
      return [...new Set(world.monitors.violations.map(({ property }) => property))]
    }
    expect(broken(1 / 1.1)).toEqual([])
    expect(broken(0.25)).toEqual(['kept leases', 'one lease at a time'])
  })
})

describe('a member that leaves', () => {
  const leave: Fault = { kind: 'leave', node: 5, us: 0, at: 2 * SECOND }
  const electedAfter = (fault: Fault): number => {
    const { world } = run([fault], { members: 5 })
    return world.monitors.agreedSince - fault.at
  }

  test('is replaced at once, because its announcement proves its end', () => {
    expect(electedAfter(leave)).toBeLessThan(50_000)
    expect(electedAfter({ ...leave, kind: 'crash' })).toBeGreaterThan(300_000)
  })

  test('may start again before its announcement arrives, which then proves nothing about it', () => {
    const faults: Fault[] = [
      { ...leave, us: 3 * SECOND },
      { kind: 'recover', node: 5, at: 2 * SECOND + 1000 },
    ]
    for (let seed = 1; seed <= 20; seed++) {
      const { world, recording } = run(faults, { members: 5, seed, untilUs: 8 * SECOND })
      const proofs = recording.entries.filter(
        ({ step }) => step.kind === 'fault' && step.fault.kind === 'proof',
      )
      expect(proofs).toHaveLength(4)
      expect(world.monitors.violations).toEqual([])
    }
  })
})

test('after calm nothing is lost any more', () => {
  const network = { loss: 0.5, duplicate: 0.5, reorder: 0.5 }
  const { recording } = run([{ kind: 'calm', at: SECOND }], { network, untilUs: 3 * SECOND })
  const losses = recording.entries.filter(({ sendings }) => sendings.some(({ lost }) => lost))
  expect(losses.length).toBeGreaterThan(0)
  expect(losses.every(({ at }) => at < SECOND)).toBe(true)
})

test.each([bullyFdQuorum, rouletteMajority])(
  '$name: leases are counted',
  (algorithm: Algorithm) => {
    const faults = [1, 2, 3].map((node): Fault => ({ kind: 'resign', node, at: 5 * SECOND }))
    const { world } = run(faults, { algorithm, untilUs: 10 * SECOND })
    const { leases } = world.monitors.leases!.counts
    expect(leases).toBeGreaterThanOrEqual(2)
    expect(run([], { options: { leasePeriods: 0 } }).world.monitors.leases).toBeNull()
  },
)
