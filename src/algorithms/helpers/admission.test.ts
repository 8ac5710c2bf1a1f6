/** Admission: founding, members that lost their state, and what would happen if they voted at once. */
import { describe, expect, test } from 'vitest'
import { LeaseMonitor } from '../../../test/support/lease-monitor.ts'
import { play } from '../../../test/support/scenario.ts'
import type { Algorithm, OptionValues } from '../../core/algorithm.ts'
import { Random } from '../../core/random.ts'
import { configure } from '../../sim/config.ts'
import type { Fault } from '../../sim/faults/fault-catalogue.ts'
import { Stepper } from '../../sim/stepper/stepper.ts'
import { World } from '../../sim/world/world.ts'
import { bullyFdQuorum } from '../bully-fd-quorum.ts'
import { rouletteMajority } from '../roulette-majority.ts'

const MS = 1000
const ALL = { founding: 'all' }

function world(
  members: number,
  faults: Fault[] = [],
  options: OptionValues = ALL,
  seed = 1,
  algorithm: Algorithm = bullyFdQuorum,
) {
  const sim = new World(configure({ algorithm, options, members, faults, seed }))
  const leases = new LeaseMonitor(4 * sim.config.timing.periodMs)
  sim.recorder = leases
  return { sim, leases }
}

describe('founding', () => {
  test('members that all start without state elect at once', () => {
    const { sim } = world(5)
    sim.runUntil(300 * MS)
    expect(sim.monitors.agreed).toBe(5)
  })

  test('waits for the last member, and then needs a period', () => {
    const faults: Fault[] = [
      { kind: 'crash', node: 2, at: 1 },
      { kind: 'recover', node: 2, at: 2000 * MS },
    ]
    const { sim } = world(3, faults)
    sim.runUntil(1900 * MS)
    expect([sim.states[1].status, sim.states[3].status]).toEqual(['New', 'New'])
    sim.runUntil(2600 * MS)
    expect(sim.monitors.agreed).toBe(3)
  })

  test('of a large group needs answers to its two strongest members only', () => {
    const { sim } = world(12)
    sim.runUntil(300 * MS)
    expect(sim.monitors.agreed).toBe(12)
    // Each of the two asks all, and all others ask both; who starts later than the question is asked back.
    expect(sim.messageCounts.byType['who?']).toBeLessThanOrEqual(2 * 11 + 10 * 2 + 2 * 10)
  })

  test('of a large group waits for a member that starts late, whichever it is', () => {
    for (const node of [3, 11, 12]) {
      const faults: Fault[] = [
        { kind: 'crash', node, at: 1 },
        { kind: 'forget', node, at: 2 },
        { kind: 'recover', node, at: 4000 * MS },
      ]
      const { sim } = world(12, faults)
      sim.runUntil(3900 * MS)
      expect(sim.monitors.agreed).toBe(0)
      sim.runUntil(6000 * MS)
      expect(sim.monitors.agreed).toBe(12)
    }
  })

  test('by a majority needs no third member', () => {
    const faults: Fault[] = [{ kind: 'crash', node: 2, at: 1 }]
    const { sim } = world(3, faults, { founding: 'majority' })
    sim.runUntil(1500 * MS)
    expect(sim.monitors.agreed).toBe(3)
  })
})

describe('a member that lost its state', () => {
  const lost = (node: number, at: number): Fault[] => [
    { kind: 'crash', node, at },
    { kind: 'forget', node, at: at + 1 },
    { kind: 'recover', node, at: at + 2 },
  ]

  test('waits for every lease, learns the largest vote and takes part; the leader keeps its term', () => {
    const { sim, leases } = world(3, lost(1, 2000 * MS))
    sim.runUntil(2400 * MS)
    expect(sim.states[1].status).toBe('New')
    sim.runUntil(3500 * MS)
    expect([sim.states[1].leader, sim.states[1].term]).toEqual([3, sim.states[3].term])
    expect(leases.reigns).toHaveLength(1)
  })

  test('of a large group is admitted although the strongest are down', () => {
    const down: Fault[] = [12, 11].map((node) => ({ kind: 'crash', node, at: 1900 * MS }))
    const { sim } = world(12, [...down, ...lost(1, 2000 * MS)])
    sim.runUntil(9000 * MS)
    expect([sim.states[1].leader, sim.states[1].status]).toEqual([10, 'Norm'])
  })

  test('two of three promise nothing: one member cannot tell them every vote', () => {
    const { sim } = world(3, [...lost(1, 2000 * MS), ...lost(2, 2000 * MS)])
    sim.runUntil(20_000 * MS)
    expect([1, 2, 3].map((node) => sim.states[node].leader)).toEqual([0, 0, 0])
  })

  test('hears of a vote for a term that is larger than those of most', () => {
    const stepper = new Stepper({
      algorithm: bullyFdQuorum,
      options: { leasePeriods: 0, ...ALL },
      members: 3,
      start: 'settled',
    })
    play(
      stepper,
      `crash 3
       down 2 3
       down 2 3
       deliver 2→1 halt
       down 1 3
       deliver 1→2 ack
       crash 1
       forget 1
       recover 1
       recover 3
       start 1
       start 3
       deliver 1→2 who?
       deliver 1→3 who?
       deliver 2→1 who
       deliver 3→1 who`,
    )
    expect(stepper.stateOf(1)).toMatchObject({ status: 'New', term: 0, vote: 2 * 1024 + 2 })
  })
})

describe.each([bullyFdQuorum, rouletteMajority])(
  '$name in random runs with lost state',
  (algorithm) => {
    /** Members but the first crash, often lose their state, and recover; links are cut. */
    function randomFaults(random: Random, members: number): Fault[] {
      const faults: Fault[] = []
      let at = 1500 * MS
      for (let left = 4 + random.below(12); left > 0; left--) {
        at += random.below(random.chance(0.5) ? 60 * MS : 700 * MS)
        const node = 2 + random.below(members - 1)
        if (random.chance(0.6)) {
          faults.push({ kind: 'crash', node, at })
          if (random.chance(0.6)) faults.push({ kind: 'forget', node, at: at + 1 })
          faults.push({ kind: 'recover', node, at: at + 2 + random.below(300 * MS) })
        } else if (random.chance(0.5)) {
          const ids = Array.from({ length: members }, (_, i) => i + 1)
          const from = ids.filter(() => random.chance(0.5))
          const to = ids.filter((id) => !from.includes(id))
          faults.push({ kind: 'cut', from, to, at }, { kind: 'cut', from: to, to: from, at })
        } else faults.push({ kind: 'heal', at })
      }
      return faults.toSorted((a, b) => a.at - b.at)
    }

    function violationsOf(seed: number, options: OptionValues): number {
      const random = new Random(seed)
      const members = 3 + random.below(3)
      const faults = randomFaults(random, members)
      const { sim, leases } = world(members, faults, options, seed, algorithm)
      sim.runUntil(15_000 * MS)
      const terms = leases.reigns.map(({ term }) => term)
      const falls = terms.filter((term, i) => i > 0 && term <= terms[i - 1]).length
      return leases.overlaps.length + falls + sim.monitors.violations.length
    }

    test('no two leases overlap and terms rise', () => {
      for (let seed = 1; seed <= 100; seed++)
        expect(violationsOf(seed, ALL), `seed ${seed}`).toBe(0)
    })

    test('were a member without state to vote at once, terms would fall or leases overlap', () => {
      let found = 0
      for (let seed = 1; seed <= 300 && found === 0; seed++) {
        found = violationsOf(seed, { founding: 'given' })
      }
      expect(found).toBeGreaterThan(0)
    })
  },
)
