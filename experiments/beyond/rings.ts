/** Measures the elections on rings without faults beside Chang and Roberts: messages against n up to 100,000, on the average over random rings and in the worst order, beside their formulas. */
import { Random } from 'bellwether/core'
import type { Case, Claim, Experiment, Findings, Setup } from '../harness/claim.ts'
import { harmonic, range, runToAgreement, worldOf } from '../harness/elections.ts'
import { line, linePlot, markers } from '../harness/plot.ts'
import { brief } from '../harness/statistics.ts'

const CLAIM = {
  id: 'beyond-rings',
  source: 'bellwether',
  claim:
    'On a ring of n members LeLann needs n² messages, Chang and Roberts n·Hₙ + n on the average and n(n+1)/2 + n at worst, the others O(n log n) at worst.',
  published: '—',
  formula:
    'n²; n·Hₙ + n; n(n+1)/2 + n; at most 8n(1 + ⌈log₂ n⌉) + n (Hirschberg, Sinclair) and 2n(1 + ⌊log₂ n⌋) + n (Peterson)',
} satisfies Claim

const SIZES = [10, 100, 1000, 10_000, 100_000]
/** Larger rings with n² messages take hours. */
const QUADRATIC_SIZES = 3

type Order = 'random' | 'descending'

interface Contender {
  readonly name: string
  readonly algorithm: string
  readonly order: Order
  readonly isQuadratic: boolean
  /** Exact, the most, or the mean over all rings. */
  readonly formula: ((n: number) => number) | null
  readonly means: 'exact' | 'most' | 'mean'
}

const CONTENDERS: readonly Contender[] = [
  contender('le-lann', 'random', 'exact', (n) => n * n, true),
  contender('chang-roberts', 'descending', 'exact', (n) => (n * (n + 1)) / 2 + n, true),
  contender('chang-roberts', 'random', 'mean', (n) => n * harmonic(n) + n),
  contender('hirschberg-sinclair', 'random', 'most', (n) => 8 * n * (1 + ceilLog(n)) + n),
  contender('peterson', 'random', 'most', (n) => 2 * n * (1 + Math.floor(Math.log2(n))) + n),
  contender('itai-rodeh', 'random', 'mean', null),
]

function contender(
  algorithm: string,
  order: Order,
  means: Contender['means'],
  formula: Contender['formula'],
  isQuadratic = false,
): Contender {
  const name = order === 'random' ? algorithm : `${algorithm}, worst`
  return { name, algorithm, order, isQuadratic, formula, means }
}

function ceilLog(n: number): number {
  return Math.ceil(Math.log2(n))
}

/** The messages of one election that all members start. */
function cost(setup: Setup, { algorithm, order }: Contender, n: number): number {
  const ring =
    order === 'random' ? new Random(setup.seed + n).permutation(n) : range(1, n).reverse()
  const world = worldOf(setup, algorithm, { members: n, ring, seed: setup.seed })
  runToAgreement(world, Infinity)
  return world.messageCounts.sumOf('election')
}

function measure(setup: Setup): Findings {
  const sizes = SIZES.slice(0, setup.samples(SIZES.length))
  const found = CONTENDERS.map((one) => {
    const tried = sizes.slice(0, one.isQuadratic ? QUADRATIC_SIZES : SIZES.length)
    return { ...one, points: tried.map((n) => ({ n, messages: cost(setup, one, n) })) }
  })
  const largest = sizes.at(-1)!
  const at = (name: string): number =>
    found.find((one) => one.name === name)!.points.at(-1)!.messages
  const figures = Object.fromEntries(found.map(({ name }) => [name, at(name)]))
  const log = found.filter(({ isQuadratic }) => !isQuadratic)
  const shownAll = `n = ${largest.toLocaleString('en')}: ${log.map(({ name }) => `${name} ${brief(at(name))}`).join(', ')}; le-lann ${brief(at('le-lann'))} at n = ${found[0].points.at(-1)!.n.toLocaleString('en')}`
  return {
    outcomes: {
      [CLAIM.id]: {
        runs: [
          {
            algorithm: 'all',
            shown: shownAll,
            cases: found.flatMap(({ points, formula, means }) =>
              formula === null
                ? []
                : points.map(({ n, messages }) => caseOf(means, messages, formula(n), n)),
            ),
          },
        ],
        figures,
        why: 'LeLann and the worst case of Chang and Roberts are exact at every size measured; Hirschberg and Sinclair, and Peterson, stay below their bounds; the mean of Chang and Roberts is met within four n.',
      },
    },
    plots: [
      linePlot({
        name: 'beyond-rings',
        caption: `Messages of one election on a ring that all members start: one random ring for each size, and for Chang and Roberts also the worst order. Lines: n², n(n+1)/2 + n, n·Hₙ + n. LeLann and the worst order are measured to n = 1,000.`,
        title: 'Messages of elections on rings',
        x: { label: 'members n', log: true },
        y: { label: 'messages of one election', log: true },
        series: [
          line('n²', sizes, (n) => [n, n * n]),
          line('n(n+1)/2 + n', sizes, (n) => [n, (n * (n + 1)) / 2 + n]),
          line('n·Hₙ + n', sizes, (n) => [n, n * harmonic(n) + n]),
          ...found.map(({ name, points }) =>
            markers(name, points, ({ n, messages }) => [n, messages]),
          ),
        ],
      }),
    ],
  }
}

function caseOf(means: Contender['means'], measured: number, formula: number, n: number): Case {
  if (means === 'most') return { published: { atMost: formula }, measured }
  // The mean has a standard deviation of about n per ring.
  const margin = means === 'mean' ? 4 * n : 0
  return { published: formula, measured, formula, margin }
}

export const ringExperiment: Experiment = { name: 'beyond-rings', claims: [CLAIM], measure }
