/** Measures what 001 §1 and §3 promise of a detector of its own at each node: other mechanisms, other lists, synchrony in the detector alone. */
import { heartbeat, phi, ping, token } from 'bellwether/detectors'
import { Random } from 'bellwether/core'
import type { World, SimOptions } from 'bellwether/sim'
import type { Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import { range, runToAgreement, worldOf } from '../harness/elections.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { brief, mean } from '../harness/statistics.ts'
import { fact } from '../harness/verdict.ts'
import { mixedDetectors } from './mixed-detectors.ts'

const CLAIMS = {
  heterogeneous: {
    id: '001-heterogeneous',
    source: '001 §1, first advantage',
    claim: 'Each node may have another mechanism of failure detection.',
    published: 'the election works',
    formula: 'agreement on the strongest, whichever detector each node has',
    parameters: ['mixed', 'calm'],
  },
  lists: {
    id: '001-lists-differ',
    source: '001 §3',
    claim: 'The detectors of different nodes need not have the same list of dead processes.',
    published: 'the election works',
    formula:
      'agreement on the strongest; as printed, a dead junior that is not listed may keep it from ending, whether or not the lists are the same (B4)',
    parameters: ['mixed', 'calm'],
  },
  synchrony: {
    id: '001-synchrony',
    source: '001 §1, third advantage',
    claim: 'Assumptions on synchrony are handled by the failure detector alone.',
    published: 'the algorithm itself makes none',
    formula:
      'one winner as printed if the detector is right, however long messages take; corrected there is a time-out, which restarts Stage 2',
    parameters: ['mixed', 'outOfBound'],
  },
} satisfies Record<string, Claim>

const [MEMBERS, ELECTIONS] = PARAMETERS.mixed.value
const FD = ['bully-fd-as-printed', 'bully-fd'] as const

/** Whether all follow the strongest of those that are up, in the end. */
function electsStrongest(
  setup: Setup,
  name: string,
  given: Omit<SimOptions, 'algorithm'>,
  prepare?: (world: World) => void,
): boolean {
  const world = worldOf(setup, name, given)
  prepare?.(world)
  runToAgreement(world, 30_000_000)
  world.runUntil(world.now + 2_000_000)
  const { up } = world.monitors
  return world.monitors.agreed === up.lastIndexOf(1)
}

/** All follow the strongest, which crashes; whether all follow the next one 10 s later. */
function replacesLeader(setup: Setup, name: string, given: Omit<SimOptions, 'algorithm'>): boolean {
  const at = 1_000_000
  const faults = [{ kind: 'crash', node: MEMBERS, at }] as const
  const world = worldOf(setup, name, { ...given, faults, initiators: [] })
  world.runUntil(at - 1)
  const isSettled = world.monitors.agreed === MEMBERS
  world.runUntil(at + 10_000_000)
  return isSettled && world.monitors.agreed === MEMBERS - 1
}

function runOf(algorithm: string, about: string, right: readonly boolean[], expected = true): Run {
  const count = right.filter(Boolean).length
  return {
    algorithm,
    shown: `${about}: right in ${count} of ${right.length} elections`,
    cases: right.map((one) =>
      expected ? fact(one, true) : { published: 1, measured: Number(one) },
    ),
  }
}

const rightIn = ({ cases }: Run): number => cases.filter(({ measured }) => measured === 1).length

function detectors(setup: Setup): Findings {
  const all = [ping, heartbeat, token, phi]
  const seeds = range(1, setup.samples(ELECTIONS))
  const heterogeneous = FD.map((name) => {
    const right = seeds.map((i) => {
      const random = new Random(setup.seed * 1009 + i)
      const chosen = range(0, MEMBERS).map(() => all[random.below(all.length)])
      const detector = mixedDetectors(all, (member) => chosen[member])
      return replacesLeader(setup, name, { members: MEMBERS, seed: i, detector })
    })
    return runOf(
      name,
      'each of eight has ping, heartbeat, token or phi at random, and the leader of all crashes',
      right,
    )
  })
  const withLists = (name: string, down: readonly number[]): boolean[] =>
    seeds.map((i) => {
      const random = new Random(setup.seed * 2003 + i)
      const next = Math.max(...range(1, MEMBERS).filter((id) => !down.includes(id)))
      const given = { members: MEMBERS, seed: i, down, initiators: [next], detector: ping }
      return electsStrongest(setup, name, given, (world) => {
        for (const member of range(1, MEMBERS)) {
          for (const dead of down) if (random.chance(0.5)) world.detectors.knownDown(member, dead)
        }
      })
    })
  const lists: Run[] = [
    ...FD.map((name) => {
      const right = withLists(name, [MEMBERS, MEMBERS - 1])
      return runOf(
        name,
        'each of six lists each of the two strongest, both dead, or does not',
        right,
      )
    }),
    {
      ...runOf(
        FD[0],
        'each of six lists each of two dead, the strongest and a junior, or does not',
        withLists(FD[0], [MEMBERS, 3]),
        false,
      ),
      reading: 'a junior is dead, too',
      beside: true,
    },
  ]
  return {
    outcomes: {
      [CLAIMS.heterogeneous.id]: {
        runs: heterogeneous,
        figures: { printed: rightIn(heterogeneous[0]), corrected: rightIn(heterogeneous[1]) },
        why: 'All follow the strongest, which crashes; nobody is told, and each learns of it from its own module. A member answers whatever its peers ask, and asks by its own module.',
      },
      [CLAIMS.lists.id]: {
        runs: lists,
        figures: { printed: rightIn(lists[0]), corrected: rightIn(lists[1]) },
        why: 'Lists matter for how soon a process leads, not for which. Where a junior is dead and the candidate does not list it, the printed code ends only if an Ack comes after the last DownSig (B4); the lists of the others have no part in that.',
      },
    },
  }
}

/** The algorithm is told that messages take 1 ms; they take 5 to 20. The detector knows better. */
function synchrony(setup: Setup): Findings {
  const [bound, least, most] = PARAMETERS.outOfBound.value
  const seeds = range(1, setup.samples(ELECTIONS))
  const given = {
    members: MEMBERS,
    down: [MEMBERS],
    knownDown: [MEMBERS],
    initiators: range(1, MEMBERS - 1),
    network: { latency: { kind: 'uniform', minUs: 1000 * least, maxUs: 1000 * most } },
    timing: { messageMs: bound },
  } as const
  const winners = (name: string, seed: number): number => {
    const world = worldOf(setup, name, { ...given, seed })
    const led = new Set<number>()
    world.runUntil(0)
    while (world.now < 3_000_000 && world.step()) {
      for (const member of given.initiators)
        if (world.states[member].leader === member) led.add(member)
    }
    return led.size
  }
  const runs = FD.map((algorithm): Run => {
    const counts = seeds.map((seed) => winners(algorithm, seed))
    return {
      algorithm,
      shown: `1 winner in ${counts.filter((count) => count === 1).length} of ${counts.length} elections`,
      cases: counts.map((count) => ({ published: 1, measured: count })),
    }
  })
  const nobody = runs[1].cases.filter(({ measured }) => measured === 0).length
  const bully = seeds.map((seed) => winners('bully-as-printed', seed))
  const winning = mean(bully)
  return {
    outcomes: {
      [CLAIMS.synchrony.id]: {
        runs,
        figures: { printed: runs[0].cases[0].measured, bullyWinners: winning },
        why: `The detector is right here, however long messages take. The printed code of Bully_FD has no time-out; the correction of B7 restarts Stage 2 after a time that Tm bounds, too soon here: in ${nobody} of ${seeds.length} elections nobody wins in 3 s. The printed Bully, form 002, has time-outs, and ${brief(winning)} processes win on the average where messages take 5 to 20 times the bound that it was told.`,
      },
    },
  }
}

export const advantageExperiments: readonly Experiment[] = [
  { name: '001-detectors', claims: [CLAIMS.heterogeneous, CLAIMS.lists], measure: detectors },
  { name: '001-synchrony', claims: [CLAIMS.synchrony], measure: synchrony },
]
