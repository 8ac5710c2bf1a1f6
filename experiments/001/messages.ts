/** Counts simulated messages of the Bully and of Bully_FD: best and worst case of an election (001 §4.4, Table 1), and per event when the strongest crash and recover often (§2). */
import { ping } from 'bellwether/detectors'
import type { Fault } from 'bellwether/sim'
import {
  tableOf,
  type Case,
  type Claim,
  type Experiment,
  type Findings,
  type Run,
  type Setup,
} from '../harness/claim.ts'
import { constant, elect, probesOf, range, strongest, worldOf } from '../harness/elections.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { line, linePlot } from '../harness/plot.ts'
import { brief, exponent } from '../harness/statistics.ts'

/** The text numbers this section 3, as it does the next one; §1 calls it 2. */
export const GARCIA_MOLINA = '001 §2 “Garcia-Molina’s Bully” (printed as 3)'
const settings = { source: '001 §4.4, Table 1', parameters: ['tm', 'sizes001'] } as const
const overLists = { ...settings, parameters: ['tm', 'sizes001', 'known001'] } as const

const CLAIMS = {
  bullyBest: {
    id: '001-t1-bully-best',
    ...settings,
    claim: 'The Bully needs n − 1 messages in the best case.',
    published: 'n − 1',
    formula: 'f Elections to the dead + (a − 1) Coordinators = n − 1',
  },
  bullyWorst: {
    id: '001-t1-bully-worst',
    ...settings,
    claim: 'The Bully needs n(n − f) messages in the worst case.',
    published: 'n(n − f)',
    formula: 'n(n − f) − 1',
  },
  initiators: {
    id: '001-t1-initiators',
    ...settings,
    claim:
      'The best case of the Bully is that the process next in rank to the coordinator starts, the worst that the one of lowest priority does.',
    published: 'fewest: next in rank; most: lowest',
    formula: 'r·f + r(r − 1) + a − 1 if the r-th of the live ones starts: it rises with r',
  },
  fdBest: {
    id: '001-t1-fd-best',
    ...overLists,
    claim: 'Bully_FD needs n − 1 − p·f messages in the best case.',
    published: 'n − 1 − p·f',
    formula: '5(a − 1) + u as printed, u the dead that are not on the down list',
  },
  fdWorst: {
    id: '001-t1-fd-worst',
    ...overLists,
    claim: 'Bully_FD needs (n − f)(n − 1 − p·f) messages in the worst case.',
    published: '(n − f)(n − 1 − p·f)',
    formula: '5(a − 1) + a(a − 1) + a·u when all notice at once',
  },
  savingBest: {
    id: '001-t1-saving-best',
    ...overLists,
    source: '001 §4.4',
    claim: 'In the best case the dead that the detector knows of save as many messages, p·f.',
    published: 'p·f fewer than with p = 0',
    formula: 'p·f',
  },
  savingWorst: {
    id: '001-t1-saving-worst',
    ...overLists,
    source: '001 §4.4, Table 1: the rows at p and at p = 0',
    claim: 'In the worst case the dead that the detectors know of save (n − f)·p·f messages.',
    published: '(n − f)·p·f fewer than with p = 0',
    formula: '(n − f)·p·f',
  },
  economical: {
    id: '001-t1-economical',
    ...overLists,
    source: '001 §4.4',
    claim: 'Bully_FD is more economical than the Bully in the number of messages.',
    published: 'fewer in both cases',
    formula:
      'more in the best case; fewer in the worst only where more than 4 − 4/a of the dead are known (a² + 4a − 5 + a·u < n·a − 1), whatever n',
  },
  churn: {
    id: '001-quadratic',
    source: GARCIA_MOLINA,
    claim: 'Frequent crash and recovery of high-priority processes costs the Bully O(n²) messages.',
    published: 'O(n²)',
    formula: 'n² for each crash that all notice; n for each recovery of the strongest',
    tolerance: 0.1,
    parameters: ['calm', 'noticed', 'churnSizes'],
  },
} satisfies Record<string, Claim>

/** n, f, and how many of the f dead the detectors know. */
const CASES = PARAMETERS.sizes001.value.flatMap((n) =>
  [...new Set([1, Math.floor(n / 3), Math.floor(n / 2)])].flatMap((f) =>
    [...new Set(PARAMETERS.known001.value.map((share) => Math.floor(share * f)))].map((known) => ({
      n,
      f,
      known,
      a: n - f,
    })),
  ),
)
const BULLIES = ['bully-as-printed', 'bully'] as const
/** The text of 002 says to whom a winner speaks; 001 §2 does not. */
const formOf = (name: string) => (name === 'bully-as-printed' ? { reading: 'form 002' } : {})

const LETTER =
  '001 §2 to the letter: the finder tells all n − 1 others, and each asks its superiors'
const OTHER_FORM =
  'Measured on the text of 002, the charitable choice: 001 §4.4 describes a chain of elections upwards, as there, and 002 says to whom a winner speaks, 001 does not. The list of 001 §2 is another Bully: by its step 1 the process that finds out tells all, and each of them asks its superiors, so that it does not matter who begins.'

/** Every detector knows of the dead: the members' own detection is not part of the count. */
function bullyMessages(
  setup: Setup,
  name: string,
  n: number,
  f: number,
  initiators: readonly number[],
): number {
  const down = strongest(n, f)
  const given = { members: n, down, knownDown: down, network: constant(1) }
  return elect(setup, name, { ...given, initiators: [...initiators] }).messages
}

function bully(setup: Setup): Findings {
  const groups = CASES.filter(({ known }) => known === 0)
  const { n, f, a } = groups.at(-1)!
  const counted = (
    initiator: (a: number) => number,
    published: (one: (typeof groups)[number]) => number,
    formula: (one: (typeof groups)[number]) => number,
  ): Run[] =>
    BULLIES.map((algorithm) => {
      const cases = groups.map((one) => ({
        published: published(one),
        measured: bullyMessages(setup, algorithm, one.n, one.f, [initiator(one.a)]),
        formula: formula(one),
      }))
      const last = cases.at(-1)!
      return {
        algorithm,
        ...formOf(algorithm),
        shown: `${last.measured} messages at n = ${n}, f = ${f}, where the table says ${last.published}`,
        cases,
      }
    })
  const best = counted(
    (live) => live,
    (one) => one.n - 1,
    (one) => one.n - 1,
  )
  const worst = counted(
    () => 1,
    (one) => one.n * one.a,
    (one) => one.n * one.a - 1,
  )
  // To the letter of 001 §2, step 1: n − 1 are told, and every live one asks its superiors.
  const told = (one: (typeof groups)[number]): number =>
    one.n - 1 + bullyMessages(setup, 'bully-as-printed', one.n, one.f, range(1, one.a))
  const toTheLetter = (published: (one: (typeof groups)[number]) => number): Run => ({
    algorithm: 'bully-as-printed',
    reading: LETTER,
    shown: `${told(groups.at(-1)!)} messages at n = ${n}, f = ${f}, whichever process begins`,
    cases: groups.map((one) => ({
      published: published(one),
      measured: told(one),
      formula: one.n * one.a + one.n - 2,
    })),
  })
  const ranks = BULLIES.map((algorithm): Run => {
    const counted = groups.map((one) => ({
      ...one,
      counts: range(1, one.a).map((r) =>
        bullyMessages(setup, algorithm, one.n, one.f, [one.a + 1 - r]),
      ),
    }))
    return {
      algorithm,
      ...formOf(algorithm),
      shown: `${counted.at(-1)!.counts.join(', ')} messages if the first, second, … of ${a} live ones starts, n = ${n}, f = ${f}; rising in the ${groups.length} groups measured`,
      cases: counted.flatMap((one) =>
        one.counts.slice(1).map((count, i) => ({
          published: { above: one.counts[i] },
          measured: count,
          formula: (i + 2) * one.f + (i + 2) * (i + 1) + one.a - 1,
        })),
      ),
    }
  })
  return {
    outcomes: {
      [CLAIMS.bullyBest.id]: {
        runs: [...best, toTheLetter((one) => one.n - 1)],
        figures: { messages: best[0].cases.at(-1)!.measured },
        why: `The next in rank notices: it asks the dead, and tells the living. ${OTHER_FORM}`,
      },
      [CLAIMS.bullyWorst.id]: {
        runs: [...worst, toTheLetter((one) => one.n * one.a)],
        figures: { messages: worst[0].cases.at(-1)!.measured },
        why: `The lowest notices and everybody elects. The winner does not tell itself: one less than printed, which is within a fifth in all of these groups. The text is right in the sum only: no process sends to n others; with a processes up, a·f + a(a − 1)/2 Elections, a(a − 1)/2 OKs and a − 1 Coordinators are sent. ${OTHER_FORM}`,
      },
      [CLAIMS.initiators.id]: {
        runs: ranks,
        figures: { least: bullyMessages(setup, 'bully', n, f, [a]) },
        why: `Each process that is asked asks its own superiors. Measured on the text of 002, as \`001-t1-bully-best\` says. By step 1 of 001 §2 the finder tells all others, and each of them asks its superiors: read so, it does not matter which process begins, and the claim has nothing to compare.`,
      },
    },
  }
}

function overDetector(setup: Setup): Findings {
  const ran = CASES.map(({ n, f, known, a }) => {
    const down = strongest(n, f)
    const dead = { members: n, down, knownDown: down.slice(0, known) }
    const given = { ...dead, detector: ping, network: constant(1) }
    const u = f - known
    const name = 'bully-fd-as-printed'
    const one = probesOf(setup, name, { ...given, initiators: [a] })
    const all = probesOf(setup, name, { ...given, initiators: range(1, a) })
    const ours = probesOf(setup, 'bully-fd', { ...given, initiators: [a] })
    const oursAll = probesOf(setup, 'bully-fd', { ...given, initiators: range(1, a) })
    return {
      n,
      f,
      known,
      a,
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
      // Of all questions and answers, those about superiors: the strongest, a, has no live one.
      stage1: {
        measured: all.asked - (all.askedBy(a) - u) + all.replies - all.repliesTo(a),
        published: a * (n - 1 - known),
        formula: a * (a - 1) + a * u,
      },
      bully: {
        best: bullyMessages(setup, 'bully-as-printed', n, f, [a]),
        worst: bullyMessages(setup, 'bully-as-printed', n, f, [1]),
      },
      // One question to each dead node that is not listed, and a Ldr to each live one.
      counted: {
        published: n - 1 - known,
        measured: one.askedBy(a) - (a - 1) + (one.byType['ldr'] ?? 0),
        formula: n - 1 - known,
      },
      ours: {
        published: n - 1 - known,
        measured: ours.messages + ours.askedBy(a) + ours.repliesTo(a),
      },
      election: ours.messages,
      oursWorst: {
        published: a * (n - 1 - known),
        measured: oursAll.messages + oursAll.asked + oursAll.replies,
      },
    }
  })
  const last = ran.at(-1)!
  const at = `n = ${last.n}, f = ${last.f}, all known`
  const printed = (shown: string, cases: readonly Case[]): Run => {
    return { algorithm: 'bully-fd-as-printed', shown, cases }
  }
  const saving = (key: 'best' | 'worst', published: (a: number, known: number) => number) => {
    const cases = ran
      .filter(({ known }) => known > 0)
      .map((r) => {
        const none = ran.find((one) => one.n === r.n && one.f === r.f && one.known === 0)!
        const expected = published(r.a, r.known)
        return {
          published: expected,
          measured: none[key].measured - r[key].measured,
          formula: expected,
        }
      })
    const saved = cases.at(-1)!.measured
    return {
      runs: [
        printed(
          `${saved} fewer at ${at}; as published in ${cases.filter((c) => c.measured === c.published).length} of ${cases.length} cases`,
          cases,
        ),
      ],
      figures: { saved },
    }
  }
  const fewer = (key: 'best' | 'worst') => ran.filter((r) => r[key].measured < r.bully[key])
  const asPredicted = ran.filter(
    (r) => r.worst.measured < r.bully.worst === r.known > 4 - 4 / r.a,
  ).length
  return {
    outcomes: {
      [CLAIMS.fdBest.id]: {
        runs: [
          printed(
            `${last.best.measured} messages at ${at}, where the table says ${last.best.published}`,
            ran.map(({ best }) => best),
          ),
          {
            ...printed(
              `${last.counted.measured} messages at ${at}`,
              ran.map(({ counted }) => counted),
            ),
            reading: 'Ldr and the questions to the dead alone, which the text counts',
            beside: true,
          },
          {
            algorithm: 'bully-fd',
            shown: `${last.ours.measured} messages at ${at}, ${last.election} of them Halt, Ack and Ldr`,
            cases: ran.map(({ ours }) => ours),
          },
        ],
        figures: { messages: last.best.measured, election: last.election },
        why: 'The text counts one message to make sure that the coordinator is dead, and n − 2 − p·f Ldr. Of these it is right in the sum only: measured are f − p·f questions to the dead and n − f − 1 Ldr. And that is no total, of which it speaks: each of the a − 1 others is asked by the detector, answers, is halted, acknowledges and is told. The detector’s messages count here as in the worst case: p·f are messages of the detector. The down list saves the questions to the dead it knows, nothing else.',
      },
      [CLAIMS.fdWorst.id]: {
        runs: [
          printed(
            `${last.worst.measured} messages at ${at}, where the table says ${last.worst.published}`,
            ran.map(({ worst }) => worst),
          ),
          {
            ...printed(
              `${last.stage1.measured} questions and answers of Stage 1 at ${at}`,
              ran.map(({ stage1 }) => stage1),
            ),
            reading: 'Stage 1 alone',
            beside: true,
          },
          {
            algorithm: 'bully-fd',
            shown: `${last.oursWorst.measured} messages at ${at}`,
            cases: ran.map(({ oursWorst }) => oursWorst),
          },
        ],
        figures: { messages: last.worst.measured },
        why: 'The text says that the process with the lowest number starts; by 001 §4.1 that number is the highest priority, and with it the case would be the best one, so that it is read of the lowest priority. It then lets all live ones send; but a detector’s question wakes nobody. When all notice at once, all ask all their superiors: with the answers, that is the number of the table exactly. It is no total: Stage 2 takes 5(a − 1) more, the detector’s question and answer, Halt, Ack and Ldr for each of the others.',
      },
      [CLAIMS.savingBest.id]: {
        ...saving('best', (_a, known) => known),
        why: 'A dead process that is on the list is not asked.',
      },
      [CLAIMS.savingWorst.id]: {
        ...saving('worst', (a, known) => a * known),
        why: 'Each of the n − f live processes asks none of them.',
      },
      [CLAIMS.economical.id]: {
        runs: [
          printed(
            `fewer than the Bully in ${fewer('best').length} of ${ran.length} cases at best, in ${fewer('worst').length} of ${ran.length} at worst: in those with more than 4 − 4/a known dead (right in ${asPredicted} of ${ran.length})`,
            (['best', 'worst'] as const).flatMap((key) =>
              ran.map((r) => ({
                published: { below: r.bully[key] },
                measured: r[key].measured,
                formula: r[key].formula,
              })),
            ),
          ),
        ],
        figures: {
          fewerAtBest: fewer('best').length,
          fewerAtWorst: fewer('worst').length,
          cases: ran.length,
          asPredicted,
        },
        why: 'In its best case the Bully’s n − 1 are hard to beat, and Bully_FD sends five for each live process. In the worst case a·known questions are saved, and Halt, Ack, Ldr cost 4(a − 1) more than they replace: it takes four known dead, or three in a group with fewer than four processes left, however large n is. The detector’s messages count, as Table 1 counts them.',
      },
    },
    tables: [messageTable(ran)],
    plots: [messagePlot(ran.filter((r) => r.f === 1 && r.known === 1))],
  }
}

interface Counted
  extends
    Record<'n' | 'f' | 'known', number>,
    Record<'best' | 'worst', Record<'measured' | 'published', number>> {
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
    'best: table': (r) => r.best.published,
    measured: (r) => r.best.measured,
    Bully: (r) => r.bully.best,
    'worst: table': (r) => r.worst.published,
    'measured ': (r) => r.worst.measured,
    'Bully ': (r) => r.bully.worst,
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
  const sizes = PARAMETERS.churnSizes.value
  const events = 24
  const measured = ['bully-as-printed', 'bully', 'bully-fd'].map((name) => ({
    name,
    points: sizes.map((n) => [n, churnCost(setup, name, n, events)] as const),
  }))
  const [printed, , fd] = measured.map(({ points }) => exponent(points))
  return {
    outcomes: {
      [CLAIMS.churn.id]: {
        runs: measured.slice(0, 2).map(({ name, points }) => ({
          algorithm: name,
          ...formOf(name),
          shown: `${brief(points.at(-1)![1])} messages for each crash or recovery at n = 128, growing as n^${exponent(points).toFixed(2)}`,
          cases: [{ published: 2, measured: exponent(points), formula: 2 }],
        })),
        figures: { exponent: printed, fdExponent: fd, at128: measured[0].points.at(-1)![1] },
        why: `Four of the ${events} events are crashes of the leader: every process notices such a crash for itself and asks all its superiors. Nobody notices that another crashed. Halt, Ack and Ldr of Bully_FD, corrected, grow as n^${fd.toFixed(2)}, which the document does not claim; its detector’s questions are not counted here.`,
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
          ...measured.map(({ name, points }) => ({ name, points })),
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
  const world = worldOf(setup, name, {
    members: n,
    seed: setup.seed,
    faults,
    initiators: [], // all have long followed the strongest
  })
  world.runUntil(900_000)
  const before = world.messageCounts.sumOf('election')
  world.runUntil(1_000_000 * (events + 1))
  return (world.messageCounts.sumOf('election') - before) / events
}

const { bullyBest, bullyWorst, initiators } = CLAIMS
const { fdBest, fdWorst, savingBest, savingWorst, economical } = CLAIMS

export const messageExperiments: readonly Experiment[] = [
  { name: '001-table1-bully', claims: [bullyBest, bullyWorst, initiators], measure: bully },
  {
    name: '001-table1-fd',
    claims: [fdBest, fdWorst, savingBest, savingWorst, economical],
    measure: overDetector,
  },
  { name: '001-churn', claims: [CLAIMS.churn], measure: churn },
]
