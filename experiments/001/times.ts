/** Measures the response time of the Bully and of Bully_FD in the simulator, with sequential and with multicast sending: 001 §4.5, equations 2 to 4 and Table 2. */
import { ping } from 'bellwether/detectors'
import type { Claim, Experiment, Findings, Setup } from '../harness/claim.ts'
import { constant, electQuickly, range, strongest } from '../harness/elections.ts'
import { judge } from '../harness/judge.ts'
import { linePlot } from '../harness/plot.ts'
import { brief } from '../harness/statistics.ts'

const TABLE = '001 §4.5, Table 2'

const CLAIMS = {
  sequentialBully: {
    id: '001-t2-sequential-bully',
    source: `${TABLE}, eq. 2`,
    claim: 'Sending one after the other, the Bully responds in (2n − k)·Tm + To.',
    published: '(2n − k)·Tm + To',
    formula: '2(n − k)·Tm + To, To counted from the first question on',
  },
  sequentialFd: {
    id: '001-t2-sequential-fd',
    source: `${TABLE}, eq. 3`,
    claim:
      'Sending one after the other, Bully_FD responds in (2n − k − l)·Tm + To, l of the dead known.',
    published: '(2n − k − l)·Tm + To',
    formula:
      '(2n − 2k + 3)·Tm, and To only if a dead superior is not known; as shipped (2n − 2k + 1)·Tm if all are',
  },
  multicastBully: {
    id: '001-t2-multicast-bully',
    source: `${TABLE}, eq. 4`,
    claim: 'With multicast the Bully responds in 4·Tm.',
    published: '4·Tm',
    formula: '2·Tm + To',
  },
  multicastFd: {
    id: '001-t2-multicast-fd',
    source: TABLE,
    claim: 'With multicast Bully_FD takes as long as the Bully, 4·Tm.',
    published: '4·Tm, as the Bully',
    formula:
      '5·Tm as printed, and To only if a dead superior is not known; as shipped 3·Tm if all are',
  },
} satisfies Record<string, Claim>

const TM = 1
/** n and k, counted from the strongest as in 001: the k − 1 strongest are dead. */
const CASES = [6, 10, 16].flatMap((n) => [2, 3, 5].map((k) => ({ n, k })))
/** Of the k − 1 dead superiors, l are known. */
const KNOWN = CASES.flatMap(({ n, k }) => range(0, k - 1).map((l) => ({ n, k, l })))
/** The simulator's Tm is a microsecond more than a message takes. */
const GRAIN = 1e-3

function bully(setup: Setup): Findings {
  const dead = (n: number, k: number) => {
    const down = strongest(n, k - 1)
    return { members: n, down, knownDown: down, initiators: [1] }
  }
  const sequential = CASES.map(({ n, k }) => {
    const network = { send: 'sequential', ...constant(TM) } as const
    const { ms, world } = electQuickly(setup, 'bully', { ...dead(n, k), network })
    const to = 2 * world.config.timing.messageMs
    return { measured: ms, published: (2 * n - k) * TM + to, formula: 2 * (n - k) * TM + to }
  })
  const multicast = [2, 5, 10, 20].flatMap((to) =>
    CASES.map(({ n, k }) => {
      const timing = { messageMs: to / 2 + 0.001 }
      const given = { ...dead(n, k), network: constant(TM), timing }
      const { ms } = electQuickly(setup, 'bully', given)
      return { to, measured: ms, published: 4 * TM, formula: 2 * TM + to }
    }),
  )
  const at = (to: number): string => brief(multicast.find((c) => c.to === to)!.measured)
  const last = sequential.at(-1)!
  return {
    outcomes: {
      [CLAIMS.sequentialBully.id]: {
        measured: `${brief(last.measured)} Tm at n = 16, k = 5, where the equation says ${brief(last.published)}; 2(n − k)·Tm + To in ${sequential.length} cases`,
        figures: { messageTimes: last.measured, published: last.published },
        verdict: judge(sequential, 'holds with a correction', GRAIN),
        why: 'The equation lets the Answer to n (Tm) and the questions to the k − 1 dead ((k − 1)·Tm) go before To. A time-out that counts from the first question, and is long enough for the last, covers both. Under its own accounting the sum is right.',
      },
      [CLAIMS.multicastBully.id]: {
        measured: `${at(2)}, ${at(5)}, ${at(10)}, ${at(20)} Tm for To = 2, 5, 10, 20 Tm, whatever n and k`,
        figures: { to2: multicast[0].measured, to20: multicast.at(-1)!.measured },
        verdict: judge(multicast, 'does not hold', 5 * GRAIN),
        why: 'The equation adds 2·Tm + Tm + To + Tm and prints 4·Tm: To is dropped. And the Answer to n is not on the critical path: 2·Tm + To. Only with the shortest To = 2·Tm are these 4.',
      },
    },
  }
}

function overDetector(setup: Setup): Findings {
  const sequential = KNOWN.map((c) => timed(setup, 'bully-fd-as-printed', c, 'sequential'))
  const multicast = KNOWN.map((c) => timed(setup, 'bully-fd-as-printed', c, 'multicast'))
  const run = KNOWN.filter(({ k, l }) => l === k - 1)
  const ours = {
    sequential: run.map((c) => ({ ...c, ...timed(setup, 'bully-fd', c, 'sequential') })),
    multicast: run.map((c) => timed(setup, 'bully-fd', c, 'multicast')),
  }
  const isOurs =
    ours.sequential.every(({ n, k, ms }) => Math.abs(ms - (2 * n - 2 * k + 1)) < GRAIN) &&
    ours.multicast.every(({ ms }) => Math.abs(ms - 3) < GRAIN)
  const unless = (k: number, l: number, to: number): number => (l < k - 1 ? to : 0)
  const sequentialCases = KNOWN.map(({ n, k, l }, i) => ({
    measured: sequential[i].ms,
    published: 2 * n - k - l + sequential[i].to,
    formula: 2 * n - 2 * k + 3 + unless(k, l, sequential[i].to),
  }))
  const multicastCases = KNOWN.map(({ k, l }, i) => ({
    measured: multicast[i].ms,
    published: 4,
    formula: 5 + unless(k, l, multicast[i].to),
  }))
  const [none, all] = [multicastCases.at(-5)!, multicastCases.at(-1)!]
  const last = sequentialCases.at(-1)!
  return {
    outcomes: {
      [CLAIMS.sequentialFd.id]: {
        measured: `all dead known: ${brief(last.measured)} Tm at n = 16, k = 5, where the equation says ${brief(last.published)}; as shipped ${brief(ours.sequential.at(-1)!.ms)}`,
        figures: { messageTimes: last.measured, published: last.published },
        verdict: isOurs ? judge(sequentialCases, 'does not hold', GRAIN) : 'unexplained',
        why: 'The equation keeps To even when every dead superior is on the list, the one case for which Bully_FD was made; it begins with an election message that Bully_FD does not have, and leaves Halt and Ack out.',
      },
      [CLAIMS.multicastFd.id]: {
        measured: `${brief(all.measured)} Tm if all dead are known, ${brief(none.measured)} if none is; as shipped ${brief(ours.multicast[0].ms)}`,
        figures: { known: all.measured, unknown: none.measured, asRun: ours.multicast[0].ms },
        verdict: isOurs ? judge(multicastCases, 'does not hold', GRAIN) : 'unexplained',
        why: 'The detector’s question and answer, Halt, Ack and Ldr are five messages in a row. We send Halt at once, an Ack is as good as an answer: three. Neither waits for a time-out that the list makes needless, so it does not take “as long as the Bully”.',
      },
    },
    plots: [
      timePlot(
        KNOWN.map((c, i) => ({ ...c, ...sequentialCases[i] })).filter(
          ({ n, k }) => n === 16 && k === 5,
        ),
      ),
    ],
  }
}

/** k notices; every message takes Tm. */
function timed(
  setup: Setup,
  name: string,
  { n, k, l }: { readonly n: number; readonly k: number; readonly l: number },
  send: 'sequential' | 'multicast',
): { readonly ms: number; readonly to: number } {
  const down = strongest(n, k - 1)
  const { ms, world } = electQuickly(setup, name, {
    members: n,
    down,
    knownDown: down.slice(0, l),
    initiators: [n - k + 1],
    detector: ping,
    network: { send, ...constant(TM) },
  })
  return { ms, to: ping.answerMs(world.group) }
}

function timePlot(
  cases: readonly { readonly l: number; readonly measured: number; readonly published: number }[],
) {
  return linePlot({
    name: '001-table2',
    caption:
      'Response time of Bully_FD as printed, sending one after the other, n = 16, k = 5: equation 3 and measured, by how many of the four dead superiors the detector already knows.',
    title: '001 eq. 3: response time of Bully_FD, n = 16, k = 5',
    x: { label: 'dead superiors on the down list, l' },
    y: { label: 'response time, Tm', min: 0 },
    series: [
      { name: 'eq. 3, (2n − k − l)·Tm + To', points: cases.map((c) => [c.l, c.published]) },
      { name: 'measured', points: cases.map((c) => [c.l, c.measured]) },
    ],
  })
}

const { sequentialBully, sequentialFd, multicastBully, multicastFd } = CLAIMS

export const timeExperiments: readonly Experiment[] = [
  { name: '001-table2-bully', claims: [sequentialBully, multicastBully], measure: bully },
  { name: '001-table2-fd', claims: [sequentialFd, multicastFd], measure: overDetector },
]
