/** Measures the single terms of equations 3.4 and 3.5 of 000: signals between a node and its detector, the handling of known dead nodes, and the saving against To/Tp. */
import { ping } from 'bellwether/detectors'
import type { Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import {
  constant,
  electQuickly,
  observe,
  range,
  runToAgreement,
  worldOf,
} from '../harness/elections.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { line, linePlot, markers } from '../harness/plot.ts'
import { brief } from '../harness/statistics.ts'
import {
  BOUND,
  checkedAfter,
  deadOf,
  EFFICIENCY,
  fdCheckedAfter,
  strongestUp,
  timeOut,
  TM,
  took,
} from './times.ts'

const CLAIMS = {
  signals: {
    id: '000-eq3.4-signals',
    source: `${EFFICIENCY}, eq. 3.4, first term`,
    claim: 'Node k and its failure detector exchange 2·N signals.',
    published: '2·N',
    formula:
      '2(N − 1): k asks about every other node once, and gets one answer; 2·N with the question about the leader that begins the election',
    parameters: ['tm', 'signalSizes'],
  },
  negligible: {
    id: '000-eq3.5-negligible',
    source: `${EFFICIENCY}, eq. 3.5`,
    claim:
      'The 2·N·Ts of the signals is negligible: these exchanges are almost concurrent rather than sequential.',
    published: 'negligible (read: at most 5 % of the saving p·Nf·(To − Tp) at p = 1)',
    formula:
      '2(N − 1)·Ts one after the other; 4·Ts where the signals of a stage go together: small if Ts is small against To',
    parameters: ['tm', 'bound', 'signalSizes', 'signal'],
  },
  known: {
    id: '000-eq3.4-known',
    source: `${EFFICIENCY}, eq. 3.4, second term`,
    claim: 'Finding that p·Nf nodes are down which are on the list takes p·Nf·Tp.',
    published: 'p·Nf·Tp',
    formula:
      'p·Nf·Tp if each answer from the list takes Tp, as a message does; 0 if only messages take time, since the list answers in the node itself',
    tolerance: 0.002,
    parameters: ['tm', 'handled', 'knownDead'],
  },
  ratio: {
    id: '000-eq3.5-ratio',
    source: `${EFFICIENCY}, eq. 3.5`,
    claim: 'By p·Nf·(To − Tp) the saving grows by p·Nf for each To.',
    published: 'p·Nf for each To, the slope of the equation',
    formula: 'Nf, less the one or two To that Bully_FD itself waits: Nf at p = 1',
    tolerance: 0.01,
    parameters: ['tm', 'tp', 'bounds000', 'listed'],
  },
} satisfies Record<string, Claim>

/** Half of N are dead and listed: what the signals take beside the saving, for every Ts. */
function signalling(
  algorithm: string,
  reading: string,
  ran: readonly Signals[],
  inARow: (one: Signals) => number,
): Run {
  const tss = PARAMETERS.signal.value
  const to = (n: number): number => timeOut(n, BOUND, 0)
  const cases = tss.flatMap((ts) =>
    ran.map((one) => ({
      published: { atMost: 0.05 * Math.floor(one.n / 2) * to(one.n) },
      measured: inARow(one) * ts,
    })),
  )
  const shares = ran.map((one) => (100 * inARow(one)) / (Math.floor(one.n / 2) * to(one.n)))
  return {
    algorithm,
    reading,
    shown: `${ran.map(inARow).join(', ')} signals in a row at N = ${ran.map(({ n }) => n).join(', ')}: with Ts = Tm ${shares.map((one) => brief(one)).join(', ')} % of the saving, with ${tss[0]} Tm a ${brief(1 / tss[0])}th of that; counted, not timed`,
    cases,
  }
}

interface Signals {
  readonly n: number
  /** Questions and answers. */
  readonly answers: number
  /** In which k asked its detector. */
  readonly steps: number
}

/** `ping`, which tells of each question of its client. */
function countingAsks(asked: (me: number) => void): typeof ping {
  return {
    ...ping,
    handlers: (group) => {
      const own = ping.handlers(group)
      return {
        ...own,
        request: (s, peer, out) => {
          asked(out.me)
          own.request(s, peer, out)
        },
      }
    },
  }
}

/** All dead are known, so that the printed text ends, too. */
function signals(setup: Setup): Findings {
  const counted = (name: string, n: number) => {
    const setting = { n, dead: Math.floor(n / 2), known: Math.floor(n / 2) }
    const down = deadOf(setting)
    const k = strongestUp(n, down)
    const world = worldOf(setup, name, {
      members: n,
      down,
      knownDown: down,
      initiators: [k],
      detector: countingAsks((me) => me === k && askedIn.add(now)),
      network: constant(TM),
    })
    let answers = 0
    let now = 0
    const askedIn = new Set<number>()
    observe(world, {
      step: (_at, step) => {
        now += 1
        if ((step.kind === 'up' || step.kind === 'down') && step.node === k) answers += 1
      },
    })
    runToAgreement(world)
    // The report that the leader failed began the election.
    return { answers: 2 * (answers - 1), steps: askedIn.size }
  }
  const sizes = PARAMETERS.signalSizes.value
  const runs = ['bully-fd-as-printed', 'bully-fd'].map((algorithm) => {
    const ran = sizes.map((n) => ({ n, ...counted(algorithm, n) }))
    return { algorithm, ran }
  })
  const printed = runs[0].ran
  return {
    outcomes: {
      [CLAIMS.signals.id]: {
        runs: [
          {
            algorithm: 'bully-fd-as-printed',
            reading: 'from when the election begins',
            shown: `${printed.map(({ answers }) => answers).join(', ')} signals at N = ${sizes.join(', ')}`,
            cases: printed.map(({ n, answers }) => {
              return { published: 2 * n, measured: answers, formula: 2 * (n - 1) }
            }),
          },
          {
            algorithm: 'bully-fd-as-printed',
            reading: 'with the question about the leader, whose answer begins the election',
            shown: `${printed.map(({ answers }) => answers + 2).join(', ')} signals at N = ${sizes.join(', ')}`,
            cases: printed.map(({ n, answers }) => {
              return { published: 2 * n, measured: answers + 2, formula: 2 * n }
            }),
          },
        ],
        figures: { signals: printed.at(-1)!.answers },
        why: 'Counted are the answers that k gets, DownSig or UpSig, each with its question, Request_FD. From when the election begins there are 2(N − 1), since a node does not ask about itself: within a fifth of 2·N in each of these groups. Before, k has asked about the leader, and the DownSig begins the election: with these two it is 2·N exactly. Whether “the total time” has them, 000 does not say.',
      },
      [CLAIMS.negligible.id]: {
        runs: runs.flatMap(({ algorithm, ran }) => [
          signalling(algorithm, 'one signal after the other', ran, ({ answers }) => answers),
          signalling(
            algorithm,
            'the signals of a stage together',
            ran,
            // There and back.
            ({ steps }) => 2 * steps,
          ),
        ]),
        figures: { steps: printed.at(-1)!.steps },
        why: `What was measured is how many signals there are and how many follow one another: k asks about all other nodes in ${printed.at(-1)!.steps} steps, one for each stage, whatever N is, “almost concurrently rather than sequentially”. How long one signal takes, 000 does not say, and in the simulator it takes no time. Ts is swept here: the term is small where Ts is small against To/4 if signals follow one another, against To·Nf/4 if those of a stage go together. So the size of the term is neither confirmed nor refuted.`,
      },
    },
  }
}

/** k, one live junior, and f dead superiors; how much longer it takes if the dead are on the list. */
function known(setup: Setup): Findings {
  const counts = PARAMETERS.knownDead.value
  const tps = PARAMETERS.handled.value
  const ms = (name: string, f: number, tp: number): number => {
    const down = range(3, f + 2)
    const given = {
      members: f + 2,
      down,
      knownDown: down,
      initiators: [2],
      processingUs: 1000 * tp,
    }
    const timing = { messageMs: BOUND, periodMs: 1000 }
    return electQuickly(setup, name, { ...given, detector: ping, network: constant(TM), timing }).ms
  }
  const handled: Run = {
    algorithm: 'bully-fd-as-printed',
    reading: 'each answer from the list counts as one Tp',
    shown: `${counts.map((f) => signalsAbout(setup, f)).join(', ')} DownSig with ${counts.join(', ')} known dead, counted, not timed`,
    cases: tps.flatMap((tp) =>
      counts.map((f) => ({
        published: f * tp,
        measured: signalsAbout(setup, f) * tp,
        formula: f * tp,
      })),
    ),
  }
  const runs = ['bully-fd-as-printed', 'bully-fd'].map((algorithm) => ({
    algorithm,
    reading: 'only messages take time',
    shown: `${brief(ms(algorithm, 8, 1) - ms(algorithm, 1, 1))} Tm longer with 8 known dead than with 1, Tp = Tm`,
    cases: tps.flatMap((tp) =>
      counts.slice(1).map((f) => ({
        published: (f - 1) * tp,
        measured: ms(algorithm, f, tp) - ms(algorithm, 1, tp),
        formula: 0,
      })),
    ),
  }))
  return {
    outcomes: {
      [CLAIMS.known.id]: {
        runs: [handled, ...runs],
        figures: {
          longer: runs[0].cases.at(-1)!.measured,
          signals: signalsAbout(setup, counts.at(-1)!),
        },
        why: 'Tp is defined as the time of handling a message, and 000 speaks of “messages between node k and the FD as one of signal forms”. Read so, the term is what the node spends on handling the answers from the list, one for each dead node: how many there are is counted, and each takes Tp by that reading. Read of messages between nodes, nothing is handled, and the first term has already counted the signals, as Ts.',
      },
    },
  }
}

/** How many answers k gets about its f superiors, all dead and on the list, after the report that began the election. */
function signalsAbout(setup: Setup, f: number): number {
  const down = range(3, f + 2)
  const world = worldOf(setup, 'bully-fd-as-printed', {
    members: f + 2,
    down,
    knownDown: down,
    initiators: [2],
    detector: ping,
    network: constant(TM),
  })
  let signals = -1
  observe(world, {
    step: (_at, step) => {
      if (step.kind === 'down' && step.node === 2) signals += 1
    },
  })
  runToAgreement(world)
  return signals
}

/** To/Tp swept; how much the saving grows with each To. */
function ratios(setup: Setup): Findings {
  const tp = PARAMETERS.tp.value
  const [n, dead] = [16, 8]
  const bounds = PARAMETERS.bounds000.value
  const shares = PARAMETERS.listed.value
  const curvesOf = (name: string) =>
    shares.map((p) => {
      const setting = { n, dead, known: p * dead }
      const points = bounds.map((bound) => {
        const to = timeOut(n, bound, tp)
        const gm = took(setup, 'garcia-molina', setting, bound, tp)
        const fd = took(setup, name, setting, bound, tp)
        return { ratio: to / tp, to, saved: gm.ms - fd.ms, published: p * dead * (to - tp) }
      })
      const [first, last] = [points[0], points.at(-1)!]
      return { p, points, slope: (last.saved - first.saved) / (last.to - first.to) }
    })
  /** As far as the equations go, as for equation 3.5 itself. */
  const untilChecked = shares.map((p) => {
    const setting = { n, dead, known: p * dead }
    const [first, last] = [bounds[0], bounds.at(-1)!].map((bound) => ({
      to: timeOut(n, bound, tp),
      saved:
        checkedAfter(setup, setting, bound, tp).end - fdCheckedAfter(setup, setting, bound, tp),
    }))
    return { p, points: [], slope: (last.saved - first.saved) / (last.to - first.to) }
  })
  const runOf = (algorithm: string, curves: ReturnType<typeof curvesOf>, formulas: number[]) => ({
    algorithm,
    shown: `by ${curves.map(({ slope }) => (Number.isNaN(slope) ? 'no end' : slope.toFixed(2))).join(', ')} for each To at p = 0, ½, 1 (Nf = ${dead}; published 0, 4, 8)`,
    cases: curves.map(({ p, slope }, i) => {
      return { published: p * dead, measured: slope, formula: formulas[i] }
    }),
  })
  const [printed, corrected] = [curvesOf('bully-fd-as-printed'), curvesOf('bully-fd')]
  return {
    outcomes: {
      [CLAIMS.ratio.id]: {
        runs: [
          {
            ...runOf('bully-fd-as-printed', untilChecked, [dead - 2, dead - 2, dead]),
            reading: 'both until k has checked the last node',
          },
          {
            ...runOf('bully-fd-as-printed', printed, [NaN, NaN, dead]),
            reading: 'until all follow k',
          },
          runOf('bully-fd', corrected, [dead - 2, dead - 2, dead]),
        ],
        figures: {
          printed1: printed[2].slope,
          slope0: corrected[0].slope,
          slope1: corrected[2].slope,
        },
        why: 'Against sequential calls. Right at p = 1, where Bully_FD waits for no time-out. N = 16, Nf = 8; the slope is that between the shortest and the longest To. At p = 0 the saving does not vanish: sequential calls cost Nf time-outs, concurrent questions one or two; as printed no leader comes of them (B4). At p = ½ none comes either, since a dead junior is missing from the list; with all dead juniors listed there is an end, as `000-faster` shows.',
      },
    },
    plots: [
      linePlot({
        name: '000-ratio',
        caption: `The saving of Bully_FD, corrected, against To/Tp (Tp = 0.1·Tm), N = ${n}, Nf = ${dead}: equation 3.5 (lines) and measured (markers) at p = 0, ½ and 1.`,
        title: '000 eq. 3.5: the saving against To/Tp',
        x: { label: 'To / Tp', log: true },
        y: { label: 'time saved, Tm', min: 0 },
        series: corrected.flatMap(({ p, points }) => [
          line(`eq. 3.5, p = ${p}`, points, (q) => [q.ratio, q.published]),
          markers(`measured, p = ${p}`, points, (q) => [q.ratio, q.saved]),
        ]),
      }),
    ],
  }
}

export const termExperiments: readonly Experiment[] = [
  { name: '000-signals', claims: [CLAIMS.signals, CLAIMS.negligible], measure: signals },
  { name: '000-known', claims: [CLAIMS.known], measure: known },
  { name: '000-ratio', claims: [CLAIMS.ratio], measure: ratios },
]
