/** Measures simulated elections of 003: messages (§2.3), times (Figures 3, 4), gain of the optimised form by group size, share of split votes (Figure 5), how often each member leads. */
import { configure, World } from 'bellwether/sim'
import type { Claim, Experiment, Findings, Setup, Outcome } from '../harness/claim.ts'
import {
  constant,
  elect,
  electQuickly,
  observe,
  range,
  runToAgreement,
} from '../harness/elections.ts'
import { judgeFact } from '../harness/judge.ts'
import { line, linePlot, markers } from '../harness/plot.ts'
import {
  brief,
  estimate,
  mean,
  quantile,
  share,
  shownEstimate,
  shownShare,
} from '../harness/statistics.ts'
import { durationPlot } from './duration-plot.ts'
import { DRAW_MS, firstDrawsQuantile, meanFirstDraws } from './launch-formulas.ts'

const PERFORMANCE = '003 §2.5'

const CLAIMS = {
  messages: {
    id: '003-messages',
    source: '003 §2.3',
    claim: 'With v nodes there are 2v − 1 messages, heartbeats aside.',
    published: '2v − 1',
    formula:
      '2v − 1 if all v are up and the wheel elects another; 1 less if it elects the coordinator, 1 less if a leader has crashed',
  },
  unoptimised: {
    id: '003-fig3',
    source: `${PERFORMANCE}, Fig. 3`,
    claim:
      'Unoptimised, a leader is chosen in 210 ms on the average, 64 at least, 851 at most, 90 % within about 325 ms.',
    published: '210 ms; 64 to 851; 90 % ≤ 325',
    formula: `first of 4 launches, ${brief(DRAW_MS * meanFirstDraws(4))} ms, + detection + the time-out for the dead leader + messages`,
  },
  optimised: {
    id: '003-fig4',
    source: `${PERFORMANCE}, Fig. 4`,
    claim: 'Optimised, the average is 191 ms: slightly better, 90 % still within about 325 ms.',
    published: '191 ms; 19 ms less',
    formula: 'the same without the time-out for the dead leader',
  },
  influence: {
    id: '003-influence',
    source: PERFORMANCE,
    claim:
      'These results are mostly influenced by the time in which the fastest node satisfies the launch condition.',
    published: 'mostly',
    formula: `${brief(DRAW_MS * meanFirstDraws(4))} of the published 210 ms are draws: 47 %`,
  },
  larger: {
    id: '003-larger-networks',
    source: PERFORMANCE,
    claim: 'The optimization should have a greater impact in bigger networks.',
    published: 'greater impact',
    formula: 'waiting for the slowest of n − 1 answers instead of the median one: grows with n',
  },
  split: {
    id: '003-fig5',
    source: `${PERFORMANCE}, Fig. 5`,
    claim: 'In less than 10 % of the cases there was a split vote.',
    published: '< 10 %',
    formula: '1 − exp(−3w/385 ms), w the time of a message: below 10 % up to w = 13.5 ms',
  },
  chance: {
    id: '003-chance-for-all',
    source: '003 §1, §3',
    claim: 'The algorithm gives a chance to every participant node.',
    published: 'all nodes',
    formula: 'about 1/n each: the greatest of many draws is nearly the same for all',
  },
} satisfies Record<string, Claim>

const NODES = 5
const LEADER = 5
const SURVIVORS = [1, 2, 3, 4]
/**
 * What the document does not state: a message takes 1 to 5 ms, a crash is noticed after 20 ms. The time-out for
 * answers, 2·12.5 ms, is what its gain of 19 ms implies: a majority has answered after about 6 ms.
 */
const DETECTION_MS = 20
const BOUND_MS = 12.5
const FORMS = { unoptimised: 'roulette', optimised: 'roulette-majority' } as const
/** 003 has no lease: without one the leader leads as soon as it is elected. */
const OPTIONS = { unoptimised: {}, optimised: { leasePeriods: 0 } } as const

function messages(setup: Setup): Findings {
  const sizes = range(2, 48)
  const counted = (v: number, down: readonly number[]) => {
    const given = { members: v, down, initiators: [1], seed: setup.seed + v }
    const { messages: count, leader } = elect(setup, 'roulette', given)
    return { v, count, elsewhere: leader !== 1 }
  }
  const ran = sizes.map((v) => counted(v, []))
  const crashed = sizes.slice(1).map((v) => counted(v, [v]))
  const asPublished = ran.filter(({ elsewhere }) => elsewhere)
  const isRight =
    ran.every(({ v, count, elsewhere }) => count === 2 * v - (elsewhere ? 1 : 2)) &&
    crashed.every(({ v, count, elsewhere }) => count === 2 * v - (elsewhere ? 2 : 3))
  return {
    outcomes: {
      [CLAIMS.messages.id]: {
        measured: `2v − 1 in ${asPublished.filter(({ v, count }) => count === 2 * v - 1).length} of ${ran.length} elections with all up, 2v − 2 in the others; v = 48 after a crash: ${crashed.at(-1)!.count}`,
        figures: { messages: ran.at(-1)!.count, afterCrash: crashed.at(-1)!.count, size: 48 },
        verdict: isRight ? 'holds with a correction' : 'unexplained',
        why: 'The coordinator need not announce itself to itself, and a dead leader, the usual reason for an election, does not answer.',
      },
    },
  }
}

interface Timed {
  /** From the crash of the leader until all survivors name the next. */
  readonly ms: number
  /** Until the first of them proposed itself, from when they began to draw. */
  readonly launchMs: number
}

function timedElection(setup: Setup, form: keyof typeof FORMS, i: number): Timed {
  const world = new World(
    configure({
      algorithm: setup.algorithm(FORMS[form]),
      members: NODES,
      seed: setup.seed * 1_000_003 + i,
      down: [LEADER],
      initiators: SURVIVORS,
      options: OPTIONS[form],
      timing: { messageMs: BOUND_MS },
    }),
  )
  let launchMs = NaN
  observe(world, {
    sent: ({ message: { type } }) => {
      if (type === 'proposal' && Number.isNaN(launchMs)) launchMs = world.now / 1000
    },
  })
  runToAgreement(world)
  return { ms: DETECTION_MS + world.monitors.agreedSince / 1000, launchMs }
}

function durations(setup: Setup): Findings {
  const count = setup.samples(3000)
  const slow = range(1, count).map((i) => timedElection(setup, 'unoptimised', i))
  const fast = range(1, count).map((i) => timedElection(setup, 'optimised', i))
  const times = { slow: slow.map(({ ms }) => ms), fast: fast.map(({ ms }) => ms) }
  const launch = estimate(slow.map(({ launchMs }) => launchMs))
  const gain = estimate(times.slow.map((ms, i) => ms - times.fast[i]))
  const exact = DRAW_MS * meanFirstDraws(4)
  const isFirstLaunch = Math.abs(launch.mean - exact) <= 2 * launch.margin
  return {
    outcomes: {
      [CLAIMS.unoptimised.id]: unoptimised(times.slow, launch.mean, isFirstLaunch),
      [CLAIMS.optimised.id]: {
        measured: `${shownEstimate(estimate(times.fast), ' ms')}, ${shownEstimate(gain, ' ms')} less; 90 % ≤ ${brief(quantile(times.fast, 0.9))}`,
        figures: { meanMs: mean(times.fast), gainMs: gain.mean, gainMarginMs: gain.margin },
        verdict:
          isFirstLaunch && gain.mean > 0 && gain.mean < 2 * BOUND_MS
            ? 'reproduced differently'
            : 'unexplained',
        why: `The gain is the time-out that the unoptimised form grants the dead leader (here ${2 * BOUND_MS} ms), less what a majority takes to answer. It says nothing about the draws, and depends on the time-out alone.`,
      },
      [CLAIMS.influence.id]: {
        measured: `first launch after ${shownEstimate(launch, ' ms')}: ${((100 * launch.mean) / mean(times.slow)).toFixed(0)} % of the time here, ${((100 * launch.mean) / 210).toFixed(0)} % of the published 210 ms`,
        figures: { launchMs: launch.mean, shareOfPublished: launch.mean / 210 },
        verdict: isFirstLaunch
          ? judgeFact(launch.mean / 210 > 0.5, false, 'holds with a correction')
          : 'unexplained',
        why: 'The spread is all due to the draws, but less than half of the published mean is: some 112 ms are always there, and the published minimum of 64 ms says the same.',
      },
    },
    plots: [
      simulatedPlot('3', 'unoptimised', times.slow, 210),
      simulatedPlot('4', 'optimised', times.fast, 191),
    ],
  }
}

function unoptimised(times: readonly number[], launchMs: number, isFirstLaunch: boolean): Outcome {
  const found = estimate(times)
  const fixed = found.mean - launchMs
  const needed = 210 - launchMs
  const p90 = quantile(times, 0.9)
  const first500 = times.slice(0, 500)
  const [least, most] = [Math.min(...first500), Math.max(...first500)]
  // The distribution is that of the first launch, moved by what is fixed.
  const predicted = DRAW_MS * firstDrawsQuantile(4, 0.9) + fixed
  const isMoved = Math.abs(p90 - predicted) < 0.08 * predicted
  return {
    measured: `${shownEstimate(found, ' ms')}; of 500: ${brief(least)} to ${brief(most)}; 90 % ≤ ${brief(p90)} (${times.length} elections)`,
    figures: { meanMs: found.mean, marginMs: found.margin, p90Ms: p90, minMs: least, maxMs: most },
    verdict:
      isFirstLaunch && isMoved && fixed > 0 && fixed < needed
        ? 'reproduced differently'
        : 'unexplained',
    why: `The shape is that of the first of four launches. What is fixed depends on the installation: ${brief(fixed)} ms here (20 for the detection, 25 the time-out, the rest messages). 003 must have had ${brief(needed)} ms of it: moved by the difference, our 90 % are ${brief(p90 + needed - fixed)} ms, our longest ${brief(most + needed - fixed)}, against its 325 and 851.`,
  }
}

function simulatedPlot(figure: string, form: string, times: readonly number[], published: number) {
  const about = {
    name: `003-fig${figure}`,
    caption: `How long ${times.length} elections of four survivors took in the simulator, ${form}; the mean, and the published mean of Fig. ${figure}.`,
    title: `003 Fig. ${figure}: time of an election, ${form}`,
    xLabel: 'from the crash to agreement, ms',
  }
  return durationPlot(about, times, published)
}

/** So seldom that hardly ever two launch within the time of a message, however many draw. */
const RARE = { consecutive: 4, drawEveryMs: 20 }

function larger(setup: Setup): Findings {
  const sizes = [5, 9, 17, 33, 65]
  const latency = { kind: 'lognormal', medianUs: 3000, sigma: 0.8 } as const
  const gains = sizes.map((n) => {
    const differences = range(1, setup.samples(150)).map((i) => {
      const given = { members: n, seed: setup.seed * 7919 + i, network: { latency } }
      const slow = electQuickly(setup, 'roulette', { ...given, options: RARE }).ms
      const options = { ...RARE, ...OPTIONS.optimised }
      return slow - electQuickly(setup, 'roulette-majority', { ...given, options }).ms
    })
    return { n, gain: estimate(differences) }
  })
  const [least, most] = [gains[0].gain, gains.at(-1)!.gain]
  return {
    outcomes: {
      [CLAIMS.larger.id]: {
        measured: `saves ${shownEstimate(least, ' ms')} with 5 nodes, ${shownEstimate(most, ' ms')} with 65`,
        figures: { gain5Ms: least.mean, gain65Ms: most.mean, margin65Ms: most.margin },
        verdict: judgeFact(most.mean - most.margin > least.mean + least.margin, true),
        why: 'All nodes are up, latency is lognormal (median 3 ms, σ 0.8): the more answers, the later the slowest of them; the median answer stays where it is.',
      },
    },
    plots: [
      linePlot({
        name: '003-larger-networks',
        caption:
          'What the optimised form saves by not waiting for the last answer, by the size of the network. Bars: 95 % intervals.',
        title: '003 §2.5: gain of the optimised form',
        x: { label: 'nodes', log: true },
        y: { label: 'time saved, ms', min: 0 },
        series: [
          {
            name: 'unoptimised − optimised',
            points: gains.map(({ n, gain }) => [n, gain.mean, gain.margin]),
          },
        ],
      }),
    ],
  }
}

function splitVotes(setup: Setup): Findings {
  const count = setup.samples(1000)
  const windows = [1, 2, 5, 10, 13.5, 20]
  const found = windows.map((w) => {
    const split = range(1, count).filter((i) => candidatesOf(setup, w, i) > 1).length
    return { w, split: share(split, count), formula: 1 - Math.exp((-3 * w) / 385) }
  })
  // Survivors draw in step here: who launches in the same step adds at most a hundredth.
  const isOurs = found.every(
    ({ split, formula }) => Math.abs(split.share - formula) < split.high - split.low + 0.01,
  )
  const at5 = found.find(({ w }) => w === 5)!
  const at20 = found.find(({ w }) => w === 20)!
  return {
    outcomes: {
      [CLAIMS.split.id]: {
        measured: `messages of 5 ms: ${shownShare(at5.split)}; of 20 ms: ${shownShare(at20.split)} (${count} elections each)`,
        figures: { at5ms: at5.split.share, at20ms: at20.split.share },
        verdict: isOurs ? 'holds with a correction' : 'unexplained',
        why: 'A second candidate appears if another of the three launches before the proposal arrives. The share is a matter of latency: below 10 % up to 13.5 ms a message, and 003 does not say what its machines had.',
      },
    },
    plots: [
      linePlot({
        name: '003-fig5',
        caption: `Share of elections with more than one candidate, by the time of a message; ${count} elections for each point, bars: 95 % intervals.`,
        title: '003 Fig. 5: how often votes split',
        x: { label: 'time of a message w, ms', min: 0 },
        y: { label: 'elections with several candidates, %', min: 0 },
        series: [
          line('1 − exp(−3w/385)', range(0, 40), (i) => [
            i / 2,
            100 * (1 - Math.exp((-3 * i) / 2 / 385)),
          ]),
          markers('measured', found, ({ w, split }) => [
            w,
            100 * split.share,
            50 * (split.high - split.low),
          ]),
          line('published, < 10 %', [0, 20], (w) => [w, 10]),
        ],
      }),
    ],
  }
}

/** How many survivors propose themselves before the first proposal has reached them all. */
function candidatesOf(setup: Setup, messageMs: number, i: number): number {
  const election = electQuickly(setup, 'roulette', {
    members: NODES,
    seed: setup.seed * 1_000_003 + i,
    down: [LEADER],
    initiators: SURVIVORS,
    network: constant(messageMs),
    timing: { periodMs: 200 },
  })
  return (election.byType['proposal'] ?? 0) / (NODES - 1)
}

function chances(setup: Setup): Findings {
  const count = setup.samples(3000)
  const leads = new Array<number>(NODES).fill(0)
  for (const i of range(1, count)) {
    const { leader } = electQuickly(setup, 'roulette', {
      members: NODES,
      seed: setup.seed * 31 + i,
    })
    leads[leader - 1] += 1
  }
  const shares = leads.map((times) => share(times, count))
  const chiSquare = leads.reduce(
    (sum, times) => sum + (times - count / NODES) ** 2 / (count / NODES),
    0,
  )
  const [least, most] = [Math.min(...leads), Math.max(...leads)].map((times) => share(times, count))
  return {
    outcomes: {
      [CLAIMS.chance.id]: {
        measured: `each of 5 leads in ${(100 * least.share).toFixed(1)} to ${(100 * most.share).toFixed(1)} % of ${count} elections (χ² = ${chiSquare.toFixed(1)}, 4 degrees)`,
        figures: { least: least.share, most: most.share, chiSquare },
        // 18.5: one time in a thousand, were all chances equal.
        verdict: judgeFact(shares.every(({ share: p }) => p > 0.1) && chiSquare < 18.5, true),
        why: 'The wheel gives each voter as many places as its greatest number says. After some twenty draws all of these are close to 1.',
      },
    },
  }
}

export const electionExperiments: readonly Experiment[] = [
  { name: '003-messages', claims: [CLAIMS.messages], measure: messages },
  {
    name: '003-durations',
    claims: [CLAIMS.unoptimised, CLAIMS.optimised, CLAIMS.influence],
    measure: durations,
  },
  { name: '003-larger-networks', claims: [CLAIMS.larger], measure: larger },
  { name: '003-split-votes', claims: [CLAIMS.split], measure: splitVotes },
  { name: '003-chances', claims: [CLAIMS.chance], measure: chances },
]
