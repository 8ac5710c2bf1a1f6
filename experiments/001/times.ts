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
      'if k notices with n, (2n − 2k + 3)·Tm and To only if a dead superior is not known; if n is alone and all are known, 3(n − k)·Tm + 4·Tm',
  },
  faster: {
    id: '001-t2-sequential-faster',
    ...settings,
    claim: 'Sending one after the other, Bully_FD is faster than the Bully.',
    published: 'faster',
    formula:
      'faster where every dead superior is known; else only if the Bully’s time-out begins with its last question, and for k > 3',
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
    formula: '5·Tm if k notices with n and all dead are known, one To more if not',
  },
  same: {
    id: '001-t2-multicast-same',
    ...settings,
    parameters: [...settings.parameters, 'bounds001'],
    claim: 'With multicast both algorithms take the same time.',
    published: 'the same',
    formula:
      '2·Tm + To and 5·Tm if k notices with n and all dead are known, 5·Tm + To if not: the same only if To = 3·Tm',
  },
} satisfies Record<string, Claim>

const TM = PARAMETERS.tm.value
/** The text of 002 says to whom a winner speaks; 001 §2 does not. */
const FORM = 'form 002'
/** n and k, counted from the strongest as in 001: the k − 1 strongest are dead. */
const CASES = PARAMETERS.groups001.value.flatMap((n) =>
  PARAMETERS.ranks001.value.map((k) => ({ n, k })),
)
/** Of the k − 1 dead superiors, l are known: as the text says, some between 1, the dead leader, and k; or all. */
const KNOWN = CASES.flatMap(({ n, k }) =>
  PARAMETERS.listed001.value.filter((l) => l < k).map((l) => ({ n, k, l })),
)

type Sending = 'sequential' | 'multicast'
/** The bound of which detectors make their To where all is sent at once: To ≫ Tm, as 001 supposes. */
const [LONG] = PARAMETERS.bounds001.value
/** Who notices that the leader failed when process n does: n alone, or k, too, since each asks its detector periodically. */
type Starter = 'n alone' | 'n and k'
const readingOf = (starter: Starter): string =>
  starter === 'n alone'
    ? 'n starts, k when its own detector reports'
    : 'n starts, k notices with it'
interface Setting {
  readonly n: number
  readonly k: number
  readonly l: number
}

/** Every message takes Tm. */
function fdTime(
  setup: Setup,
  name: string,
  { n, k, l }: Setting,
  send: Sending,
  starter: Starter,
  bound = LONG,
) {
  const down = strongest(n, k - 1)
  const { ms, world } = electQuickly(setup, name, {
    members: n,
    down,
    knownDown: down.slice(0, l),
    initiators: starter === 'n alone' ? [1] : [1, n - k + 1],
    detector: ping,
    network: { send, ...constant(TM) },
    ...(send === 'multicast' ? { timing: { messageMs: bound } } : {}),
  })
  return { ms, to: ping.answerMs(world.group) }
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

function overDetector(setup: Setup): Findings {
  const BOUNDS: Readonly<Record<Sending, readonly number[]>> = {
    sequential: [LONG],
    multicast: PARAMETERS.bounds001.value,
  }
  const timed = (send: Sending, starter: Starter, settings = KNOWN) =>
    BOUNDS[send].flatMap((bound) =>
      settings.map((setting) => ({
        ...setting,
        ...fdTime(setup, PRINTED, setting, send, starter, bound),
      })),
    )
  const isAll = ({ k, l }: Setting): boolean => l === k - 1
  const between = KNOWN.filter((one) => !isAll(one))
  const runOf = (
    send: Sending,
    starter: Starter,
    formula: (one: Setting & { readonly to: number }) => number | undefined,
    settings = KNOWN,
  ): Run => {
    const ran = timed(send, starter, settings)
    const published = ({ n, k, l, to }: Setting & { readonly to: number }): number =>
      send === 'multicast' ? 4 : 2 * n - k - l + to
    const last = ran.filter(({ n, k, to }) => n === 16 && k === 5 && to === ran.at(-1)!.to)
    return {
      algorithm: PRINTED,
      reading: readingOf(starter),
      shown: `${last.map(({ ms }) => shownTime(ms)).join(', ')} with ${last.map(({ l }) => l).join(', ')} of the dead known at n = 16, k = 5${send === 'multicast' ? `, To = ${brief(last[0].to)} Tm` : ''}, where the table says ${[...new Set(last.map((one) => brief(published(one))))].join(', ')}`,
      cases: ran.map((one) => {
        const own = formula(one)
        const given = { published: published(one), measured: one.ms }
        return own === undefined ? given : { ...given, formula: own }
      }),
    }
  }
  const unless = (one: Setting & { readonly to: number }): number => (isAll(one) ? 0 : one.to)
  const aloneFormula = (one: Setting): number | undefined =>
    isAll(one) ? 3 * (one.n - one.k) + 4 : undefined
  const bothFormula = (one: Setting & { readonly to: number }): number =>
    2 * (one.n - one.k) + 3 + unless(one)
  const listed = KNOWN.filter(isAll)
  const beside = (run: Run): Run => ({
    ...run,
    reading: `${run.reading!}, l = k − 1: the leader is listed, too`,
    beside: true,
  })
  const sequential = [
    runOf('sequential', 'n alone', aloneFormula, between),
    runOf('sequential', 'n and k', bothFormula, between),
    beside(runOf('sequential', 'n alone', aloneFormula, listed)),
    beside(runOf('sequential', 'n and k', bothFormula, listed)),
  ]
  const multicast = [
    runOf('multicast', 'n alone', () => undefined),
    runOf('multicast', 'n and k', (one) => 5 + unless(one)),
  ]
  const sums = timed('multicast', 'n and k')
  const comparison = (
    send: Sending,
    starter: Starter,
    { isInTurn = false, settings = KNOWN } = {},
  ): Run => {
    const ran = timed(send, starter, settings).map((one) => {
      const to = one.to + (isInTurn ? one.k * TM : 0)
      const other = bullyTime(setup, 'bully-as-printed', one.n, one.k, send, to).ms
      return { ...one, other }
    })
    const isSooner = send === 'sequential'
    const met = ran.filter(({ ms, other }) =>
      isSooner ? ms < other * (1 - GRAIN) : isMet({ published: other, measured: ms }, GRAIN),
    )
    const last = ran.at(-1)!
    return {
      algorithm: PRINTED,
      reading: `${readingOf(starter)}, l to k − ${settings === KNOWN ? 1 : 2}, the same To${isInTurn ? ', which the Bully begins with its last question' : ''}`,
      shown: `${isSooner ? 'faster than' : 'as long as'} the printed Bully (form 002) in ${met.length} of ${ran.length} settings; ${brief(last.ms)} Tm and ${brief(last.other)} Tm at n = 16, k = 5, l = ${last.l}, To = ${brief(last.to)} Tm`,
      cases: ran.map(({ ms, other }) => ({
        published: isSooner ? { below: other * (1 - GRAIN) } : other,
        measured: ms,
      })),
    }
  }
  const faster = [
    comparison('sequential', 'n alone'),
    comparison('sequential', 'n and k'),
    comparison('sequential', 'n alone', { isInTurn: true }),
    comparison('sequential', 'n and k', { isInTurn: true }),
  ]
  const same = (['n alone', 'n and k'] as const).flatMap((starter) => [
    comparison('multicast', starter, { settings: between }),
    comparison('multicast', starter),
  ])
  const all = sequential.map(({ cases }) => cases.at(-1)!.measured)
  return {
    outcomes: {
      [CLAIMS.sequentialFd.id]: {
        runs: sequential,
        figures: { fromN: all[0], fromK: all[1], listedFromN: all[2], listedFromK: all[3] },
        why: 'The text lets l of the dead be known “between node 1 and node k”: k − 2 nodes lie there; node 1, the leader that crashed, is then among those that are asked, and To is due. The equation begins with an election message that Bully_FD does not have, and leaves Halt and Ack out: if k notices with n, these differences are (3 − (k − l))·Tm in sum, and cancel for l = k − 3. Where node 1 is listed, too, Bully_FD waits for no time-out: the equation does not speak of that. A question of n’s detector wakes nobody: k starts when its own detector tells it.',
      },
      [CLAIMS.faster.id]: {
        runs: faster,
        figures: {
          faster: faster[1].cases.filter((one) => isMet(one)).length,
          inTurn: faster[3].cases.filter((one) => isMet(one)).length,
        },
        why: 'Where a dead superior is not known, both wait for To, and Bully_FD’s Halt and Ack come on top in each of these settings; the questions to the dead, which it sends meanwhile, it saves only if the Bully’s time-out begins after them. l goes to k − 1 here, which helps the claim; “between node 1 and node k” may exclude that the dead leader is listed.',
      },
      [CLAIMS.multicastFd.id]: {
        runs: [
          ...multicast,
          {
            ...multicast[1],
            reading: `${multicast[1].reading}, beside the sum of the equation, 4·Tm + To`,
            shown: `${shownSum(multicast[1].cases)} at n = 16, k = 5, where the sum is ${brief(4 * TM + sums.at(-1)!.to)} Tm`,
            cases: multicast[1].cases.map((one, i) => {
              return { ...one, published: 4 * TM + sums[i].to }
            }),
            beside: true,
          },
        ],
        figures: { known: multicast[1].cases.at(-1)!.measured },
        why: 'The detector’s question and answer, Halt, Ack and Ldr are five messages in a row. As for the Bully, the text has To among its steps and the equation drops it; with it, the measured time is near where a dead superior is not known. l goes to k − 1, which helps the claim; the text may exclude that.',
      },
      [CLAIMS.same.id]: {
        runs: same,
        figures: { between: same[2].cases.at(-1)!.measured, known: same[3].cases.at(-1)!.measured },
        why: 'Both rows of the table leave To out. Measured, the Bully takes 2·Tm + To and Bully_FD, if k notices with n and a dead superior is not known, To + 5·Tm: the nearer, the longer To is, within a fifth from To = 13·Tm on; 001 supposes To ≫ Tm. Where all dead superiors are listed, l = k − 1, which “between node 1 and node k” may exclude, it waits for no time-out.',
      },
    },
    plots: [
      timePlot(
        range(0, 4).map((l) => {
          const setting = { n: 16, k: 5, l }
          const [alone] = timed('sequential', 'n alone', [setting])
          const [both] = timed('sequential', 'n and k', [setting])
          return { l, n: alone.ms, k: both.ms, published: 2 * 16 - 5 - l + alone.to }
        }),
      ),
    ],
  }
}

/** None and all of the four dead superiors of the last group are known. */
function shownSum(cases: Run['cases']): string {
  return `${shownTime(cases.at(-5)!.measured)} with none, ${shownTime(cases.at(-1)!.measured)} with all of the dead known`
}

function timePlot(cases: readonly Record<'l' | 'n' | 'k' | 'published', number>[]) {
  return linePlot({
    name: '001-table2',
    caption:
      'Response time of Bully_FD as printed, sending one after the other, n = 16, k = 5: equation 3 and measured, by how many of the four dead superiors the detector already knows; process n notices alone, or k with it.',
    title: '001 eq. 3: response time of Bully_FD, n = 16, k = 5',
    x: { label: 'dead superiors on the down list, l' },
    y: { label: 'response time, Tm', min: 0 },
    series: [
      { name: 'eq. 3, (2n − k − l)·Tm + To', points: cases.map((c) => [c.l, c.published]) },
      { name: 'n alone notices', points: cases.map((c) => [c.l, c.n]) },
      { name: 'n and k notice', points: cases.map((c) => [c.l, c.k]) },
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
