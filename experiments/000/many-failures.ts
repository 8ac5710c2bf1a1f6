/** Measures 000's claims on several failures: time-outs for f dead superiors asked one by one (Garcia-Molina) or at once (Bully_FD), and the share of time with a leader under churn. */
import { Random, type NodeSet } from 'bellwether/core'
import { ping } from 'bellwether/detectors'
import { configure, World, type Fault } from 'bellwether/sim'
import type { Case, Claim, Experiment, Findings, Run, Setup, Table } from '../harness/claim.ts'
import { availability, constant, electQuickly, range } from '../harness/elections.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { linePlot } from '../harness/plot.ts'
import { brief, estimate, shownEstimate, type Estimate } from '../harness/statistics.ts'
import { BOUND, timeOut, TM } from './times.ts'

const CHURN = { parameters: ['churnEvery', 'churnTo', 'churnSeconds', 'calm'] } as const

const CLAIMS = {
  concurrent: {
    id: '000-concurrent',
    source: '000 §1; §3.2 “Description and algorithm of Bully_FD”, difference 2',
    claim:
      'Checking the crashes of other nodes concurrently rather than sequentially, Bully_FD is faster than the classic Bully.',
    published: 'faster',
    formula:
      'To + 5·Tm as printed, 2·To + 3·Tm corrected (a halted junior first asks about its own leader), instead of f·To + 3·Te for f dead superiors',
    tolerance: 0.002,
    parameters: ['tm', 'bound', 'superiors'],
  },
  churn: {
    id: '000-many-failures',
    source: '000 §1',
    claim:
      'Where crash failures occur repeatedly at many nodes, the execution time of Bully_FD is much more efficient than the classic Bully’s.',
    published: 'much more efficient',
    formula:
      'as printed no more of the time with a leader than with either Bully; corrected more than with sequential calls, less than with the Bully of 000 §3.1',
    ...CHURN,
  },
  frequent: {
    id: '000-frequent-failures',
    source: '000 §3.1',
    claim:
      'Where many nodes are connected and their crash failures are frequent, the execution of the Bully is slow (read: the more frequent, the less of the time there is a leader).',
    published: 'slow where crash failures are frequent',
    formula: 'less of the time with an agreed leader the more often a node crashes',
    ...CHURN,
  },
} satisfies Record<string, Claim>

/** k, one live junior and f crashed superiors: hardly more than detection, one by one or all at once. */
function concurrency(setup: Setup): Findings {
  const names = ['garcia-molina', 'bully-fd-as-printed', 'bully-fd', 'bully-as-printed'] as const
  const ran = range(1, PARAMETERS.superiors.value).map((f) => {
    const down = range(3, f + 2)
    const members = f + 2
    const to = timeOut(members, BOUND, 0)
    const given = { members, down, initiators: [2], detector: ping, network: constant(TM) }
    const ms = names.map((name) => {
      // All wait for the same To: the printed Bully for twice its bound.
      const messageMs = name === 'bully-as-printed' ? to / 2 : BOUND
      const timing = { messageMs, detectionMs: to, periodMs: 1000 }
      const options = name === 'bully-as-printed' ? { form: '000' } : {}
      return electQuickly(setup, name, { ...given, timing, options }).ms
    })
    return { f, to, sequential: ms[0], printed: ms[1], corrected: ms[2], bully: ms[3] }
  })
  const last = ran.at(-1)!
  const runOf = (algorithm: string, key: 'printed' | 'corrected') => ({
    algorithm,
    shown: `${last.f} dead superiors: ${brief(last[key] / last.to)} To, sequential calls ${brief(last.sequential / last.to)} To`,
    cases: ran.map((r) => ({
      published: { below: r.sequential },
      measured: r[key],
      formula: key === 'printed' ? r.to + 5 * TM : 2 * r.to + 3 * TM,
    })),
  })
  const againstPrinted = {
    algorithm: 'bully-fd-as-printed',
    reading: 'against `bully-as-printed`',
    shown: `${last.f} dead superiors: ${brief(last.printed / last.to)} To, the Bully ${brief(last.bully / last.to)} To`,
    cases: ran.map((r) => ({
      published: { below: r.bully },
      measured: r.printed,
      formula: r.to + 5 * TM,
    })),
  }
  return {
    outcomes: {
      [CLAIMS.concurrent.id]: {
        runs: [
          { ...runOf('bully-fd-as-printed', 'printed'), reading: 'against `garcia-molina`' },
          againstPrinted,
          { ...runOf('bully-fd', 'corrected'), reading: 'against `garcia-molina`' },
        ],
        figures: { printed: last.printed, corrected: last.corrected, sequential: last.sequential },
        why: 'As 000 says, this is independent of the failure detector: a node that asks all at once waits once. The classic Bully as the sentence describes it asks sequentially; the one that 000 §3.1 prints asks all at once, too, and has no Halt and Ack to wait for.',
      },
    },
    plots: [
      linePlot({
        name: '000-concurrent',
        caption:
          'How long the stronger of two survivors takes to lead when its f superiors are dead, none of them known: Garcia-Molina’s calls one after the other; the questions of the Bully and of Bully_FD as printed, all at once.',
        title: '000: checking concurrently and sequentially',
        x: { label: 'dead superiors f', min: 0 },
        y: { label: 'time until all follow it, To', min: 0 },
        series: [
          { name: 'sequential calls', points: ran.map((r) => [r.f, r.sequential / r.to]) },
          { name: 'Bully_FD as printed', points: ran.map((r) => [r.f, r.printed / r.to]) },
          { name: 'Bully as printed', points: ran.map((r) => [r.f, r.bully / r.to]) },
        ],
      }),
    ],
  }
}

const ALGORITHMS = {
  bully: 'bully-as-printed',
  gm: 'garcia-molina',
  printed: 'bully-fd-as-printed',
  fd: 'bully-fd',
} as const
const TITLES = {
  bully: 'Bully as printed',
  gm: 'sequential calls',
  printed: 'Bully_FD as printed',
  fd: 'Bully_FD corrected',
} as const
type Key = keyof typeof ALGORITHMS
const FORM = 'form 000'
const KEYS = Object.keys(ALGORITHMS) as Key[]

/** `ping` that is asked once, at the start, to watch all peers for good, and reports each crash unasked. */
const WATCHING: typeof ping = {
  ...ping,
  name: 'ping-watching',
  handlers: (group) => {
    const own = ping.handlers(group)
    const watchAll: typeof own.start = (s, _recovered, out) => {
      const { watched, downList } = s as Record<'watched' | 'downList', NodeSet>
      for (const peer of group.everyone) {
        if (peer !== out.me && !watched.has(peer) && !downList.has(peer)) own.watch(s, peer, out)
      }
    }
    return {
      ...own,
      start: (s, recovered, out) => {
        own.start(s, recovered, out)
        watchAll(s, recovered, out)
      },
      // The report that a peer is down ended the watch of it; its notice of recovery begins it again.
      message: (s, from, m, out) => {
        own.message(s, from, m, out)
        watchAll(s, false, out)
      },
      unwatch: () => undefined,
    }
  },
}

/** Members crash and recover again and again; for how much of the time is there a leader that all name? */
function churn(setup: Setup): Findings {
  const everyS = PARAMETERS.churnEvery.value
  const seeds = range(1, setup.samples(6))
  const shares = (key: Key, meanS: number): number[] =>
    seeds.map((i) => 100 * underChurn(setup, ALGORITHMS[key], meanS, setup.seed * 1009 + i))
  const curves = Object.fromEntries(
    KEYS.map((key) => [
      key,
      everyS
        .map((meanS) => ({ meanS, samples: shares(key, meanS) }))
        .map((point) => {
          return { ...point, found: estimate(point.samples) }
        }),
    ]),
  ) as Record<Key, { meanS: number; samples: number[]; found: Estimate }[]>
  const at = (key: Key) => curves[key].at(-1)!
  const sharesOf = (key: Key, given: Parameters<typeof underChurn>[5]): Estimate[] =>
    everyS.map((meanS) =>
      estimate(
        seeds.map((i) => {
          const seed = setup.seed * 1009 + i
          return 100 * underChurn(setup, ALGORITHMS[key], meanS, seed, BASE, given)
        }),
      ),
    )
  const watched = sharesOf('printed', { detector: WATCHING })
  const overWatching = (than: 'gm' | 'bully') => ({
    algorithm: ALGORITHMS.printed,
    reading: `against \`${ALGORITHMS[than]}\`, over a detector that watches all, asked or not`,
    shown: `a crash or recovery each ${everyS.join(', ')} s: an agreed leader ${watched.map((one) => shownEstimate(one)).join(', ')} % of the time, against ${curves[than].map(({ found }) => shownEstimate(found)).join(', ')} %`,
    cases: watched.map((found, i) => againstOther(found, curves[than][i].found)),
  })
  const better = (key: 'printed' | 'fd', than: 'gm' | 'bully') => ({
    algorithm: ALGORITHMS[key],
    reading: `against \`${ALGORITHMS[than]}\``,
    shown: `a crash or recovery each second: an agreed leader ${shownEstimate(at(key).found, ' %')} of the time, against ${shownEstimate(at(than).found, ' %')}`,
    cases: curves[key].map(({ found }, i) => againstOther(found, curves[than][i].found)),
    samples: at(key).samples,
  })
  const worse = (algorithm: string, found: readonly Estimate[], reading?: string): Run => {
    const run = {
      algorithm,
      shown: `${found.map((one) => `${brief(one.mean)} %`).join(', ')} of the time with a fault each ${everyS.join(', ')} s`,
      cases: found.slice(1).map((one, i) => {
        return { published: { below: found[i].mean }, measured: one.mean }
      }),
    }
    return reading === undefined ? run : { ...run, reading }
  }
  const measured = (key: Key): Estimate[] => curves[key].map(({ found }) => found)
  return {
    outcomes: {
      [CLAIMS.churn.id]: {
        runs: [
          better('printed', 'gm'),
          better('printed', 'bully'),
          overWatching('gm'),
          overWatching('bully'),
          better('fd', 'gm'),
          better('fd', 'bully'),
        ],
        figures: Object.fromEntries(KEYS.map((key) => [key, at(key).found.mean])),
        why: `Ten members, To = 60 ms, ${seeds.length} runs of two minutes for each rate of faults. An election that the next fault interrupts has no time of its own: measured is for how much of the time there is an agreed leader. As printed, Bully_FD soon waits for a dead node for ever (B4), so that its share falls with the length of the run; a detector that watches all nodes, and not only those that it is asked about, puts that off, since it reports the next failures, too: with a fault each 8 s there is no measured difference from sequential calls then. While sequential calls go from one dead node to the next, another fault comes; but the Bully that 000 §3.1 prints asks all at once, halts nobody, and is better than both.`,
      },
      [CLAIMS.frequent.id]: {
        runs: [
          {
            ...worse(
              ALGORITHMS.bully,
              measured('bully'),
              `${FORM}, “P’s job is done”: it waits for ever`,
            ),
            samples: at('bully').samples,
          },
          worse(
            ALGORITHMS.bully,
            sharesOf('bully', { notices: 'again' }),
            `${FORM}, who waits notices again that the coordinator does not respond`,
          ),
          { ...worse(ALGORITHMS.gm, measured('gm')), samples: at('gm').samples },
        ],
        figures: { rare: curves.bully[0].found.mean, frequent: at('bully').found.mean },
        why: 'The text has no figure for “slow”, nor for “many”: ten nodes are measured, and only the tendency is judged. Each fault of the leader costs an election; for sequential calls the dead cost a time-out each.',
      },
    },
    plots: [
      linePlot({
        name: '000-churn',
        caption:
          'Share of the time in which all up members name one up leader, by how often one of ten members crashes or recovers. Bars: 95 % intervals.',
        title: '000: with frequent crashes and recoveries',
        x: { label: 'mean time between two crashes or recoveries, s', log: true },
        y: { label: 'time with an agreed leader, %', max: 100, min: 0 },
        series: KEYS.map((key) => ({
          name: TITLES[key],
          points: curves[key].map(({ meanS, found }) => [meanS, found.mean, found.margin]),
        })),
      }),
    ],
    tables: [sensitivity(setup)],
  }
}

/** The same with other time-outs and latencies. */
function sensitivity(setup: Setup): Table {
  const seeds = range(1, setup.samples(4))
  const settings = [
    { toMs: 30, latency: [1, 5] },
    { toMs: 60, latency: [1, 5] },
    { toMs: 120, latency: [1, 5] },
    { toMs: 60, latency: [5, 20] },
  ] as const
  const cell = (key: Key, setting: (typeof settings)[number]): string => {
    const ran = seeds.map((i) =>
      underChurn(setup, ALGORITHMS[key], 2, setup.seed * 1013 + i, setting),
    )
    return shownEstimate(estimate(ran.map((share) => 100 * share)))
  }
  return {
    caption: `Sensitivity: share of the time with an agreed leader, %, a fault each 2 s, ${seeds.length} seeds.`,
    rows: [
      ['To, ms', 'latency, ms', ...KEYS.map((key) => TITLES[key])],
      ...settings.map((one) => [
        String(one.toMs),
        one.latency.join(' to '),
        ...KEYS.map((key) => cell(key, one)),
      ]),
    ],
  }
}

/** More, and by more than chance would have it. */
function againstOther(found: Estimate, other: Estimate): Case {
  return {
    published: { above: other.mean + other.margin + found.margin },
    measured: found.mean,
  }
}

const BASE = { toMs: PARAMETERS.churnTo.value, latency: PARAMETERS.calm.value }

function underChurn(
  setup: Setup,
  name: string,
  meanS: number,
  seed: number,
  {
    toMs,
    latency: [least, most],
  }: typeof BASE | { toMs: number; latency: readonly [number, number] } = BASE,
  { detector = ping, notices = 'once' } = {},
): number {
  const [members, seconds] = [10, PARAMETERS.churnSeconds.value]
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
  const config = configure({
    algorithm: setup.algorithm(name),
    members,
    seed,
    faults,
    detector,
    options: name === 'bully-as-printed' ? { form: '000', notices } : {},
    network: { latency: { kind: 'uniform', minUs: 1000 * least, maxUs: 1000 * most } },
    timing: { messageMs: 0.4 * toMs, detectionMs: toMs, periodMs: Math.max(100, 2 * toMs) },
  })
  return availability(new World(config), 1e6 * seconds)
}

export const failureExperiments: readonly Experiment[] = [
  { name: '000-concurrent', claims: [CLAIMS.concurrent], measure: concurrency },
  { name: '000-churn', claims: [CLAIMS.churn, CLAIMS.frequent], measure: churn },
]
