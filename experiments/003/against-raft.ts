/** Measures the claim of 003 that its algorithm has fewer split votes than Raft: several candidates, and rounds without a winner, for random time-outs of several widths beside both forms of the roulette. */
import { NONE, type OptionValues } from 'bellwether/core'
import {
  tableOf,
  type Claim,
  type Experiment,
  type Findings,
  type Run,
  type Setup,
} from '../harness/claim.ts'
import { constant, range, worldOf } from '../harness/elections.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { line, linePlot, markers } from '../harness/plot.ts'
import { brief, mean, share, shownShare, type Share } from '../harness/statistics.ts'
import { CHARITABLE, holdVote, NODES, PRINTED, SURVIVORS } from './forms.ts'
import { DRAW_MS, meanFirstDraws } from './launch-formulas.ts'

const CLAIM = {
  id: '003-split-against-raft',
  source: '003 §1',
  claim:
    'In Raft votes split when two nodes have almost the same time-out; the proposed algorithm tries to minimise split votes.',
  published: 'few split votes (read: fewer than Raft’s)',
  parameters: [
    'nodes',
    'drawers',
    'threshold',
    'consecutive',
    'drawMs',
    'raftTimeout',
    'raftMessage',
  ],
  formula:
    'several of 4 candidates: 1 − (1 − w/T)⁴ with time-outs of T to 2T, first at 1.2·T; 1 − exp(−3w/385 ms) with the wheel, first at 98.2 ms',
} satisfies Claim

const LEADER = NODES
/** The time of every message, and the bound that the members know. */
const [W_MS, BOUND_MS] = PARAMETERS.raftMessage.value
const FIRST_MS = DRAW_MS * meanFirstDraws(SURVIVORS.length)
/** Raft's time-outs last this many round trips, T, up to 2T. */
const ROUND_TRIPS: readonly number[] = PARAMETERS.raftTimeout.value
const EQUAL = 7
const widthOf = (roundTrips: number): number => 2 * BOUND_MS * roundTrips

interface Contender {
  readonly name: string
  readonly algorithm: string
  readonly options: OptionValues
  /** The type of the message with which a candidate asks for votes. */
  readonly asks: string
  readonly formula: number
}

const WHEEL = { asks: 'proposal', formula: 1 - Math.exp((-3 * W_MS) / 385) }
const WHEELS: readonly Contender[] = [
  {
    name: 'roulette as printed',
    algorithm: PRINTED,
    options: { form: 'time-out', ...CHARITABLE },
    ...WHEEL,
  },
  { name: 'roulette', algorithm: 'roulette', options: {}, ...WHEEL },
  {
    name: 'roulette-majority',
    algorithm: 'roulette-majority',
    options: { leasePeriods: 0 }, // 003 has no lease
    ...WHEEL,
  },
]
const RAFTS = ROUND_TRIPS.map((timeout): Contender => {
  const width = widthOf(timeout)
  return {
    name: `raft, ${width} to ${2 * width} ms`,
    algorithm: 'raft',
    options: { timeout },
    asks: 'requestVote',
    formula: 1 - (1 - W_MS / width) ** SURVIVORS.length,
  }
})

interface Vote {
  readonly firstMs: number
  readonly electedMs: number
  /** How many stood before the first one's message had reached them. */
  readonly candidates: number
  /** Terms without a winner. */
  readonly lost: number
}

function hold(setup: Setup, { algorithm, options, asks }: Contender, i: number): Vote {
  const world = worldOf(setup, algorithm, {
    members: NODES,
    seed: setup.seed * 1_000_003 + i,
    down: [LEADER],
    initiators: SURVIVORS,
    options,
    network: constant(W_MS),
    timing: { messageMs: BOUND_MS },
  })
  const before = world.states[1].term
  const stood = new Map<number, number>()
  const { isLost } = holdVote(world, ({ from, message: { type } }) => {
    if (type === asks && !stood.has(from)) stood.set(from, world.now)
  })
  const first = Math.min(...stood.values())
  const { agreed, agreedSince } = world.monitors
  return {
    firstMs: first / 1000,
    electedMs: agreedSince / 1000,
    candidates: [...stood.values()].filter((at) => at - first < 1000 * W_MS).length,
    // The printed text has no terms.
    lost:
      algorithm === PRINTED
        ? Number(isLost())
        : agreed === NONE
          ? 1
          : world.states[agreed].term - before - 1,
  }
}

interface Measured extends Contender {
  readonly several: Share
  readonly lost: Share
  readonly firstMs: number
  readonly electedMs: number
}

function measure(setup: Setup): Findings {
  const count = setup.samples(1000)
  const found = [...WHEELS, ...RAFTS].map((contender): Measured => {
    const votes = range(1, count).map((i) => hold(setup, contender, i))
    return {
      ...contender,
      several: share(votes.filter(({ candidates }) => candidates > 1).length, count),
      lost: share(votes.filter(({ lost }) => lost > 0).length, count),
      firstMs: mean(votes.map(({ firstMs }) => firstMs)),
      // As printed, a few elections never end.
      electedMs: mean(votes.map(({ electedMs }) => electedMs).filter((ms) => !Number.isNaN(ms))),
    }
  })
  const [printed, wheel, majority] = found
  const rafts = found.slice(WHEELS.length)
  // The one whose first candidate stands at about the time of the wheel's.
  const equal = rafts[ROUND_TRIPS.indexOf(EQUAL)]
  const longest = rafts.at(-1)!
  const runOf = ({ algorithm, several, formula }: Measured): Run => ({
    algorithm,
    reading: 'several candidates',
    shown: `several candidates: ${shownShare(several)}; ${rafts.map((raft) => `${raft.name}: ${shownShare(raft.several)}`).join('; ')}`,
    cases: rafts.map((raft) => ({
      published: { below: raft.several.low },
      measured: several.share,
      formula,
      // Survivors draw in step here: a second launch in the same step adds at most a hundredth.
      margin: (several.high - several.low + 0.01) / 2,
    })),
  })
  const withoutWinner = ({ algorithm, lost }: Measured): Run => ({
    algorithm,
    reading: 'a round without a winner',
    shown: `${shownShare(lost)}; ${rafts.map((raft) => `${raft.name}: ${shownShare(raft.lost)}`).join('; ')}`,
    cases: rafts.map((raft) => {
      return { published: { below: raft.lost.low }, measured: lost.share }
    }),
  })
  const percent = (one: Share): string => shownShare(one)
  return {
    outcomes: {
      [CLAIM.id]: {
        runs: [printed, wheel, majority].flatMap((one) => [runOf(one), withoutWinner(one)]),
        figures: {
          printed: printed.several.share,
          roulette: wheel.several.share,
          majority: majority.several.share,
          raft: equal.several.share,
          printedLost: printed.lost.share,
          rouletteLost: wheel.lost.share,
          majorityLost: majority.lost.share,
          raftLost: equal.lost.share,
          rouletteFirstMs: wheel.firstMs,
          raftFirstMs: equal.firstMs,
        },
        why: `Compared with the lower end of the interval of each of Raft’s time-outs. At the same mean time of the first candidate, ${brief(FIRST_MS)} ms, that is ${equal.name}: ${brief(100 * equal.several.share)} %; the longest, whose first candidate comes after ${brief(longest.firstMs)} ms, still split ${brief(100 * longest.several.share)} %. The first T of Raft's time-out spreads nobody; draws spread candidates from the start. Time-outs from 0 to 5 · ${brief(FIRST_MS)} ms would split ${brief(100 * (1 - (1 - W_MS / (5 * FIRST_MS)) ** 4))} %, as the wheel does. By both formulas the comparison does not depend on how long a message takes, while that is short: 3w/385 ms against 4w/T. The split is a matter of width over the time of a message, not of the wheel. By rounds without a winner the longest time-out of Raft has none either, and the wheel has fewer than the four others.`,
      },
    },
    tables: [
      tableOf(
        `Elections of four survivors, messages of ${W_MS} ms, ${count} elections for each row.`,
        found,
        {
          algorithm: ({ name }) => name,
          'several candidates': ({ several }) => percent(several),
          'by formula, %': ({ formula }) => brief(100 * formula),
          'a round without a winner': ({ lost }) => percent(lost),
          'first candidate, ms': ({ firstMs }) => brief(firstMs),
          'elected, ms': ({ electedMs }) => brief(electedMs),
        },
      ),
    ],
    plots: [
      linePlot({
        name: '003-split-against-raft',
        caption: `Share of elections with several candidates against the mean time of the first one; messages of ${W_MS} ms, ${count} elections for each point, bars: 95 % intervals.`,
        title: '003 §1: split votes, the wheel beside Raft',
        x: { label: 'first candidate, ms', min: 0 },
        y: { label: 'elections with several candidates, %', min: 0 },
        series: [
          line('1 − (1 − w/T)⁴ at 1.2·T', range(15, 320), (T) => [
            1.2 * T,
            100 * (1 - (1 - W_MS / T) ** 4),
          ]),
          markers('raft', rafts, placeOf),
          markers('roulette as printed', [printed], placeOf),
          markers('roulette', [wheel], placeOf),
          markers('roulette-majority', [majority], placeOf),
        ],
      }),
    ],
  }
}

function placeOf({ firstMs, several }: Measured): [number, number, number] {
  return [firstMs, 100 * several.share, 50 * (several.high - several.low)]
}

export const raftExperiment: Experiment = {
  name: '003-split-against-raft',
  claims: [CLAIM],
  measure,
}
