/** Measures the launch condition of 003 §2.2.1 and §2.4 in the simulator: the time until one node has drawn one to four large numbers in a row, and its probability within 100 ms. */
import type { Case, Claim, Experiment, Findings, Outcome, Setup } from '../harness/claim.ts'
import { electQuickly, observe, range, worldOf } from '../harness/elections.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { linePlot } from '../harness/plot.ts'
import {
  brief,
  estimate,
  share,
  shownEstimate,
  shownShare,
  type Estimate,
  type Share,
} from '../harness/statistics.ts'
import { chanceWithin, DRAW_MS, meanDraws } from './launch-formulas.ts'

const FIRST_MS = PARAMETERS.firstMs.value
/** Two standard errors of the 1,000 iterations that were printed. */
const OF_ITERATIONS = 0.07

function claimOf({ id, text, published, threshold, consecutive: r, ...own }: Condition): Claim {
  const p = 1 - threshold
  const ms = DRAW_MS * meanDraws(p, r)
  const early = 100 * chanceWithin(Math.floor(FIRST_MS / DRAW_MS), p, r)
  return {
    id,
    source: '003 §2.4',
    claim: `${text}.`,
    published,
    ...(own.tolerance === undefined ? {} : { tolerance: own.tolerance }),
    parameters: [
      'threshold',
      'consecutive',
      'drawMs',
      ...(own.ofFirst ? (['firstMs'] as const) : []),
    ],
    formula: `(1−pʳ)/((1−p)·pʳ) = ${brief(meanDraws(p, r))} draws of ${DRAW_MS} ms: ${brief(ms)} ms; ${brief(early)} % within ${FIRST_MS} ms`,
  }
}

interface Condition {
  readonly id: string
  readonly text: string
  readonly published: string
  readonly threshold: number
  readonly consecutive: number
  /** Where it prints a value, and not a bound. */
  readonly tolerance?: number
  /** Whether it speaks of the share that launches in the first 100 ms. */
  readonly ofFirst: boolean
  /** What the document says of the share within 100 ms, and of the mean. */
  readonly says: (early: Case, ms: Case) => readonly Case[]
  /** What it says of the mean to which the interval of the draws was fitted. */
  readonly fitted?: (ms: Case) => readonly Case[]
  readonly why: string
}

/** Of what is measured, the case with another printed value. */
const as = (one: Case, published: Case['published']): Case => ({ ...one, published })

const CONDITIONS: readonly Condition[] = [
  {
    id: '003-launch-one',
    text: 'With a single number almost all nodes generate one above the threshold (here: within 100 ms)',
    published: '“almost all nodes” (read: over 99 %)',
    threshold: 0.85,
    consecutive: 1,
    ofFirst: true,
    says: (early) => [as(early, { above: 0.99 })],
    why: 'A number above 0.85 comes every 6.67 draws on the average, and 100 ms are 90 draws of the interval that was fitted to the mean of three numbers in a row.',
  },
  {
    id: '003-launch-two',
    text: 'With two consecutive numbers over 80 % of the nodes launch in the first 100 ms',
    published: 'over 80 %',
    threshold: 0.85,
    consecutive: 2,
    ofFirst: true,
    says: (early) => [as(early, { above: 0.8 })],
    why: 'At one draw each 1.108 ms, which was fitted to the mean of three numbers in a row, not to this figure.',
  },
  {
    id: '003-launch-three',
    text: 'With three consecutive numbers 22 % launch in the first 100 ms; the average is 385 ms',
    published: '22 %, 385 ms',
    threshold: 0.85,
    consecutive: 3,
    ofFirst: true,
    tolerance: OF_ITERATIONS,
    says: (early) => [as(early, 0.22)],
    fitted: (ms) => [as(ms, 385)],
    why: 'The interval of the draws is fitted to the 385 ms, so that only the 22 % are tested. By themselves the two figures imply 1.108 and 1.136 ms a draw: they agree with each other, and with a sleep of 1 ms.',
  },
  {
    id: '003-launch-three-0.9',
    text: 'With the threshold 0.9, 8 % launch in the first 100 ms, 1.3 s on the average',
    published: '8 %, 1.3 s',
    threshold: 0.9,
    consecutive: 3,
    ofFirst: true,
    tolerance: OF_ITERATIONS,
    says: (early, ms) => [as(early, 0.08), as(ms, 1300)],
    why: 'The printed mean of 1,000 iterations has a standard error of about 3 %, if the standard deviation of a launch is near its mean; the 1.23 s of our formula are within two of them. The interval of the draws is fitted to the mean with the threshold 0.85, not to these figures.',
  },
  {
    id: '003-launch-four',
    text: 'With four consecutive numbers it would take over 2 seconds on the average',
    published: 'over 2 s',
    threshold: 0.85,
    consecutive: 4,
    ofFirst: false,
    says: (_early, ms) => [as(ms, { above: 2000 })],
    why: 'The fourth number multiplies the mean of three by 6.69, nearly 1/0.15, by our formula.',
  },
]

const PROBABILITY: Claim = {
  id: '003-probability',
  source: '003 §2.2, rule 1',
  claim:
    'The probability that one, two, three numbers in a row are above 0.85 is 0.15, 0.0225, 0.003375.',
  published: '0.15, 0.0225, 0.003375',
  formula: 'pʳ for r given draws; a launch takes (1−pʳ)/((1−p)·pʳ) draws, which is more than 1/pʳ',
  parameters: ['threshold'],
}

/** Some millions of draws for each condition. */
function enough(threshold: number, consecutive: number): number {
  return Math.min(4000, Math.round(1_500_000 / meanDraws(1 - threshold, consecutive)))
}

/** Milliseconds until a node that draws alone launches: it has no peers, and leads at once. */
function launchTimes(setup: Setup, { threshold, consecutive }: Condition): number[] {
  return range(1, setup.samples(enough(threshold, consecutive))).map((i) => {
    const options = { threshold: Math.round(1e6 * threshold), consecutive, drawEveryMs: DRAW_MS }
    const seed = setup.seed * 1_000_003 + 10_000 * consecutive + i
    return electQuickly(setup, PRINTED, { members: 1, seed, options }).ms
  })
}

const PRINTED = 'roulette-as-printed'

function launches(setup: Setup): Findings {
  const measured = CONDITIONS.filter(({ id }) => setup.wants(id)).map((condition) => {
    const times = launchTimes(setup, condition)
    const early = share(times.filter((ms) => ms <= FIRST_MS).length, times.length)
    return { condition, times, early, ms: estimate(times) }
  })
  const outcomes = Object.fromEntries(
    measured.map(({ condition, early, ms, times }): [string, Outcome] => {
      const p = 1 - condition.threshold
      const [shareCase, meanCase] = casesOf(early, ms, p, condition.consecutive)
      return [
        condition.id,
        {
          runs: [
            {
              algorithm: PRINTED,
              shown: `${shownShare(early)} within 100 ms; ${shownEstimate(ms, ' ms')} on the average of ${times.length}`,
              cases: condition.says(shareCase, meanCase),
              samples: times,
            },
            ...(condition.fitted === undefined
              ? []
              : [
                  {
                    algorithm: PRINTED,
                    reading: 'the mean, to which the interval of the draws is fitted',
                    shown: shownEstimate(ms, ' ms'),
                    cases: condition.fitted(meanCase),
                    fitted: true as const,
                  },
                ]),
          ],
          figures: { within100ms: early.share, meanMs: ms.mean, marginMs: ms.margin },
          why: condition.why,
        },
      ]
    }),
  )
  const rows = setup.wants(PROBABILITY.id) ? { [PROBABILITY.id]: probability(setup) } : {}
  const plots = measured.length === 0 ? [] : [launchPlot(measured)]
  return { outcomes: { ...outcomes, ...rows }, plots }
}

function casesOf(early: Share, ms: Estimate, p: number, r: number): [share: Case, mean: Case] {
  const formulas = [chanceWithin(Math.floor(FIRST_MS / DRAW_MS), p, r), DRAW_MS * meanDraws(p, r)]
  return [
    {
      published: 0,
      measured: early.share,
      margin: (early.high - early.low) / 2,
      formula: formulas[0],
    },
    { published: 0, measured: ms.mean, margin: ms.margin, formula: formulas[1] },
  ]
}

/** Of very many draws of one node, how many windows of r numbers are all large. */
function probability(setup: Setup): Outcome {
  const world = worldOf(setup, PRINTED, {
    members: 1,
    seed: setup.seed,
    // Never launches: ten in a row.
    options: { consecutive: 10, drawEveryMs: 1 },
  })
  const [windows, hits] = [
    [0, 0, 0],
    [0, 0, 0],
  ]
  let streak = 0
  let draws = 0
  observe(world, {
    step: (_at, step) => {
      if (step.kind !== 'drawn' || step.name !== 'number') return
      draws += 1
      streak = step.k + 1 > 1e6 * PARAMETERS.threshold.value ? streak + 1 : 0
      for (const r of IN_A_ROW) {
        if (draws >= r) windows[r - 1] += 1
        if (streak >= r) hits[r - 1] += 1
      }
    },
  })
  world.runUntil(1000 * setup.samples(500_000))
  const found = IN_A_ROW.map((r) => share(hits[r - 1], windows[r - 1]))
  return {
    runs: [
      {
        algorithm: PRINTED,
        shown: `${found.map(({ share: one }) => brief(one)).join(', ')} of ${draws.toLocaleString('en')} draws`,
        cases: found.map((one, i) => ({
          published: 0.15 ** IN_A_ROW[i],
          measured: one.share,
          // Overlapping windows depend on each other: a wider interval.
          margin: 0.7 * (one.high - one.low),
          formula: 0.15 ** IN_A_ROW[i],
        })),
      },
    ],
    figures: { one: found[0].share, two: found[1].share, three: found[2].share },
    why: 'Right of r given draws. It is not the rate of launches: runs of draws overlap and a failure starts them anew, so that a launch takes 347 draws for three numbers, not 1/pʳ = 296.',
  }
}

const IN_A_ROW = [1, 2, 3]

function launchPlot(measured: readonly { condition: Condition; times: readonly number[] }[]) {
  const at = [5, 10, 20, 40, 60, 80, 100, 150, 200, 300, 400, 500, 600, 700, 800, 900, 1000]
  return linePlot({
    name: '003-launch',
    caption:
      'Share of nodes that have satisfied the launch condition by a given time, for one draw each 1.108 ms. Measured.',
    title: '003 §2.4: the launch condition',
    x: { label: 'time since the first draw, ms', min: 0, max: 1000 },
    y: { label: 'share of nodes that have launched, %', min: 0, max: 100 },
    series: measured.map(({ condition, times }) => ({
      name: `${condition.consecutive} above ${condition.threshold}`,
      points: at.map((x) => [x, (100 * times.filter((ms) => ms <= x).length) / times.length]),
    })),
  })
}

export const launchExperiment: Experiment = {
  name: '003-launch',
  claims: [PROBABILITY, ...CONDITIONS.map(claimOf)],
  measure: launches,
}
