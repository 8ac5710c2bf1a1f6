/** Measures the response time of the Bully and of Bully_FD in the simulator, with sequential and with multicast sending: 001 §4.5, equations 2 to 4 and Table 2. */
import { ping } from 'bellwether/detectors'
import type { Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import { constant, electQuickly, range, strongest } from '../harness/elections.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { linePlot } from '../harness/plot.ts'
import { brief, shownTime } from '../harness/statistics.ts'
import { isMet } from '../harness/verdict.ts'

const TABLE = '001 §4.5, Table 2'
/** The simulator's Tm is a microsecond more than a message takes. */
const GRAIN = 0.002
const settings = {
  source: TABLE,
  tolerance: GRAIN,
  parameters: ['tm', 'groups001', 'ranks001', 'listed001'],
} as const

const CLAIMS = {
  sequentialBully: {
    id: '001-t2-sequential-bully',
    ...settings,
    source: `${TABLE}, eq. 2`,
    parameters: ['tm', 'groups001', 'ranks001'],
    claim: 'Sending one after the other, the Bully responds in (2n − k)·Tm + To.',
    published: '(2n − k)·Tm + To',
    formula:
      'exact if To begins when the last question has been sent; 2(n − k)·Tm + To if it begins with the first',
  },
  sequentialFd: {
    id: '001-t2-sequential-fd',
    ...settings,
    source: `${TABLE}, eq. 3`,
    claim:
      'Sending one after the other, Bully_FD responds in (2n − k − l)·Tm + To, l of the dead known, from when process n starts.',
    published: '(2n − k − l)·Tm + To',
    formula:
      'k notices with n: (2n − 2k + 3)·Tm + To if To begins with the first question, (2n − k − l + 2)·Tm + To if with the last; no To if all dead superiors are known',
  },
  faster: {
    id: '001-t2-sequential-faster',
    ...settings,
    claim: 'Sending one after the other, Bully_FD is faster than the Bully.',
    published: 'faster',
    formula:
      'faster where every dead superior is known; else only if time-outs begin with the last question, and for l > 2',
  },
  multicastBully: {
    id: '001-t2-multicast-bully',
    ...settings,
    source: `${TABLE}, eq. 4`,
    parameters: ['tm', 'groups001', 'ranks001', 'timeOuts001'],
    claim: 'With multicast the Bully responds in 4·Tm.',
    published: '4·Tm',
    formula: '2·Tm + To',
  },
  multicastFd: {
    id: '001-t2-multicast-fd',
    ...settings,
    parameters: [...settings.parameters, 'bounds001'],
    claim: 'With multicast Bully_FD responds in 4·Tm.',
    published: '4·Tm',
    formula: 'k notices with n: 5·Tm if all dead superiors are known, one To more if not',
  },
  same: {
    id: '001-t2-multicast-same',
    ...settings,
    parameters: [...settings.parameters, 'bounds001'],
    claim: 'With multicast both algorithms take the same time.',
    published: 'the same',
    formula:
      '2·Tm + To and, if k notices with n, 5·Tm + To: never the same; 5·Tm if all dead superiors are known: the same only if To = 3·Tm',
  },
} satisfies Record<string, Claim>

const TM = PARAMETERS.tm.value
/** The text of 002 says to whom a winner speaks; 001 §2 does not. */
const FORM = 'form 002'
/** n and k, counted from the strongest as in 001: the k − 1 strongest are dead. */
const CASES = PARAMETERS.groups001.value.flatMap((n) =>
  PARAMETERS.ranks001.value.map((k) => ({ n, k })),
)
/** l of the k − 1 dead superiors are known: as the text says, some between 1, the dead leader, and k; or all. */
const KNOWN = CASES.flatMap(({ n, k }) =>
  PARAMETERS.listed001.value.filter((l) => l < k).map((l) => ({ n, k, l })),
)

type Sending = 'sequential' | 'multicast'
interface Setting {
  readonly n: number
  readonly k: number
  readonly l: number
}

/** Every message takes Tm, and k notices that the leader failed when process n does: each asks its own detector. */
function fdTime(setup: Setup, name: string, { n, k, l }: Setting, send: Sending, boundMs?: number) {
  const down = strongest(n, k - 1)
  const { ms, world } = electQuickly(setup, name, {
    members: n,
    down,
    knownDown: l === k - 1 ? down : down.slice(1, l + 1),
    initiators: [1, n - k + 1],
    detector: ping,
    network: { send, ...constant(TM) },
    ...(boundMs === undefined ? {} : { timing: { messageMs: boundMs } }),
  })
  return { ms, to: ping.answerMs(world.group), bound: world.config.timing.messageMs }
}

function bullyTime(setup: Setup, name: string, n: number, k: number, send: Sending, to?: number) {
  const down = strongest(n, k - 1)
  const { ms, world } = electQuickly(setup, name, {
    members: n,
    down,
    knownDown: down,
    initiators: [1],
    network: { send, ...constant(TM) },
    ...(to === undefined ? {} : { timing: { messageMs: to / 2 + 0.001 } }),
  })
  return { ms, to: 2 * world.config.timing.messageMs }
}

function bully(setup: Setup): Findings {
  const tos = PARAMETERS.timeOuts001.value
  const sequential = (algorithm: string): Run => {
    const cases = CASES.map(({ n, k }) => {
      const { ms, to } = bullyTime(setup, algorithm, n, k, 'sequential')
      return { published: (2 * n - k) * TM + to, measured: ms, formula: 2 * (n - k) * TM + to }
    })
    const last = cases.at(-1)!
    return {
      algorithm,
      shown: `${brief(last.measured)} Tm at n = 16, k = 5, where the equation says ${brief(last.published)}`,
      cases,
    }
  }
  const multicast = (algorithm: string): Run => {
    const cases = tos.flatMap((to) =>
      CASES.map(({ n, k }) => ({
        published: 4 * TM,
        measured: bullyTime(setup, algorithm, n, k, 'multicast', to).ms,
        formula: 2 * TM + to,
      })),
    )
    const at = tos.map((_to, i) => brief(cases[i * CASES.length].measured))
    return {
      algorithm,
      shown: `${at.join(', ')} Tm for To = ${tos.join(', ')} Tm, whatever n and k`,
      cases,
    }
  }
  const names = ['bully-as-printed', 'bully']
  const [one, many] = [names.map(sequential), names.map(multicast)]
  const [first] = one
  const sums = tos.flatMap((to) => CASES.map(() => 4 * TM + to))
  const summed: Run = {
    ...many[0],
    cases: many[0].cases.map((one, i) => ({ ...one, published: sums[i] })),
    beside: true,
  }
  // k answers n and asks its k − 1 superiors before its time-out begins.
  const afterwards = CASES.map(({ n, k }, i) => {
    const { to } = bullyTime(setup, 'bully-as-printed', n, k, 'sequential')
    const { ms } = bullyTime(setup, 'bully-as-printed', n, k, 'sequential', to + k * TM)
    return { published: first.cases[i].published, measured: ms, formula: (2 * n - k) * TM + to }
  })
  const inTurn: Run = {
    algorithm: 'bully-as-printed',
    reading: `${FORM}, the time-out begins when the last question has been sent`,
    shown: `${brief(afterwards.at(-1)!.measured)} Tm at n = 16, k = 5`,
    cases: afterwards,
  }
  return {
    outcomes: {
      [CLAIMS.sequentialBully.id]: {
        runs: [
          { ...first, reading: `${FORM}, the time-out begins with the first question` },
          inTurn,
          one[1],
        ],
        figures: {
          messageTimes: first.cases.at(-1)!.measured,
          inTurn: afterwards.at(-1)!.measured,
        },
        why: 'The equation lets the Answer to n (Tm) and the questions to the k − 1 dead ((k − 1)·Tm) go before To: read so, it is exact. A time-out that begins with the first question, and is long enough for the last, covers both.',
      },
      [CLAIMS.multicastBully.id]: {
        runs: [
          { ...many[0], reading: FORM },
          { ...summed, reading: `${FORM}, beside the sum of the equation, 4·Tm + To` },
          many[1],
        ],
        figures: { least: many[0].cases[0].measured, most: many[0].cases.at(-1)!.measured },
        why: 'The equation adds 2·Tm + Tm + To + Tm and prints 4·Tm, as Table 2 does: To is dropped, of which 001 supposes To ≫ Tm. The steps of the text, Election, Answer, To and Coordinator, are 3·Tm + To, and the Answer to n is not on the critical path: 2·Tm + To.',
      },
    },
  }
}

const PRINTED = 'bully-fd-as-printed'
const BOTH = 'n starts, k notices with it'
const FIRST = 'To begins with the first question'
const LAST = 'To begins with the last question'

function overDetector(setup: Setup): Findings {
  const timed = (send: Sending, settings: readonly Setting[] = KNOWN) =>
    (send === 'multicast' ? PARAMETERS.bounds001.value : [undefined]).flatMap((bound) =>
      settings.map((setting) => ({ ...setting, ...fdTime(setup, PRINTED, setting, send, bound) })),
    )
  const isAll = ({ k, l }: Setting): boolean => l === k - 1
  const between = KNOWN.filter((one) => !isAll(one))
  const listed = KNOWN.filter(isAll)
  // k asks the dead superiors that are not listed before its time-out begins.
  const questions = ({ k, l }: Setting): number => (k - 1 - l) * TM
  const inTurn = (settings: readonly Setting[]) =>
    timed('sequential', settings).map(({ n, k, l, to, bound }) => {
      const longer = (bound * (to + questions({ n, k, l }))) / to
      return { n, k, l, to, ms: fdTime(setup, PRINTED, { n, k, l }, 'sequential', longer).ms }
    })
  type Timed = Setting & Readonly<Record<'ms' | 'to', number>>
  const unless = (one: Timed): number => (isAll(one) ? 0 : one.to)
  const runOf = (
    ran: readonly Timed[],
    reading: string,
    published: (one: Timed) => number,
    formula: (one: Timed) => number,
  ): Run => {
    const at = ran.at(-1)!
    const last = ran.filter(({ n, k, to }) => n === at.n && k === at.k && to === at.to)
    return {
      algorithm: PRINTED,
      reading,
      shown: `${last.map(({ ms }) => shownTime(ms)).join(', ')} with ${last.map(({ l }) => l).join(', ')} of the dead known at n = ${at.n}, k = ${at.k}, To = ${brief(at.to)} Tm, where the table says ${[...new Set(last.map((one) => brief(published(one))))].join(', ')}`,
      cases: ran.map((one) => {
        return { published: published(one), measured: one.ms, formula: formula(one) }
      }),
    }
  }
  const equation3 = ({ n, k, l, to }: Timed): number => 2 * n - k - l + to
  const atOnce = (one: Timed): number => 2 * (one.n - one.k) + 3 + unless(one)
  const sequential = [
    runOf(timed('sequential', between), `${BOTH}, ${FIRST}`, equation3, atOnce),
    runOf(inTurn(between), `${BOTH}, ${LAST}`, equation3, (one) => atOnce(one) + questions(one)),
    {
      ...runOf(
        timed('sequential', listed),
        `${BOTH}, l = k − 1: the leader is listed, too`,
        equation3,
        atOnce,
      ),
      beside: true as const,
    },
  ]
  const multicast = runOf(
    timed('multicast'),
    BOTH,
    () => 4,
    (one) => 5 + unless(one),
  )
  const sums = timed('multicast')
  const comparison = (
    send: Sending,
    ran: readonly Timed[],
    reading: string,
    bullyWaits: (one: Timed) => number = ({ to }) => to,
  ): Run => {
    const both = ran.map((one) => {
      const other = bullyTime(setup, 'bully-as-printed', one.n, one.k, send, bullyWaits(one)).ms
      return { ...one, other }
    })
    const isSooner = send === 'sequential'
    const met = both.filter(({ ms, other }) =>
      isSooner ? ms < other * (1 - GRAIN) : isMet({ published: other, measured: ms }, GRAIN),
    )
    const last = both.at(-1)!
    return {
      algorithm: PRINTED,
      reading: `${BOTH}, ${reading}`,
      shown: `${isSooner ? 'faster than' : 'as long as'} the printed Bully (form 002) in ${met.length} of ${both.length} settings; ${brief(last.ms)} Tm and ${brief(last.other)} Tm at n = 16, k = 5, l = ${last.l}, To = ${brief(last.to)} Tm`,
      cases: both.map(({ ms, other }) => ({
        published: isSooner ? { below: other * (1 - GRAIN) } : other,
        measured: ms,
      })),
    }
  }
  // The Bully asks k − 1, and answers n, before its time-out begins.
  const bullyInTurn = ({ k, to }: Timed): number => to + k * TM
  const oneByOne = timed('sequential')
  const faster = [
    comparison('sequential', oneByOne, `l to k − 1, the same To, ${FIRST} in both`),
    comparison(
      'sequential',
      inTurn(KNOWN),
      `l to k − 1, the same To, ${LAST} in both`,
      bullyInTurn,
    ),
    {
      ...comparison(
        'sequential',
        oneByOne,
        `l to k − 1, the same To, ${LAST} in the Bully only`,
        bullyInTurn,
      ),
      beside: true as const,
    },
  ]
  const same = [
    comparison('multicast', timed('multicast', between), 'l to k − 2, the same To'),
    comparison('multicast', sums, 'l to k − 1, the same To'),
  ]
  const all = sequential.map(({ cases }) => cases.at(-1)!.measured)
  return {
    outcomes: {
      [CLAIMS.sequentialFd.id]: {
        runs: sequential,
        figures: { first: all[0], last: all[1], listed: all[2] },
        why: 'The text lets l of the dead be known “between node 1 and node k”: k − 2 nodes lie there; node 1, the leader that crashed, is then among those that are asked, and To is due. A question of n’s detector wakes nobody: k starts when its own detector tells it. When that is, 001 does not say; here it is the moment when n starts, which helps the claim. The Election to k and its answer, which the equation begins with, are no part of Bully_FD; the questions to the juniors, their answer, Halt and Ack, which it leaves out, are: 2·Tm more in sum, which is all that the measurement differs by if To begins with the last question. If it begins with the first, the k − 1 − l questions to the dead pass within it: (3 − (k − l))·Tm in sum, which is nothing for l = k − 3. Where node 1 is listed, too, Bully_FD waits for no time-out: the equation does not speak of that.',
      },
      [CLAIMS.faster.id]: {
        runs: faster,
        figures: {
          first: faster[0].cases.filter((one) => isMet(one)).length,
          last: faster[1].cases.filter((one) => isMet(one)).length,
        },
        why: 'Where a dead superior is not known, both wait for To, and Bully_FD’s Halt and Ack come on top. The questions to the dead that are listed are saved only if they are sent before To begins: if both begin To with the last question, Bully_FD takes (l − 2)·Tm less, and so is faster from l = 3 on. k notices when n does, and l goes to k − 1 here, which both help the claim; “between node 1 and node k” may exclude that the dead leader is listed.',
      },
      [CLAIMS.multicastFd.id]: {
        runs: [
          multicast,
          {
            ...multicast,
            reading: `${BOTH}, beside the sum of the equation, 4·Tm + To`,
            shown: `${shownSum(multicast.cases)} at n = 16, k = 5, where the sum is ${brief(4 * TM + sums.at(-1)!.to)} Tm`,
            cases: multicast.cases.map((one, i) => {
              return { ...one, published: 4 * TM + sums[i].to }
            }),
            beside: true,
          },
        ],
        figures: { known: multicast.cases.at(-1)!.measured },
        why: 'The detector’s question and answer, Halt, Ack and Ldr are five messages in a row, from when k notices, here with n. As for the Bully, the text has To among its steps and the equation drops it; with it, the measured time is near where a dead superior is not known. l goes to k − 1, which helps the claim; the text may exclude that.',
      },
      [CLAIMS.same.id]: {
        runs: same,
        figures: { between: same[0].cases.at(-1)!.measured, known: same[1].cases.at(-1)!.measured },
        why: 'Both rows of the table leave To out. The Bully is that of 002, whose text says to whom a winner speaks; 001 §2 does not. Measured, the Bully takes 2·Tm + To and Bully_FD, if k notices with n and a dead superior is not known, To + 5·Tm: the nearer, the longer To is, within a fifth from To = 13·Tm on; 001 supposes To ≫ Tm. Where all dead superiors are listed, l = k − 1, which “between node 1 and node k” may exclude, it waits for no time-out.',
      },
    },
    plots: [
      timePlot(
        range(0, 4).map((l) => {
          const setting = { n: 16, k: 5, l }
          const [first] = timed('sequential', [setting])
          const [last] = inTurn([setting])
          return { l, first: first.ms, last: last.ms, published: equation3(first) }
        }),
      ),
    ],
  }
}

/** None and all of the four dead superiors of the last group are known. */
function shownSum(cases: Run['cases']): string {
  return `${shownTime(cases.at(-5)!.measured)} with none, ${shownTime(cases.at(-1)!.measured)} with all of the dead known`
}

function timePlot(cases: readonly Record<'l' | 'first' | 'last' | 'published', number>[]) {
  return linePlot({
    name: '001-table2',
    caption:
      'Response time of Bully_FD as printed, sending one after the other, n = 16, k = 5: equation 3 and measured, by how many of the four dead superiors the detector already knows, the leader last; process k notices with n, and To begins with the first or with the last question.',
    title: '001 eq. 3: response time of Bully_FD, n = 16, k = 5',
    x: { label: 'dead superiors on the down list, l' },
    y: { label: 'response time, Tm', min: 0 },
    series: [
      { name: 'eq. 3, (2n − k − l)·Tm + To', points: cases.map((c) => [c.l, c.published]) },
      { name: 'To from the first question', points: cases.map((c) => [c.l, c.first]) },
      { name: 'To from the last question', points: cases.map((c) => [c.l, c.last]) },
    ],
  })
}

const { sequentialBully, sequentialFd, faster, multicastBully, multicastFd, same } = CLAIMS

export const timeExperiments: readonly Experiment[] = [
  { name: '001-table2-bully', claims: [sequentialBully, multicastBully], measure: bully },
  {
    name: '001-table2-fd',
    claims: [sequentialFd, faster, multicastFd, same],
    measure: overDetector,
  },
]
