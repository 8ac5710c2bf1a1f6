/** Tests what 003 claims about correctness under each reading of its text: a single coordinator, and rules 4, 6, 7 and 9 (checker and simulator). */
import { NONE, type OptionValues } from 'bellwether/core'
import type { CheckResult } from 'bellwether/check'
import { configure, finish, World, type Fault } from 'bellwether/sim'
import type { Case, Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import { observe, range, runToAgreement } from '../harness/elections.ts'
import { explore, shownCheck } from '../harness/exploration.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { brief } from '../harness/statistics.ts'
import { fact } from '../harness/verdict.ts'
import { CHARITABLE, NODES, PRINTED } from './forms.ts'

const SIMULATED = ['nodes', 'threshold', 'consecutive', 'drawMs', 'calm', 'noticed'] as const

const CLAIMS = {
  single: {
    id: '003-single-coordinator',
    source: '003 §2.2, after “The modified algorithm”',
    claim: 'Voting once in a round, for the first candidate, elects a single node as coordinator.',
    published: 'a single coordinator',
    formula:
      'true if a node votes once in a round, as the text demands; two if a node that recovers forgets its vote, and votes again (W-g)',
    parameters: ['members'],
  },
  allVotes: {
    id: '003-all-the-votes',
    source: '003 §2, introduction and step 3; §2.2, rule 2',
    claim:
      'Only one node must be chosen: the node that receives all the positive votes will be the coordinator.',
    published: 'a single coordinator',
    formula:
      'true if it needs them all (W-a vanishes), or if a refused candidate reverts; two with a majority of them (W-a), also if a candidate that votes for another gives up its own vote',
    parameters: ['members', 'checkedNumbers'],
  },
  rule4: {
    id: '003-rule-4',
    source: '003 §2.2, rule 4',
    claim: 'If a candidate has technical problems, the algorithm continues through a new round.',
    published: 'a leader all the same',
    formula:
      'true if a voter starts a new round when its candidate is down; else it may wait for ever (W-e)',
    parameters: [...SIMULATED, 'members', 'backAfter'],
  },
  rule6: {
    id: '003-rule-6',
    source: '003 §2.2, rule 6',
    claim: 'If the coordinator suffers a problem, the algorithm continues through a new round.',
    published: 'a leader all the same',
    formula:
      'true if a voter starts a new round when its coordinator is down; else it may wait for ever (W-e)',
    parameters: [...SIMULATED, 'members'],
  },
  rule7: {
    id: '003-rule-7',
    source: '003 §2.2, rule 7',
    claim:
      'If the node that is chosen suffers a problem before it has announced itself, the coordinator can choose another leader.',
    published: 'another leader',
    formula: 'another one; if the first was only slow, there are two (W-d)',
    parameters: SIMULATED,
  },
  blocks: {
    id: '003-majority',
    source: '003 §2.2, rule 9',
    claim: 'Without a majority the system blocks until some nodes are recovered.',
    published: 'blocks, then goes on',
    formula: 'no leader while 2 of 5 are up; a leader after one recovery',
    parameters: SIMULATED,
  },
} satisfies Record<string, Claim>

const [FACES, LARGE] = PARAMETERS.checkedNumbers.value
const NUMBERS = { faces: FACES, threshold: FACES - LARGE, consecutive: 1 }
const BOUNDS = { timers: 'async', maxInFlight: 2 } as const
const TWO = 'one at a time'

function brokenIn(result: CheckResult): number {
  return result.properties.find(({ name }) => name === TWO)?.broken ?? 0
}

function coordinators(setup: Setup): Findings {
  const of = (options: OptionValues, given: object, maxStates = 60_000): CheckResult =>
    explore(setup, PRINTED, { single: 'coordinator', maxStates, ...given, options })
  const once = { form: 'vote-once' }
  const calm = of(once, {})
  const crash = of({ ...once, ...CHARITABLE }, { crashes: 1 })
  const back = of({ ...once, ...CHARITABLE }, { crashes: 1, recoveries: 1 })
  const isSingle = (result: CheckResult): boolean => brokenIn(result) === 0
  const readings = [
    { reading: 'a majority of the votes', options: {}, expected: false },
    { reading: '“all the positive votes”', options: { votes: 'all' }, expected: true },
    {
      reading: 'a majority, a refused candidate reverts',
      options: { revert: 'yes' },
      expected: true,
    },
    {
      reading: 'a majority, a candidate that votes for another gives up its own vote',
      options: { ownVote: 'moved' },
      expected: false,
    },
  ].map(({ reading, options, expected }): Run => {
    const found = of({ form: 'five-step', ...NUMBERS, ...options }, BOUNDS, 500_000)
    const broken = brokenIn(found)
    return {
      algorithm: PRINTED,
      reading,
      shown:
        broken > 0
          ? `two coordinators (${shownCheck(found)})`
          : `never two coordinators in ${found.complete ? 'all' : 'the first'} ${found.states.toLocaleString('en')} states`,
      cases: [fact(broken > 0 ? false : found.complete || null, expected)],
    }
  })
  const corrected = explore(setup, 'roulette-majority', { crashes: 1, recoveries: 1, maxTerm: 1 })
  return {
    outcomes: {
      [CLAIMS.single.id]: {
        runs: [
          {
            algorithm: PRINTED,
            reading: 'form vote-once, crashes only',
            shown: `no crash: ${shownCheck(calm)}; one: ${shownCheck(crash)}`,
            cases: [fact(isSingle(calm), true), fact(isSingle(crash), true)],
          },
          {
            algorithm: PRINTED,
            reading: 'form vote-once, a node that recovers has forgotten its vote',
            shown: `a crash and a recovery: ${shownCheck(back)}`,
            cases: [fact(isSingle(back), false)],
            beside: true,
          },
          {
            algorithm: 'roulette-majority',
            reading: 'a crash and a recovery',
            shown: `numbered terms: ${shownCheck(corrected)}`,
            cases: [fact(corrected.ok, true)],
          },
        ],
        figures: {
          calm: Number(isSingle(calm)),
          back: Number(isSingle(back)),
          corrected: Number(corrected.ok),
        },
        why: 'The sentence demands that a node votes once in a round. One that recovers, of which rule 9 speaks, keeps to that only if it remembers its vote and the round, of which the text says nothing: if it forgets them, it votes again, and its old vote still counts (W-g). A stable vote in each numbered term ends that.',
      },
      [CLAIMS.allVotes.id]: {
        runs: readings,
        figures: Object.fromEntries(
          readings.map(({ cases }, i) => [`reading${i}`, cases[0].measured]),
        ),
        why: 'A voter may vote again, for a greater number, and its first vote is not taken back. A second coordinator needs a majority in spite of it; it cannot have all the votes. Nobody crashes; messages take any time; every state with at most two on a link is explored.',
      },
    },
  }
}

/** Whether all that are up agree in the end, if the first node of this status crashes at once, and is back after so long, or never. */
function agreesWithout(
  setup: Setup,
  status: 'candidate' | 'coordinator',
  options: OptionValues,
  seed: number,
  backMs: number | null = null,
): boolean {
  const algorithm = setup.algorithm(PRINTED)
  const world = new World(configure({ algorithm, members: NODES, seed, options }))
  const first = (): number => world.states.findIndex((one, id) => id > 0 && one.status === status)
  while (first() < 0 && world.step());
  const node = first()
  world.inject({ kind: 'crash', node, at: world.now })
  if (backMs !== null) {
    const at = world.now + 1000 * backMs
    world.inject({ kind: 'recover', node, at })
    world.runUntil(at)
  }
  runToAgreement(world, world.now + 20_000_000)
  world.runUntil(world.now + 2_000_000)
  return world.monitors.agreed !== NONE
}

function crashes(setup: Setup): Findings {
  const readings = (['no', 'yes'] as const).flatMap((newRound) =>
    ['time-out', 'vote-once'].map((form) => {
      const options = { form, newRound }
      const found = explore(setup, PRINTED, { crashes: 1, options })
      const reading = `form ${form}, ${newRound === 'yes' ? 'a voter starts a new round' : 'a voter goes on waiting'}`
      return { options, reading, found, isLive: newRound === 'yes' }
    }),
  )
  const seeds = range(1, setup.samples(20)).map((i) => setup.seed * 4001 + i)
  const runsOf = (status: 'candidate' | 'coordinator'): Run[] =>
    readings.map(({ options, reading, found, isLive }) => {
      const led = seeds.map((seed) => agreesWithout(setup, status, options, seed))
      return {
        algorithm: PRINTED,
        reading,
        shown: `the first ${status} of five crashes: a leader in ${led.filter(Boolean).length} of ${led.length} elections; any one of three crashes, at any moment: ${shownCheck(found)}`,
        cases: [
          ...led.map((one) => (isLive ? fact(one, true) : { published: 1, measured: Number(one) })),
          fact(found.ok, isLive),
        ],
      }
    })
  const backAfter = PARAMETERS.backAfter.value
  const again = range(1, setup.samples(40)).map((i) => setup.seed * 4001 + i)
  const back = readings
    .filter(({ isLive }) => isLive)
    .map(({ options, reading }) => {
      const led = backAfter.flatMap((ms) =>
        again.map((seed) => agreesWithout(setup, 'candidate', options, seed, ms)),
      )
      const found = explore(setup, PRINTED, { crashes: 1, recoveries: 1, options })
      const shownLed = `${led.filter(Boolean).length} of ${led.length}`
      const run: Run = {
        algorithm: PRINTED,
        reading: `${reading}, the candidate comes back`,
        shown: `the first candidate of five crashes, and is back ${backAfter.map(brief).join(', ')} ms later: a leader in ${shownLed} elections; any one of three crashes, and comes back, at any moment: ${shownCheck(found)}`,
        cases: [
          ...led.map((one) => ({ published: 1, measured: Number(one) })),
          fact(found.ok, false),
        ],
        beside: true,
      }
      return { run, shown: `in ${shownLed} elections (form ${options.form})` }
    })
  const repaired = explore(setup, 'roulette', {
    start: 'settled',
    crashes: 1,
    recoveries: 1,
    maxTerm: 2,
  })
  const corrected: Run = {
    algorithm: 'roulette',
    reading: 'a crash and a recovery',
    shown: shownCheck(repaired),
    cases: [fact(repaired.ok, true)],
  }
  const outcome = (status: 'candidate' | 'coordinator', why: string, more: readonly Run[] = []) => {
    const runs = runsOf(status)
    const leaders = runs.map(({ cases }) => cases.filter((one) => one.measured === 1).length)
    return {
      runs: [...runs, ...more, corrected],
      figures: { waits: leaders[0], restarts: leaders[2] },
      why,
    }
  }
  return {
    outcomes: {
      [CLAIMS.rule4.id]: outcome(
        'candidate',
        `The rule does not say who starts the new round. A voter draws no more once it has voted: it has to start it. The rule stops the candidate until its problem is resolved, and does not say what it does then; this stands beside. Back ${brief(Math.min(...backAfter))} to ${brief(Math.max(...backAfter))} ms later, a leader results ${back.map(({ shown }) => shown).join(' and ')}. A member that comes back with its vote forgotten may lead beside another (W-g), as the checker finds.`,
        back.map(({ run }) => run),
      ),
      [CLAIMS.rule6.id]: outcome(
        'coordinator',
        'As in `003-rule-4`, here of a coordinator that crashes before it has announced the leader. The new round is what rules 4 and 6 say, and so part of the specimen: what is measured is that a leader comes of it. It decides, since 003 prints no code, so that its rules are the algorithm; where code stands beside a sentence, as in 001, the code does.',
      ),
    },
  }
}

/** The node that is chosen first crashes before the announcement arrives: whom is announced to next, and who leads in the end? */
function chosenCrashes(setup: Setup): Findings {
  const runs = ['time-out', 'vote-once'].map((form): Run => {
    const options = { form, wheelOf: 'received', ...CHARITABLE }
    const another = range(1, setup.samples(20)).map((i) => {
      const seed = setup.seed * 5003 + i
      const algorithm = setup.algorithm(PRINTED)
      const world = new World(configure({ algorithm, members: NODES, seed, options }))
      const announced: [from: number, to: number][] = []
      observe(world, {
        sent: ({ from, to, message: { type } }) => {
          if (type === 'announcement') announced.push([from, to])
        },
      })
      while (announced.length === 0 && world.step());
      const [[coordinator, chosen]] = announced
      world.inject({ kind: 'crash', node: chosen, at: world.now })
      runToAgreement(world, world.now + 20_000_000)
      const [, second] = announced
      return (
        second !== undefined &&
        second[0] === coordinator &&
        second[1] !== chosen &&
        world.monitors.agreed === second[1]
      )
    })
    return {
      algorithm: PRINTED,
      reading: `form ${form}, the wheel has the numbers received from others`,
      shown: `the coordinator announces to another node, which then leads, in ${another.filter(Boolean).length} of ${another.length} elections`,
      cases: another.map((one) => fact(one, true)),
    }
  })
  return {
    outcomes: {
      [CLAIMS.rule7.id]: {
        runs,
        figures: Object.fromEntries(
          runs.map(({ cases }, i) => [
            `form${i}`,
            cases.filter((one) => one.measured === 1).length,
          ]),
        ),
        why: 'That the silent node leaves the wheel, and that the coordinator then chooses another, is what rule 7 says, and so part of the specimen, as the new round is in `003-rule-6`: what is measured is that this other node then leads. Nobody tells the first choice that it is no longer wanted: if it was slow and not down, both lead (W-d).',
      },
    },
  }
}

function majority(setup: Setup): Findings {
  const faults: Fault[] = [1, 2, 3].map((node) => ({ kind: 'crash', node, at: 0 }))
  const recover: Fault = { kind: 'recover', node: 2, at: 20_000_000 }
  const run = (algorithm: string, options: OptionValues, reading?: string): Run => {
    const given = { algorithm: setup.algorithm(algorithm), members: 5, seed: setup.seed, options }
    const blocked = new World(configure({ ...given, faults, untilUs: 20_000_000 }))
    finish(blocked)
    const isBlocked = [4, 5].every((id) => blocked.states[id].leader === NONE)
    const goesOn = new World(configure({ ...given, faults: [...faults, recover] }))
    goesOn.runUntil(60_000_000)
    const isLed = goesOn.monitors.agreed !== NONE
    const cases: Case[] = [fact(isBlocked, true), fact(isLed, true)]
    const shown = `2 of 5 up: ${isBlocked ? 'no leader' : 'a leader'} in 20 s; after one recovery: ${isLed ? 'a leader' : 'no leader'}`
    return reading === undefined
      ? { algorithm, shown, cases }
      : { algorithm, reading, shown, cases }
  }
  const runs = [
    run(PRINTED, { form: 'time-out', ...CHARITABLE }, 'a majority of the configured nodes'),
    run('roulette', {}),
  ]
  return {
    outcomes: {
      [CLAIMS.blocks.id]: {
        runs,
        figures: { printed: runs[0].cases[1].measured, corrected: runs[1].cases[1].measured },
        why: 'Of those that are up there always is a majority: the rule makes sense for the configured nodes only (`docs/errata.md`, W-f).',
      },
    },
  }
}

const { single, allVotes, rule4, rule6 } = CLAIMS

export const safetyExperiments: readonly Experiment[] = [
  { name: '003-safety', claims: [single, allVotes], measure: coordinators },
  { name: '003-crashes', claims: [rule4, rule6], measure: crashes },
  { name: '003-chosen', claims: [CLAIMS.rule7], measure: chosenCrashes },
  { name: '003-majority', claims: [CLAIMS.blocks], measure: majority },
]
