/** Tests what 000 §3.1 says of the Bully that it prints: agreement, who wins, and how long an election may take. */
import type { OptionValues } from 'bellwether/core'
import type { Fault } from 'bellwether/sim'
import type { Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import { constant, elect, observe, range, runToAgreement, worldOf } from '../harness/elections.ts'
import { explore, exploreForAny, shownCheck } from '../harness/exploration.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { brief } from '../harness/statistics.ts'
import { fact } from '../harness/verdict.ts'

const BULLY = '000 §3.1'
const PRINTED = 'bully-as-printed'

const CLAIMS = {
  stable: {
    id: '000-bully-stable',
    source: BULLY,
    claim:
      'All nodes can reach a stable state in which every node that has not crashed agrees on one leader.',
    published: 'they reach it',
    formula:
      'true without recoveries, if a process whose job is done notices again that the coordinator does not respond; else false with two crashes (T-b); false with a crash and a recovery (T-a)',
    parameters: ['members'],
  },
  one: {
    id: '000-bully-one-winner',
    source: BULLY,
    claim: 'Eventually all processes give up but one, which announces its victory to all.',
    published: '1 winner',
    formula: '1 winner, if nobody crashes meanwhile',
    parameters: ['calm'],
  },
  biggest: {
    id: '000-bully-biggest',
    source: BULLY,
    claim:
      'A process that comes back and is the highest-numbered one running wins the election and takes over the coordinator’s job: the biggest guy always wins.',
    published: 'always',
    formula:
      'it does, if it does not follow a process with a lower number; else not where the announcement of its deputy crosses its own',
    parameters: ['comesBack', 'calm', 'noticed', 't1', 'victory', 'members'],
  },
  worst: {
    id: '000-bully-worst',
    source: BULLY,
    claim:
      'At worst, with repeated crashes of nodes of high priority, the Bully may not reach the stable state for a long time.',
    published: 'may not, for long (read: longer with every crash)',
    formula:
      'longer with every crash of a process that is about to win; never, if a process whose job is done waits for ever (T-b)',
    parameters: ['tm', 't1', 'victory', 'members'],
  },
} satisfies Record<string, Claim>

const ONCE = { form: '000' }
const AGAIN = { form: '000', notices: 'again' }
const HIGHER = { ...AGAIN, follows: 'higher' }
const READINGS: readonly { reading: string; options: OptionValues; ends: boolean }[] = [
  { reading: 'form 000, “P’s job is done”: it waits for ever', options: ONCE, ends: false },
  {
    reading: 'form 000, who waits notices again that the coordinator does not respond',
    options: AGAIN,
    ends: true,
  },
  {
    reading: 'form 000, the same, and nobody follows a lower number',
    options: HIGHER,
    ends: true,
  },
]
const SETTLED = { start: 'settled' } as const
const BACK = { ...SETTLED, crashes: 1, recoveries: 1 } as const

function agreement(setup: Setup): Findings {
  const subsets = range(1, 15).map((bits) => range(1, 4).filter((id) => bits & (1 << (id - 1))))
  const winners = subsets.map((initiators) => {
    const given = { members: 5, down: [5], knownDown: [5], initiators, options: ONCE }
    return (elect(setup, PRINTED, given).byType['coordinator'] ?? 0) / 4
  })
  const stable = READINGS.map(({ reading, options, ends }): Run => {
    const checks = [
      ['no failure', {}, true],
      ['one crash', { ...SETTLED, crashes: 1 }, true],
      ['two', { ...SETTLED, crashes: 2 }, ends],
      ['a crash and a recovery', BACK, false],
    ] as const
    const found = checks.map(([, given]) => exploreForAny(setup, PRINTED, { options, ...given }))
    return {
      algorithm: PRINTED,
      reading,
      shown: checks.map(([what], i) => `${what}: ${shownCheck(found[i])}`).join('; '),
      cases: checks.map(([, , expected], i) => fact(found[i].ok, expected)),
    }
  })
  return {
    outcomes: {
      [CLAIMS.stable.id]: {
        runs: stable,
        figures: Object.fromEntries(
          stable.map(({ cases }, i) => [
            ['once', 'again', 'higher'][i],
            cases.filter(({ measured }) => measured === 1).length,
          ]),
        ),
        why: '“P’s job is done” when a higher node answers. If that one crashes, a process has to notice again that there is no leader: the text can be read so, since “a process notices that the coordinator is no longer responding” holds of each that waits, too. With a recovery, an announcement of the deputy that is still under way may arrive at a third process after that of the process that has come back, and is followed for ever (T-a), also where nobody follows a lower number.',
      },
      [CLAIMS.one.id]: {
        runs: [
          {
            algorithm: PRINTED,
            reading: 'form 000',
            shown: `1 winner in ${winners.filter((count) => count === 1).length} of ${subsets.length} sets of initiators, four of five processes up`,
            cases: winners.map((count) => ({ published: 1, measured: count, formula: 1 })),
          },
        ],
        figures: { most: Math.max(...winners) },
        why: 'The fifth process is dead from the beginning; none crashes during the election.',
      },
    },
  }
}

/** Groups in which the strongest crashes and comes back at each moment of the election of its deputy. */
function comesBack(setup: Setup): Findings {
  const [moments, smallest, greatest] = PARAMETERS.comesBack.value
  const [least, most] = PARAMETERS.calm.value
  const latency = { kind: 'uniform', minUs: 1000 * least, maxUs: 1000 * most } as const
  const back = (options: OptionValues): boolean[] =>
    range(smallest, greatest).flatMap((n) =>
      range(1, setup.samples(moments)).map((ms) => {
        const faults: Fault[] = [
          { kind: 'crash', node: n, at: 1_000_000 },
          { kind: 'recover', node: n, at: 1_000_000 + 1000 * ms },
        ]
        const given = { members: n, seed: setup.seed + ms, initiators: [], faults, options }
        return (
          elect(setup, PRINTED, { ...given, network: { latency } }).world.states[n].leader === n
        )
      }),
    )
  const followed = explore(setup, PRINTED, { options: HIGHER, ...BACK })
  const readings = [
    { reading: 'form 000, it follows every process that announces its victory', options: ONCE },
    { reading: 'form 000, nobody follows a lower number', options: { ...ONCE, follows: 'higher' } },
  ]
  const runs = readings.map(({ reading, options }, i): Run => {
    const led = back(options)
    return {
      algorithm: PRINTED,
      reading,
      shown: `it is coordinator in the end in ${led.filter(Boolean).length} of ${led.length} groups of ${smallest} to ${greatest}, back 1, 2, … ms after its crash`,
      cases: led.map((one) => {
        return i === 0 ? { published: 1, measured: Number(one) } : fact(one, true)
      }),
    }
  })
  const [wins, alwaysWins] = runs.map(({ cases }) => cases.filter((c) => c.measured === 1).length)
  return {
    outcomes: {
      [CLAIMS.biggest.id]: {
        runs: [
          ...runs,
          {
            algorithm: PRINTED,
            reading: 'form 000, nobody follows a lower number: whether all others follow it, too',
            shown: `every interleaving of three: ${shownCheck(followed)}`,
            cases: [fact(followed.ok, false)],
            beside: true,
          },
        ],
        figures: { wins, alwaysWins, followed: Number(followed.ok) },
        why: 'Where its deputy’s time-out elapses after it has come back and before its announcement has arrived, both announce themselves. 000 does not say whether a process follows one with a lower number: if so, it may lose the job again; if not, it had it in the end in each group measured. Even then a third process may follow the deputy, whose announcement arrives last (T-a): “takes over the coordinator’s job” is judged by the process that has come back.',
      },
    },
  }
}

/** How long it takes if so many processes crash one after the other, each a moment before it announces itself. */
function inTurn(setup: Setup, crashes: number): number {
  const n = 12
  const faults: Fault[] = []
  for (;;) {
    const world = worldOf(setup, PRINTED, {
      members: n,
      down: [n],
      knownDown: [n],
      initiators: [1],
      network: constant(PARAMETERS.tm.value),
      options: AGAIN,
      faults,
    })
    let winner: Fault | null = null
    observe(world, {
      sent: ({ from, message: { type } }) => {
        if (type === 'coordinator') winner ??= { kind: 'crash', node: from, at: world.now - 1 }
      },
    })
    runToAgreement(world)
    if (faults.length === crashes || winner === null) return world.monitors.agreedSince / 1000
    faults.push(winner)
  }
}

function worst(setup: Setup): Findings {
  const [, again] = READINGS
  const times = range(0, 8).map((crashes) => inTurn(setup, crashes))
  const two = exploreForAny(setup, PRINTED, { options: ONCE, ...SETTLED, crashes: 2 })
  return {
    outcomes: {
      [CLAIMS.worst.id]: {
        runs: [
          {
            algorithm: PRINTED,
            reading: again.reading,
            shown: `twelve processes, 0, 1, … 8 of which crash when they are about to win: a leader after ${times.map(brief).join(', ')} Tm`,
            cases: times.slice(1).map((ms, i) => {
              return { published: { above: times[i] }, measured: ms }
            }),
          },
          {
            algorithm: PRINTED,
            reading: READINGS[0].reading,
            shown: `two crashes: ${shownCheck(two)}`,
            cases: [fact(!two.ok, true)],
          },
        ],
        figures: { most: times.at(-1)!, neverAgrees: Number(!two.ok) },
        why: 'Each such crash costs the time-outs of those that waited for the process that crashed, T1 and the time-out for an announcement, 6·Tm here. Read to the letter, two crashes are enough for ever: the checker’s trace ends where nothing happens any more and nobody leads.',
      },
    },
  }
}

const { stable, one } = CLAIMS

export const bullyExperiments: readonly Experiment[] = [
  { name: '000-bully', claims: [stable, one], measure: agreement },
  { name: '000-bully-back', claims: [CLAIMS.biggest], measure: comesBack },
  { name: '000-bully-worst', claims: [CLAIMS.worst], measure: worst },
]
