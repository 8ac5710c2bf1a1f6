/** Measures the launch condition of 003 §2.2.1 and §2.4 in the simulator: the time until one node has drawn one to four large numbers in a row, and its probability within 100 ms. */
import type { Claim, Experiment, Findings, Outcome, Setup, Verdict } from '../harness/claim.ts'
import { electQuickly, range } from '../harness/elections.ts'
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

function claimOf({ id, text, published, threshold, consecutive: r }: Condition): Claim {
  const p = 1 - threshold
  const ms = DRAW_MS * meanDraws(p, r)
  const early = 100 * chanceWithin(Math.floor(100 / DRAW_MS), p, r)
  return {
    id,
    source: '003 §2.4',
    claim: `${text}.`,
    published,
    formula: `(1−pʳ)/((1−p)·pʳ) = ${brief(meanDraws(p, r))} draws of ${DRAW_MS} ms: ${brief(ms)} ms; ${brief(early)} % within 100 ms`,
  }
}

interface Condition {
  readonly id: string
  readonly text: string
  readonly published: string
  readonly threshold: number
  readonly consecutive: number
  /** What the document says, as a test of what was measured. */
  readonly says: (early: Share, ms: Estimate) => boolean
  readonly why: string
}

const near = (found: Estimate, published: number, tolerance: number): boolean =>
  Math.abs(found.mean - published) <= tolerance * published + found.margin

const CONDITIONS: readonly Condition[] = [
  {
    id: '003-launch-one',
    text: 'With a single number above 0.85 almost all nodes launch early',
    published: '“almost all nodes”',
    threshold: 0.85,
    consecutive: 1,
    says: ({ share: early }) => early > 0.99,
    why: 'A number above 0.85 comes every 6.7 draws: after 100 ms everybody is a candidate.',
  },
  {
    id: '003-launch-two',
    text: 'With two consecutive numbers over 80 % of the nodes launch in the first 100 ms',
    published: 'over 80 %',
    threshold: 0.85,
    consecutive: 2,
    says: ({ share: early }) => early > 0.8,
    why: 'At one draw each 1.108 ms, the interval that the figures for three numbers imply.',
  },
  {
    id: '003-launch-three',
    text: 'With three consecutive numbers 22 % launch in the first 100 ms, 385 ms on the average',
    published: '22 %, 385 ms',
    threshold: 0.85,
    consecutive: 3,
    says: ({ low, high }, ms) => low < 0.235 && high > 0.205 && near(ms, 385, 0.03),
    why: 'The two figures imply 1.108 and 1.136 ms a draw: they agree with each other, and with a sleep of 1 ms.',
  },
  {
    id: '003-launch-three-0.9',
    text: 'With the threshold 0.9, 8 % launch in the first 100 ms, 1.3 s on the average',
    published: '8 %, 1.3 s',
    threshold: 0.9,
    consecutive: 3,
    says: ({ low, high }, ms) => low < 0.085 && high > 0.07 && near(ms, 1300, 0.07),
    why: 'The printed mean of 1,000 iterations has a standard error of 3 %; 1.23 s are within two of them.',
  },
  {
    id: '003-launch-four',
    text: 'With four consecutive numbers it would take over 2 seconds on the average',
    published: 'over 2 s',
    threshold: 0.85,
    consecutive: 4,
    says: (_early, { mean }) => mean > 2000,
    why: 'Each further number multiplies the time by 1/0.15.',
  },
]

const PROBABILITY: Claim = {
  id: '003-probability',
  source: '003 §2.2, rule 1',
  claim:
    'The probability of the launch condition is 0.15 for one number, 0.0225 for two and 0.003375 for three.',
  published: '0.15, 0.0225, 0.003375',
  formula: 'pʳ at a given draw; 1 launch in (1−pʳ)/((1−p)·pʳ) draws',
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
    return electQuickly(setup, 'roulette', { members: 1, seed, options }).ms
  })
}

function launches(setup: Setup): Findings {
  const isProbable = setup.wants(PROBABILITY.id)
  const measured = CONDITIONS.filter(
    ({ id }, i) => setup.wants(id) || (isProbable && i < IN_A_ROW.length),
  ).map((condition) => {
    const times = launchTimes(setup, condition)
    const early = share(times.filter((ms) => ms <= 100).length, times.length)
    return { condition, times, early, ms: estimate(times) }
  })
  const outcomes = Object.fromEntries(
    measured.map(({ condition, early, ms, times }): [string, Outcome] => {
      const p = 1 - condition.threshold
      const expected = DRAW_MS * meanDraws(p, condition.consecutive)
      const isOurs = Math.abs(ms.mean - expected) <= 2 * ms.margin
      const claimed: Verdict = condition.says(early, ms) ? 'holds' : 'does not hold'
      return [
        condition.id,
        {
          measured: `${shownShare(early)} within 100 ms; ${shownEstimate(ms, ' ms')} on the average of ${times.length}`,
          figures: { within100ms: early.share, meanMs: ms.mean, marginMs: ms.margin },
          verdict: isOurs ? claimed : 'unexplained',
          why: condition.why,
        },
      ]
    }),
  )
  const rates = measured.slice(0, IN_A_ROW.length).map(({ ms }) => DRAW_MS / ms.mean)
  return {
    outcomes: { ...outcomes, ...(isProbable ? { [PROBABILITY.id]: probability(rates) } : {}) },
    plots: [launchPlot(measured)],
  }
}

/** One, two, three numbers: the first three conditions. */
const IN_A_ROW = [1, 2, 3]

function probability(rates: readonly number[]): Outcome {
  const expected = IN_A_ROW.map((r) => 1 / meanDraws(0.15, r))
  const isRight = rates.every((rate, i) => Math.abs(rate / expected[i] - 1) < 0.06)
  return {
    measured: `a launch every ${rates.map((rate) => brief(1 / rate)).join(', ')} draws for one, two, three numbers (1/pʳ would be 6.67, 44.4, 296)`,
    figures: { one: rates[0], two: rates[1], three: rates[2] },
    verdict: isRight ? 'holds with a correction' : 'unexplained',
    why: 'pʳ is the probability that r given draws are all large. Runs of draws overlap and a failure starts them anew, so that a launch takes longer than 1/pʳ draws: by 17 % for three.',
  }
}

function launchPlot(measured: readonly { condition: Condition; times: readonly number[] }[]) {
  const at = [0, 20, 40, 60, 80, 100, 150, 200, 300, 400, 500, 600, 700, 800, 900, 1000]
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
