/** Counts simulated messages of the Bully and of Bully_FD: best and worst case of an election (001 §4.4, Table 1), and per event when the strongest crash and recover often (§2). */
import { ping } from 'bellwether/detectors'
import { configure, World, type Fault } from 'bellwether/sim'
import {
  tableOf,
  type Claim,
  type Experiment,
  type Findings,
  type Setup,
} from '../harness/claim.ts'
import { constant, elect, probesOf, range, strongest } from '../harness/elections.ts'
import { judge, judgeFact, type Case } from '../harness/judge.ts'
import { line, linePlot } from '../harness/plot.ts'
import { brief, exponent } from '../harness/statistics.ts'

const TABLE = '001 §4.4, Table 1'

const CLAIMS = {
  bullyBest: {
    id: '001-t1-bully-best',
    source: TABLE,
    claim: 'The Bully needs n − 1 messages in the best case.',
    published: 'n − 1',
    formula: 'f Elections to the dead + (a − 1) Coordinators = n − 1',
  },
  bullyWorst: {
    id: '001-t1-bully-worst',
    source: TABLE,
    claim: 'The Bully needs n(n − f) messages in the worst case.',
    published: 'n(n − f)',
    formula: 'n(n − f) − 1',
  },
  fdBest: {
    id: '001-t1-fd-best',
    source: TABLE,
    claim: 'Bully_FD needs n − 1 − p·f messages in the best case.',
    published: 'n − 1 − p·f',
    formula:
      '5(a − 1) + u as printed, u the dead that are not on the down list; 3(a − 1) without the detector’s',
  },
  fdWorst: {
    id: '001-t1-fd-worst',
    source: TABLE,
    claim: 'Bully_FD needs (n − f)(n − 1 − p·f) messages in the worst case.',
    published: '(n − f)(n − 1 − p·f)',
    formula: '5(a − 1) + a(a − 1) + a·u when all notice at once',
  },
  economical: {
    id: '001-t1-economical',
    source: '001 §4.4',
    claim: 'Bully_FD is more economical than the Bully in the number of messages.',
    published: 'fewer in both cases',
    formula:
      'more in the best case, fewer in the worst: once n is large, Halt, Ack and Ldr are linear',
  },
  churn: {
    id: '001-quadratic',
    source: '001 §2',
    claim: 'Frequent crash and recovery of high-priority processes costs the Bully O(n²) messages.',
    published: 'O(n²)',
    formula: 'O(n²) for each crash that all notice; O(n) for each recovery of the strongest',
  },
} satisfies Record<string, Claim>

/** n, f, and how many of the f dead the detectors know. */
const CASES = [4, 7, 10, 16, 24].flatMap((n) =>
  [1, Math.floor(n / 3), Math.floor(n / 2)].flatMap((f) =>
    [...new Set([0, Math.floor(f / 2), f])].map((known) => ({ n, f, known, a: n - f })),
  ),
)

function bully(setup: Setup): Findings {
  const ran = CASES.filter(({ known }) => known === 0).map(({ n, f, a }) => {
    const down = strongest(n, f)
    const given = { members: n, down, knownDown: down, network: constant(1) }
    return {
      n,
      best: {
        measured: elect(setup, 'bully', { ...given, initiators: [a] }).messages,
        published: n - 1,
        formula: n - 1,
      },
      worst: {
        measured: elect(setup, 'bully', { ...given, initiators: [1] }).messages,
        published: n * a,
        formula: n * a - 1,
      },
    }
  })
  const last = ran.at(-1)!
  const { n, f } = CASES.at(-1)!
  return {
    outcomes: {
      [CLAIMS.bullyBest.id]: {
        measured: `${last.best.measured} at n = ${n}, f = ${f}; exact in ${ran.length} cases`,
        figures: { messages: last.best.measured },
        verdict: judge(ran.map(({ best }) => best)),
        why: 'The next in rank notices: it asks the dead, and tells the living.',
      },
      [CLAIMS.bullyWorst.id]: {
        measured: `${last.worst.measured} at n = ${n}, f = ${f}, where the table says ${last.worst.published}`,
        figures: { messages: last.worst.measured },
        verdict: judge(ran.map(({ worst }) => worst)),
        why: 'The lowest notices and everybody elects. The winner does not tell itself: one less than printed.',
      },
    },
  }
}

function overDetector(setup: Setup): Findings {
  const ran = CASES.map(({ n, f, known, a }) => {
    const down = strongest(n, f)
    const dead = { members: n, down, knownDown: down.slice(0, known) }
    const given = { ...dead, detector: ping, network: constant(1) }
    const asked = { members: n, down, knownDown: down, network: constant(1) }
    const u = f - known
    const name = 'bully-fd-as-printed'
    const one = probesOf(setup, name, { ...given, initiators: [a] })
    const all = probesOf(setup, name, { ...given, initiators: range(1, a) })
    const ours = probesOf(setup, 'bully-fd', { ...given, initiators: [a] })
    return {
      n,
      f,
      known,
      best: {
        // What the followers' detectors ask about their new leader is not the election's.
        measured: one.messages + one.askedBy(a) + one.repliesTo(a),
        published: n - 1 - known,
        formula: 5 * (a - 1) + u,
      },
      worst: {
        measured: all.messages + all.asked + all.replies,
        published: a * (n - 1 - known),
        formula: 5 * (a - 1) + a * (a - 1) + a * u,
      },
      bully: {
        best: elect(setup, 'bully', { ...asked, initiators: [a] }).messages,
        worst: elect(setup, 'bully', { ...asked, initiators: [1] }).messages,
      },
      ours: ours.messages,
    }
  })
  const last = ran.at(-1)!
  const best = ran.filter((r) => r.best.measured < r.bully.best).length
  const worst = ran.filter((r) => r.worst.measured < r.bully.worst).length
  const cases = (key: 'best' | 'worst'): Case[] => ran.map((one) => one[key])
  const at = `n = ${last.n}, f = ${last.f}, all known`
  return {
    outcomes: {
      [CLAIMS.fdBest.id]: {
        measured: `${last.best.measured} at ${at}, where the table says ${last.best.published}; ${last.ours} of them Halt, Ack, Ldr`,
        figures: { messages: last.best.measured, election: last.ours },
        verdict: judge(cases('best'), 'does not hold'),
        why: 'The table counts Ldr alone. Each of the a − 1 others is asked by the detector, answers, is halted, acknowledges and is told. The down list saves the questions to the dead it knows, nothing else.',
      },
      [CLAIMS.fdWorst.id]: {
        measured: `${last.worst.measured} at ${at}, where the table says ${last.worst.published}`,
        figures: { messages: last.worst.measured },
        verdict: judge(cases('worst'), 'does not hold'),
        why: 'The story of the table, “n starts and the others follow”, cannot happen: a detector’s question wakes nobody. When all notice at once, all ask all their superiors, and the answers count, too.',
      },
      [CLAIMS.economical.id]: {
        measured: `fewer than the Bully in ${best} of ${ran.length} cases at best, in ${worst} of ${ran.length} at worst`,
        figures: { fewerAtBest: best, fewerAtWorst: worst, cases: ran.length },
        verdict: judgeFact(best === ran.length && worst === ran.length, false),
        why: 'In its best case the Bully’s n − 1 are hard to beat, and Bully_FD sends five for each live member. In the worst case it sends fewer if most of the dead are known.',
      },
    },
    tables: [messageTable(ran)],
    plots: [messagePlot(ran.filter((r) => r.f === 1 && r.known === 1))],
  }
}

interface Counted extends Record<'n' | 'f' | 'known', number>, Record<'best' | 'worst', Case> {
  readonly bully: Record<'best' | 'worst', number>
}

function messageTable(ran: readonly Counted[]) {
  const caption =
    'Messages of Bully_FD as printed, the detector’s included, beside Table 1 of 001 and the Bully.'
  const shown = ran.filter(({ n }) => n === 10 || n === 24)
  return tableOf(caption, shown, {
    n: (r) => r.n,
    f: (r) => r.f,
    known: (r) => r.known,
    'best, Table 1': (r) => r.best.published,
    'best, measured': (r) => r.best.measured,
    'worst, Table 1': (r) => r.worst.published,
    'worst, measured': (r) => r.worst.measured,
    'Bully best': (r) => r.bully.best,
    'Bully worst': (r) => r.bully.worst,
  })
}

function messagePlot(ran: readonly Counted[]) {
  return linePlot({
    name: '001-table1',
    caption:
      'Table 1 of 001 with one dead leader that every detector knows of (f = 1, p = 1): what is printed for Bully_FD, what it takes, and what the Bully takes.',
    title: '001 Table 1: messages by the size of the group',
    x: { label: 'processes n', min: 0 },
    y: { label: 'messages of one election', log: true },
    series: [
      { name: 'Bully_FD best, Table 1', points: ran.map((r) => [r.n, r.best.published]) },
      { name: 'Bully_FD best, measured', points: ran.map((r) => [r.n, r.best.measured]) },
      { name: 'Bully_FD worst, Table 1', points: ran.map((r) => [r.n, r.worst.published]) },
      { name: 'Bully_FD worst, measured', points: ran.map((r) => [r.n, r.worst.measured]) },
      { name: 'Bully best', points: ran.map((r) => [r.n, r.bully.best]) },
      { name: 'Bully worst', points: ran.map((r) => [r.n, r.bully.worst]) },
    ],
  })
}

/** The three strongest crash and recover by turns; messages for each of these events. */
function churn(setup: Setup): Findings {
  const sizes = [8, 16, 32, 64, 128]
  const events = 24
  const measured = ['bully', 'bully-fd'].map((name) => ({
    name,
    points: sizes.map((n) => [n, churnCost(setup, name, n, events)] as const),
  }))
  const [bullyGrowth, fdGrowth] = measured.map(({ points }) => exponent(points))
  return {
    outcomes: {
      [CLAIMS.churn.id]: {
        measured: `Bully: ${brief(measured[0].points.at(-1)![1])} messages for each crash or recovery at n = 128, growing as n^${bullyGrowth.toFixed(2)}; Bully_FD: ${brief(measured[1].points.at(-1)![1])}, n^${fdGrowth.toFixed(2)}`,
        figures: {
          bullyExponent: bullyGrowth,
          fdExponent: fdGrowth,
          bullyAt128: measured[0].points.at(-1)![1],
        },
        verdict: judgeFact(bullyGrowth > 1.8 && bullyGrowth < 2.15, true),
        why: 'Every member notices the crash for itself and asks all its superiors. Halt, Ack and Ldr of Bully_FD grow with n alone, which the document does not claim; its detector’s questions are not counted here.',
      },
    },
    plots: [
      linePlot({
        name: '001-churn',
        caption: `Election messages for each crash or recovery while the three strongest of n crash and recover by turns (${events} events); both axes logarithmic, so that a power of n is a straight line.`,
        title: '001 §2: the cost of frequent crashes and recoveries',
        x: { label: 'processes n', log: true },
        y: { label: 'election messages per event', log: true },
        series: [
          ...measured.map(({ name, points }) => ({
            name: name === 'bully' ? 'Bully' : 'Bully_FD as shipped',
            points,
          })),
          line('n²/2', sizes, (x) => [x, (x * x) / 2]),
        ],
      }),
    ],
  }
}

function churnCost(setup: Setup, name: string, n: number, events: number): number {
  const faults: Fault[] = range(0, events - 1).map((i) => ({
    kind: i % 2 === 0 ? 'crash' : 'recover',
    node: n - (Math.floor(i / 2) % 3),
    at: 1_000_000 * (i + 1),
  }))
  const world = new World(
    configure({ algorithm: setup.algorithm(name), members: n, seed: setup.seed, faults }),
  )
  world.runUntil(900_000)
  const before = world.messageCounts.sumOf('election')
  world.runUntil(1_000_000 * (events + 1))
  return (world.messageCounts.sumOf('election') - before) / events
}

const { bullyBest, bullyWorst, fdBest, fdWorst, economical } = CLAIMS

export const messageExperiments: readonly Experiment[] = [
  { name: '001-table1-bully', claims: [bullyBest, bullyWorst], measure: bully },
  { name: '001-table1-fd', claims: [fdBest, fdWorst, economical], measure: overDetector },
  { name: '001-churn', claims: [CLAIMS.churn], measure: churn },
]
