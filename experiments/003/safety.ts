/** Tests what 003 claims about correctness: a single coordinator and fault tolerance (checker), and blocking without a majority (simulator). */
import { NONE } from 'bellwether/core'
import { configure, finish, World, type Fault } from 'bellwether/sim'
import type { Claim, Experiment, Findings, Setup } from '../harness/claim.ts'
import { explore, shownCheck } from '../harness/exploration.ts'
import { judgeFact } from '../harness/judge.ts'

const CLAIMS = {
  single: {
    id: '003-single-coordinator',
    source: '003 §2.2',
    claim: 'Voting once in a round, for the first candidate, elects a single node.',
    published: 'a single node',
    formula: 'true inside one round; rounds need numbers (W-c)',
  },
  tolerant: {
    id: '003-fault-tolerant',
    source: '003 §2.2, rules 4 and 6',
    claim: 'If a candidate or the coordinator fails, the algorithm continues through a new round.',
    published: 'continues',
    formula: 'as printed a voter has no time-out and waits for ever (W-e); with one it continues',
  },
  blocks: {
    id: '003-majority',
    source: '003 §2.2, rule 9',
    claim: 'Without a majority the system blocks until some nodes are recovered.',
    published: 'blocks, then goes on',
    formula: 'no leader while 2 of 5 are up; a leader after one recovery',
  },
} satisfies Record<string, Claim>

const TWO_LEADERS = 'one leader at a time'

function coordinators(setup: Setup): Findings {
  const options = { form: 'vote-once' } as const
  const calm = explore(setup, 'roulette-as-printed', { options })
  const bounds = { timers: 'async', maxInFlight: 2, maxStates: 150_000 } as const
  const wild = explore(setup, 'roulette-as-printed', { options, ...bounds })
  const corrected = explore(setup, 'roulette-majority', { maxTerm: 1 })
  const broken = wild.properties.find(({ name }) => name === TWO_LEADERS)?.broken ?? 0
  const crash = explore(setup, 'roulette-as-printed', { options, crashes: 1 })
  const repaired = explore(setup, 'roulette', {
    start: 'settled',
    crashes: 1,
    recoveries: 1,
    maxTerm: 2,
  })
  return {
    outcomes: {
      [CLAIMS.single.id]: {
        measured: `one round: ${shownCheck(calm)}; rounds that overlap: two leaders in ${broken.toLocaleString('en')} states; numbered terms: ${shownCheck(corrected)}`,
        figures: {
          calmHolds: Number(calm.ok),
          twoLeaders: broken,
          correctedHolds: Number(corrected.ok),
        },
        verdict: calm.ok && broken > 0 && corrected.ok ? 'holds with a correction' : 'unexplained',
        why: 'A voter that begins a new round votes again, and its old vote still counts where it is late. A stable vote in each numbered term ends that.',
      },
      [CLAIMS.tolerant.id]: {
        measured: `as printed, one crash: ${shownCheck(crash)}; corrected, crash and recovery: ${shownCheck(repaired)}`,
        figures: { printedHolds: Number(crash.ok), correctedHolds: Number(repaired.ok) },
        verdict: repaired.ok ? judgeFact(crash.ok, false) : 'unexplained',
        why: 'Who has voted stops drawing. If the one it voted for dies, nothing ever wakes it; the corrected algorithm draws again when no heartbeat comes.',
      },
    },
  }
}

function majority(setup: Setup): Findings {
  const crashes: Fault[] = [1, 2, 3].map((node) => ({ kind: 'crash', node, at: 0 }))
  const given = { algorithm: setup.algorithm('roulette'), members: 5, seed: setup.seed }
  const blocked = new World(configure({ ...given, faults: crashes, untilUs: 20_000_000 }))
  finish(blocked)
  const isBlocked = [4, 5].every((id) => blocked.states[id].leader === NONE)
  const recover: Fault = { kind: 'recover', node: 2, at: 20_000_000 }
  const goesOn = new World(configure({ ...given, faults: [...crashes, recover] }))
  finish(goesOn)
  const { agreed } = goesOn.monitors
  const ms = (goesOn.monitors.agreedSince - recover.at) / 1000
  return {
    outcomes: {
      [CLAIMS.blocks.id]: {
        measured: `2 of 5 up: ${isBlocked ? 'no leader' : 'a leader'} in 20 s; ${ms.toFixed(0)} ms after one recovery: ${agreed === NONE ? 'no leader' : 'a leader'}`,
        figures: { blocked: Number(isBlocked), electedAfterMs: ms },
        verdict: judgeFact(isBlocked && agreed !== NONE, true),
        why: 'It must be a majority of the configured nodes: counting those that are up, as the rule can be read, lets both sides of a partition elect (W-f).',
      },
    },
  }
}

export const safetyExperiments: readonly Experiment[] = [
  { name: '003-safety', claims: [CLAIMS.single, CLAIMS.tolerant], measure: coordinators },
  { name: '003-majority', claims: [CLAIMS.blocks], measure: majority },
]
