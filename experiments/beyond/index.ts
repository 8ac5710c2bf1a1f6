/** Measures every shipped algorithm beyond the documents: agreement of 1,000 members, growth of messages and times with n, failover after a crash, and availability under churn. */
import { algorithms } from 'bellwether/algorithms'
import { NONE, Random, type Detector } from 'bellwether/core'
import { detectors } from 'bellwether/detectors'
import { configure, World, type Fault } from 'bellwether/sim'
import type { Claim, Experiment, Findings, Setup } from '../harness/claim.ts'
import { availability, electQuickly, range, runToAgreement, worldOf } from '../harness/elections.ts'
import { linePlot } from '../harness/plot.ts'
import { brief, estimate, exponent, mean, type Estimate } from '../harness/statistics.ts'
import { fact } from '../harness/verdict.ts'

const OURS = 'bellwether'

const CLAIMS = {
  agreement: {
    id: 'beyond-thousand',
    source: OURS,
    claim:
      'Every algorithm of the documents elects over every detector with a thousand members (a hundred where each watcher queries all).',
    published: '—',
    formula: 'agreement in all pairs, on the strongest where that is promised',
  },
  messages: {
    id: 'beyond-messages',
    source: OURS,
    claim:
      'Of the algorithms of the documents only the Bully needs O(n²) messages; all others are linear.',
    published: '—',
    formula: 'n^2 for the Bully, n^1 for the others, when the member in the middle notices',
  },
  times: {
    id: 'beyond-times',
    source: OURS,
    claim:
      'Rings, sequential calls and candidates that wait for their turn take a time that grows with n; the others do not.',
    published: '—',
    formula:
      'n^1 for garcia-molina, chang-roberts and ring, less than that for bully-fd-quorum, n^0 for the others',
  },
  lease: {
    id: 'beyond-lease',
    source: OURS,
    claim: 'A quorum with a lease pays for its safety with the length of the lease.',
    published: '—',
    formula:
      'a successor waits 4 periods · 1.1 = 440 ms from the last answer, whatever the detector',
  },
  churn: {
    id: 'beyond-churn',
    source: OURS,
    claim:
      'With members crashing and recovering there is an agreed leader most of the time, the less the more often.',
    published: '—',
    formula:
      'falls with the rate of faults for every algorithm; above 50 % at one fault in two seconds',
  },
} satisfies Record<string, Claim>

type Chosen = Detector | 'perfect'

/** Elections that the documents only cite; `rings.ts` measures those that assume no faults. */
const CITED = new Set(['raft', 'invitation', 'omega', 'stable-leader'])
const NAMES = algorithms
  .filter(({ name, specimen, assumes }) => !specimen && assumes.crashes && !CITED.has(name))
  .map(({ name }) => name)
const DETECTORS: readonly Chosen[] = ['perfect', ...detectors]
const nameOf = (detector: Chosen): string => (detector === 'perfect' ? detector : detector.name)

/** One row for each algorithm, one column for each detector. */
function matrix(
  caption: string,
  cell: (name: string, detector: Chosen) => string,
  title = (detector: Chosen) => `\`${nameOf(detector)}\``,
) {
  const head = ['algorithm', ...DETECTORS.map(title)]
  const rows = NAMES.map((name) => [`\`${name}\``, ...DETECTORS.map((d) => cell(name, d))])
  return { caption, rows: [head, ...rows] }
}

const THOUSAND = 1000
/** The detector whose watchers query all members: n² messages a period, each of which names members. */
const QUERIES_ALL = 'query-response'

/** The leader is dead and known to be; the next in rank notices. */
function thousand(setup: Setup): Findings {
  const most = setup.samples(THOUSAND)
  const sizeFor = (detector: Chosen): number =>
    nameOf(detector) === QUERIES_ALL ? Math.min(100, most) : most
  const ran = NAMES.flatMap((name) =>
    DETECTORS.map((detector) => {
      const n = sizeFor(detector)
      const dead = { down: [n], knownDown: [n], initiators: [n - 1] }
      const election = electQuickly(setup, name, {
        members: n,
        seed: setup.seed,
        detector,
        ...dead,
      })
      const { leader: promised } = setup.algorithm(name).promises
      const isRight = promised === 'highest' ? election.leader === n - 1 : election.leader !== NONE
      return { name, detector, ...election, isRight }
    }),
  )
  const right = ran.filter(({ isRight }) => isRight).length
  const find = (name: string, detector: Chosen) =>
    ran.find((one) => one.name === name && one.detector === detector)!
  const title = (detector: Chosen): string => {
    const n = sizeFor(detector)
    return `\`${nameOf(detector)}\`${n === most ? '' : `, n = ${n}`}`
  }
  return {
    outcomes: {
      [CLAIMS.agreement.id]: {
        runs: [
          {
            algorithm: 'all',
            shown: `${right} of ${ran.length} pairs agree as promised, n = ${most}`,
            cases: [fact(right === ran.length, true)],
          },
        ],
        figures: { right, pairs: ran.length, members: most },
        why: `The leader is dead and on every list, the next in rank notices; until all up members name one leader. With \`${QUERIES_ALL}\` there are ${Math.min(100, most)} members: each watcher queries all, every period.`,
      },
    },
    tables: [
      matrix(
        `Messages until agreement, election + detector, n = ${most} where the head says no other: the leader is dead and known, the next in rank notices.`,
        (name, detector) => {
          const { messages, probes } = find(name, detector)
          return `${messages.toLocaleString('en')} + ${probes.toLocaleString('en')}`
        },
        title,
      ),
      matrix(
        `Virtual time until agreement, ms, n = ${most} where the head says no other: the leader is dead and known, the next in rank notices.`,
        (name, detector) => brief(find(name, detector).ms),
        title,
      ),
    ],
  }
}

const SIZES = [10, 30, 100, 300, 1000]
const QUADRATIC = new Set(['bully'])
const SLOW = new Set(['garcia-molina', 'chang-roberts', 'ring'])
/** Its candidate waits the longer, the more superiors might come first. */
const POLITE = new Set(['bully-fd-quorum'])

/** The member in the middle notices; the mean of some elections. */
function growth(setup: Setup): Findings {
  const sizes = SIZES.filter((n) => n <= setup.samples(THOUSAND))
  const curves = NAMES.map((name) => ({
    name,
    points: sizes.map((n) => {
      const ran = range(1, setup.samples(n < 1000 ? 8 : 2)).map((i) => {
        const dead = { down: [n], knownDown: [n], initiators: [Math.ceil(n / 2)] }
        return electQuickly(setup, name, { members: n, seed: setup.seed * 101 + i, ...dead })
      })
      return { n, messages: mean(ran.map((r) => r.messages)), ms: mean(ran.map((r) => r.ms)) }
    }),
  }))
  const exponents = curves.map(({ name, points }) => ({
    name,
    messages: exponent(points.map(({ n, messages }) => [n, messages])),
    times: exponent(points.map(({ n, ms }) => [n, ms])),
  }))
  const isMessages = exponents.every(
    ({ name, messages }) => Math.abs(messages - (QUADRATIC.has(name) ? 2 : 1)) < 0.2,
  )
  const isTimes = exponents.every(({ name, times }) => {
    if (SLOW.has(name)) return Math.abs(times - 1) < 0.25
    return POLITE.has(name) ? times > 0.25 && times < 1 : Math.abs(times) < 0.25
  })
  const shown = (key: 'messages' | 'times'): string =>
    exponents.map((one) => `${one.name} ${one[key].toFixed(2)}`).join(', ')
  const series = (key: 'messages' | 'ms') =>
    curves.map(({ name, points }) => ({ name, points: points.map((p) => [p.n, p[key]] as const) }))
  return {
    outcomes: {
      [CLAIMS.messages.id]: {
        runs: [
          {
            algorithm: 'all',
            shown: `exponents: ${shown('messages')}`,
            cases: [fact(isMessages, true)],
          },
        ],
        figures: Object.fromEntries(exponents.map((one) => [one.name, one.messages])),
        why: `Groups of ${sizes.join(', ')}. Without the detector’s messages: the detector is the simulator’s own, which sends none.`,
      },
      [CLAIMS.times.id]: {
        runs: [
          {
            algorithm: 'all',
            shown: `exponents: ${shown('times')}`,
            cases: [fact(isTimes, true)],
          },
        ],
        figures: Object.fromEntries(exponents.map((one) => [one.name, one.times])),
        why: `Groups of ${sizes.join(', ')}. A ring passes its message n times, Garcia-Molina makes one call after the other, a candidate of bully-fd-quorum gives each superior its turn. The roulettes take as long as one member needs to draw three large numbers, which has nothing to do with n.`,
      },
    },
    plots: [
      linePlot({
        name: 'beyond-messages',
        caption:
          'Messages of an election by the size of the group, the detector’s aside; the leader is dead and known, the member in the middle notices. Both axes logarithmic.',
        title: 'Messages of an election',
        x: { label: 'members n', log: true },
        y: { label: 'messages until agreement', log: true },
        series: series('messages'),
      }),
      linePlot({
        name: 'beyond-times',
        caption:
          'Virtual time of an election by the size of the group; a message takes 1 to 5 ms, the detector 20 ms. Both axes logarithmic.',
        title: 'Time of an election',
        x: { label: 'members n', log: true },
        y: { label: 'virtual time until agreement, ms', log: true },
        series: series('ms'),
      }),
    ],
  }
}

const SMALL = 10
const LEASED = 'bully-fd-quorum'

/** All boot; a second after they agree, the leader crashes. */
function crashes(setup: Setup): Findings {
  const ran = NAMES.flatMap((name) =>
    DETECTORS.map((detector) => {
      const runs = range(1, setup.samples(8)).map((i) => afterCrash(setup, name, detector, i))
      const took = estimate(runs.map(({ ms }) => ms))
      return { name, detector, took, messages: mean(runs.map((run) => run.messages)) }
    }),
  )
  const find = (name: string, detector: Chosen) =>
    ran.find((one) => one.name === name && one.detector === detector)!
  const leased = ran.filter(({ name }) => name === LEASED).map(({ took }) => took.mean)
  const [least, most] = [Math.min(...leased), Math.max(...leased)]
  const unleased = ran.filter(({ name }) => name === 'bully-fd').map(({ took }) => took.mean)
  const slowest = Math.max(...unleased)
  return {
    outcomes: {
      [CLAIMS.lease.id]: {
        runs: [
          {
            algorithm: 'all',
            shown: `bully-fd-quorum: ${brief(least)} to ${brief(most)} ms from the crash over all detectors; bully-fd: ${brief(Math.min(...unleased))} to ${brief(slowest)} ms`,
            cases: [fact(least > 330 && most < 560, true)],
          },
        ],
        figures: { leastMs: least, mostMs: most },
        why: `Groups of ${SMALL}. Members that answered the dead leader are bound until its lease must be over. A leader that resigns, or is proven dead (\`trustRefusals\`), binds nobody.`,
      },
    },
    tables: [
      matrix(
        `From the crash of the leader to agreement, ms: ${SMALL} members, a period of 100 ms, mean of ${setup.samples(8)} runs. Detection included.`,
        (name, detector) => brief(find(name, detector).took.mean),
      ),
      matrix(
        `Election messages from the crash of the leader to agreement: ${SMALL} members.`,
        (name, detector) => brief(find(name, detector).messages),
      ),
    ],
  }
}

function afterCrash(setup: Setup, name: string, detector: Chosen, i: number) {
  const seed = setup.seed * 211 + i
  const world = worldOf(setup, name, { members: SMALL, seed, detector })
  runToAgreement(world)
  // Not always at the same moment of a period.
  world.runUntil(world.now + 1_000_000 + 13_000 * i)
  const crashedAt = world.now
  const before = world.messageCounts.sumOf('election')
  world.inject({ kind: 'crash', node: world.monitors.agreed, at: crashedAt })
  runToAgreement(world, crashedAt + 60_000_000)
  return {
    ms: (world.monitors.agreedSince - crashedAt) / 1000,
    messages: world.messageCounts.sumOf('election') - before,
  }
}

const MEANS_S = [16, 8, 4, 2, 1]
const TABLE_MEAN_S = 2
/** How long a run is; tests make do with less. */
const churnSeconds = (setup: Setup): number => Math.max(8, setup.samples(60))

function churn(setup: Setup): Findings {
  const seeds = range(1, setup.samples(6))
  const found = (name: string, detector: Chosen, meanS: number): Estimate =>
    estimate(seeds.map((i) => 100 * underChurn(setup, name, detector, meanS, setup.seed * 307 + i)))
  const curves = NAMES.map((name) => ({
    name,
    points: MEANS_S.map((meanS) => ({ meanS, share: found(name, 'perfect', meanS) })),
  }))
  const cells = new Map<string, number>()
  const table = matrix(
    `Share of the time with an agreed leader, %: one of ${SMALL} members crashes or recovers every ${TABLE_MEAN_S} s on the average, mean of ${seeds.length} runs of ${churnSeconds(setup)} s.`,
    (name, detector) => {
      const share = found(name, detector, TABLE_MEAN_S).mean
      cells.set(`${name} ${nameOf(detector)}`, share)
      return share.toFixed(1)
    },
  )
  const falls = curves.filter(({ points }) => points[0].share.mean > points.at(-1)!.share.mean)
  const [least, most] = [Math.min(...cells.values()), Math.max(...cells.values())]
  const where = (share: number): string => [...cells].find(([, value]) => value === share)![0]
  return {
    outcomes: {
      [CLAIMS.churn.id]: {
        runs: [
          {
            algorithm: 'all',
            shown: `one fault in ${TABLE_MEAN_S} s: ${least.toFixed(1)} % (${where(least)}) to ${most.toFixed(1)} % (${where(most)}); falls with the rate for ${falls.length} of ${curves.length}`,
            cases: [fact(falls.length === curves.length && least > 50, true)],
          },
        ],
        figures: { least, most, falls: falls.length },
        why: `Groups of ${SMALL}. Nine of ten faults do not hit the leader: what counts is whom they disturb. In Chang and Roberts’ ring every recovery, and every lost neighbour, begins a round in which nobody leads; the Bully and the list ring leave a leader where it is.`,
      },
    },
    tables: [table],
    plots: [
      linePlot({
        name: 'beyond-churn',
        caption: `Share of the time in which all up members name one up leader, by how often one of ${SMALL} members crashes or recovers; the simulator’s own detector, which takes 20 ms. Bars: 95 % intervals.`,
        title: 'Availability under churn',
        x: { label: 'mean time between two crashes or recoveries, s', log: true },
        y: { label: 'time with an agreed leader, %', max: 100 },
        series: curves.map(({ name, points }) => ({
          name,
          points: points.map(({ meanS, share }) => [meanS, share.mean, share.margin]),
        })),
      }),
    ],
  }
}

/** Never more than four of ten down, so that there is always a majority. */
function underChurn(
  setup: Setup,
  name: string,
  detector: Chosen,
  meanS: number,
  seed: number,
): number {
  const random = new Random(seed)
  const seconds = churnSeconds(setup)
  const down: number[] = []
  const faults: Fault[] = []
  for (let atS = 2; atS < seconds; atS -= meanS * Math.log(1 - random.unit())) {
    const at = Math.round(1e6 * atS)
    if (down.length > 0 && (down.length === 4 || random.chance(0.5))) {
      const [node] = down.splice(random.below(down.length), 1)
      faults.push({ kind: 'recover', node, at })
    } else {
      const up = range(1, SMALL).filter((id) => !down.includes(id))
      const node = up[random.below(up.length)]
      down.push(node)
      faults.push({ kind: 'crash', node, at })
    }
  }
  const algorithm = setup.algorithm(name)
  const world = new World(configure({ algorithm, members: SMALL, seed, detector, faults }))
  return availability(world, 1e6 * seconds)
}

export const experimentsBeyond: readonly Experiment[] = [
  { name: 'beyond-thousand', claims: [CLAIMS.agreement], measure: thousand },
  { name: 'beyond-growth', claims: [CLAIMS.messages, CLAIMS.times], measure: growth },
  { name: 'beyond-crashes', claims: [CLAIMS.lease], measure: crashes },
  { name: 'beyond-churn', claims: [CLAIMS.churn], measure: churn },
]
