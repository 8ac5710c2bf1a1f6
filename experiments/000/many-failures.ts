/** Measures 000's claims on several failures: time-outs for f dead superiors asked one by one (Garcia-Molina) or at once (Bully_FD), and the share of time with a leader under churn. */
import { Random } from 'bellwether/core'
import { ping } from 'bellwether/detectors'
import { configure, World, type Fault } from 'bellwether/sim'
import type { Claim, Experiment, Findings, Setup } from '../harness/claim.ts'
import { availability, constant, electQuickly, range } from '../harness/elections.ts'
import { judgeFact, same } from '../harness/judge.ts'
import { linePlot } from '../harness/plot.ts'
import { brief, estimate, shownEstimate } from '../harness/statistics.ts'
import { BOUND, timeOut, TM } from './times.ts'

const CLAIMS = {
  concurrent: {
    id: '000-concurrent',
    source: '000 §1, §3.2 difference 2',
    claim: 'Checking the crashes of other nodes concurrently is faster than sequentially.',
    published: 'faster',
    formula: 'To instead of f·To for f dead superiors',
  },
  churn: {
    id: '000-many-failures',
    source: '000 §1, §3.1',
    claim:
      'Where crashes are frequent, Bully_FD is much more efficient; the classic one may have no leader for long.',
    published: 'much more efficient',
    formula: 'more of the time with an agreed leader, by measurement',
  },
} satisfies Record<string, Claim>

/** Only member k and its f crashed superiors: nothing but detection, one by one or all at once. */
function concurrency(setup: Setup): Findings {
  const ran = range(1, 12).map((f) => {
    const down = range(2, f + 1)
    const members = f + 1
    const to = timeOut(members, BOUND, 0)
    const timing = { messageMs: BOUND, detectionMs: to, periodMs: 1000 }
    const given = { members, down, initiators: [1], detector: ping, network: constant(TM), timing }
    return {
      f,
      to,
      sequential: electQuickly(setup, 'garcia-molina', given).ms / to,
      concurrent: electQuickly(setup, 'bully-fd', given).ms / to,
    }
  })
  const last = ran.at(-1)!
  const isFaster = ran.slice(1).every((r) => r.concurrent < r.sequential)
  const isOurs = ran.every((r) => same(r.sequential, r.f, 1e-3) && same(r.concurrent, 1, 1e-3))
  return {
    outcomes: {
      [CLAIMS.concurrent.id]: {
        measured: `${last.f} dead superiors: ${brief(last.sequential)} time-outs sequentially, ${brief(last.concurrent)} concurrently`,
        figures: { sequential: last.sequential, concurrent: last.concurrent },
        verdict: isOurs ? judgeFact(isFaster, true) : 'unexplained',
        why: 'As 000 says, this is independent of the failure detector: a member that asks all at once waits once.',
      },
    },
    plots: [
      linePlot({
        name: '000-concurrent',
        caption:
          'How long the last survivor takes to find that all its f superiors are dead, none of them known: Garcia-Molina’s calls one after the other, Bully_FD’s questions all at once.',
        title: '000: checking concurrently and sequentially',
        x: { label: 'dead superiors f', min: 0 },
        y: { label: 'time until it leads, To', min: 0 },
        series: [
          { name: 'Garcia-Molina, sequential', points: ran.map((r) => [r.f, r.sequential]) },
          { name: 'Bully_FD, concurrent', points: ran.map((r) => [r.f, r.concurrent]) },
        ],
      }),
    ],
  }
}

/** Members crash and recover again and again; for how much of the time is there a leader that all name? */
function churn(setup: Setup): Findings {
  const names = ['garcia-molina', 'bully-fd'] as const
  const everyS = [8, 4, 2, 1]
  const seeds = range(1, setup.samples(12))
  const measured = names.map((name) => ({
    name,
    points: everyS.map((meanS) => {
      const shares = seeds.map((i) => underChurn(setup, name, meanS, setup.seed * 1009 + i))
      return { meanS, found: estimate(shares.map((share) => 100 * share)) }
    }),
  }))
  const [gm, fd] = measured.map(({ points }) => points.at(-1)!.found)
  const isMore = fd.mean - fd.margin > gm.mean + gm.margin
  return {
    outcomes: {
      [CLAIMS.churn.id]: {
        measured: `a crash or recovery each second: an agreed leader ${shownEstimate(fd, ' %')} of the time with Bully_FD, ${shownEstimate(gm, ' %')} with Garcia-Molina`,
        figures: { fdPercent: fd.mean, gmPercent: gm.mean },
        verdict: judgeFact(isMore, true),
        why: `Ten members, To = 60 ms, ${seeds.length} runs of two minutes. While Garcia-Molina calls the dead one by one, the next fault comes.`,
      },
    },
    plots: [
      linePlot({
        name: '000-churn',
        caption:
          'Share of the time in which all up members name one up leader, by how often one of ten members crashes or recovers. Bars: 95 % intervals.',
        title: '000: with frequent crashes and recoveries',
        x: { label: 'mean time between two crashes or recoveries, s', log: true },
        y: { label: 'time with an agreed leader, %', max: 100 },
        series: measured.map(({ name, points }) => ({
          name: name === 'bully-fd' ? 'Bully_FD' : 'Garcia-Molina',
          points: points.map(({ meanS, found }) => [meanS, found.mean, found.margin]),
        })),
      }),
    ],
  }
}

function underChurn(setup: Setup, name: string, meanS: number, seed: number): number {
  const [members, seconds] = [10, 120]
  const random = new Random(seed)
  const down = new Set<number>()
  const faults: Fault[] = []
  for (let at = 2; at < seconds; at += -meanS * Math.log(1 - random.unit())) {
    const node = 1 + random.below(members)
    const kind = down.has(node) ? 'recover' : 'crash'
    if (kind === 'crash') down.add(node)
    else down.delete(node)
    faults.push({ kind, node, at: Math.round(1e6 * at) })
  }
  const algorithm = setup.algorithm(name)
  const timing = { messageMs: 24, detectionMs: 60 }
  const config = configure({ algorithm, members, seed, faults, detector: ping, timing })
  return availability(new World(config), 1e6 * seconds)
}

export const failureExperiments: readonly Experiment[] = [
  { name: '000-concurrent', claims: [CLAIMS.concurrent], measure: concurrency },
  { name: '000-churn', claims: [CLAIMS.churn], measure: churn },
]
