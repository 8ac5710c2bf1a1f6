/** Tests the claims of 002 (Gupta) on the Bully: messages and time in the best and worst case (simulator), and liveness with and without time bounds (checker). */
import type { Claim, Experiment, Findings, Setup } from '../harness/claim.ts'
import { constant, elect, range, type Election } from '../harness/elections.ts'
import { explore, shownCheck } from '../harness/exploration.ts'
import { judge, judgeFact } from '../harness/judge.ts'
import { line, linePlot, markers } from '../harness/plot.ts'

const ANALYSIS = '002 “Analysis”'

const CLAIMS = {
  worstTime: {
    id: '002-worst-time',
    source: `${ANALYSIS}, “Failures and Timeouts”`,
    claim: 'In the worst case an election takes 5 message transmission times.',
    published: '5·Tm',
    formula: '2·Tm + T1, which is 4·Tm with the shortest time-out T1 = 2·Tm',
  },
  worstElections: {
    id: '002-worst-elections',
    source: ANALYSIS,
    claim: 'When the lowest id detects the failure, N(N−1)/2 Election messages are sent.',
    published: 'N(N−1)/2',
    formula: 'N(N−1)/2 Election messages; N² − N − 1 messages in all',
  },
  bestMessages: {
    id: '002-best-messages',
    source: ANALYSIS,
    claim: 'When the second-highest id detects the failure, it sends N−2 Coordinator messages.',
    published: 'N−2',
    formula: 'N−2 Coordinators (and 1 Election to the dead leader, unless it is known to be dead)',
  },
  bestTime: {
    id: '002-best-time',
    source: ANALYSIS,
    claim: 'In the best case an election completes in 1 message transmission time.',
    published: '1·Tm',
    formula: 'T1 + Tm from the detection on; 1·Tm from the victory on',
  },
  livenessSync: {
    id: '002-live-synchronous',
    source: '002 “Failures and Timeouts”, “Impossibility?”',
    claim: 'If failures stop, eventually a leader is elected: live in the synchronous model.',
    published: 'always, in the end',
    formula: 'false for the printed text with one crash and one recovery (T-a); true as corrected',
  },
  livenessAsync: {
    id: '002-live-asynchronous',
    source: '002 “Impossibility?”',
    claim: 'In an asynchronous system liveness is not guaranteed.',
    published: 'may never terminate',
    formula: 'some run never ends in agreement',
  },
} satisfies Record<string, Claim>

const TM = 1
const SIZES = [3, 4, 5, 8, 12, 16, 24, 32, 48, 64]

/** Every message takes Tm exactly; the strongest is dead and one member notices. */
function noticedBy(setup: Setup, n: number, initiator: number): Election {
  // All detectors know of the crash: the followers' own detection is not part of the lecture's count.
  const dead = { down: [n], knownDown: [n] }
  return elect(setup, 'bully', {
    members: n,
    ...dead,
    initiators: [initiator],
    network: constant(TM),
  })
}

/** The simulator's Tm is a microsecond more than a message takes, so that an answer never meets its time-out. */
const GRAIN = 0.01

function costs(setup: Setup): Findings {
  const worst = SIZES.map((n) => ({ n, election: noticedBy(setup, n, 1) }))
  const best = SIZES.map((n) => ({ n, election: noticedBy(setup, n, n - 1) }))
  const elections = worst.map(({ n, election }) => {
    const half = (n * (n - 1)) / 2
    return { measured: election.byType['election'] ?? 0, published: half, formula: half }
  })
  const totals = worst.map(({ n, election }) => election.messages - (n * n - n - 1))
  const coordinators = best.map(({ n, election }) => {
    return { measured: election.byType['coordinator'] ?? 0, published: n - 2, formula: n - 2 }
  })
  const t1 = 2 * TM
  const worstTimes = worst.map(({ election }) => {
    return { measured: election.ms, published: 5 * TM, formula: 2 * TM + t1 }
  })
  const bestTimes = best.map(({ election }) => {
    return { measured: election.ms, published: TM, formula: t1 + TM }
  })
  const last = SIZES.length - 1
  return {
    outcomes: {
      [CLAIMS.worstTime.id]: {
        measured: `${worstTimes[last].measured.toFixed(1)} Tm at every N from ${SIZES[0]} to ${SIZES[last]}`,
        figures: { messageTimes: worstTimes[last].measured },
        verdict: judge(worstTimes, 'holds with a correction', GRAIN),
        why: 'The Answer to the lowest id (step 2) travels while the second-highest already waits for the highest: it is not on the critical path. As an upper bound 5 is right, and safe for setting time-outs.',
      },
      [CLAIMS.worstElections.id]: {
        measured: `${elections[last].measured} at N = ${SIZES[last]}; in all ${worst[last].election.messages}`,
        figures: { elections: elections[last].measured, messages: worst[last].election.messages },
        verdict: totals.every((rest) => rest === 0) ? judge(elections) : 'unexplained',
        why: 'Exact for every N. It counts Election messages only: (N−1)(N−2)/2 OKs and N−2 Coordinators come on top.',
      },
      [CLAIMS.bestMessages.id]: {
        measured: `${coordinators[last].measured} Coordinators at N = ${SIZES[last]}, and ${best[last].election.byType['election'] ?? 0} Election`,
        figures: {
          coordinators: coordinators[last].measured,
          messages: best[last].election.messages,
        },
        verdict: judge(coordinators),
        why: 'Exact for every N. 001 counts one more (n−1), for the Election to the dead leader: both are right about what they count.',
      },
      [CLAIMS.bestTime.id]: {
        measured: `${bestTimes[last].measured.toFixed(1)} Tm from the detection on`,
        figures: { messageTimes: bestTimes[last].measured },
        verdict: judge(bestTimes, 'holds with a correction', GRAIN),
        why: 'The lecture lets the second-highest know at once that it is the highest. With an election it waits T1 = 2·Tm for the dead leader first; from its victory on it is one message time.',
      },
    },
    plots: [
      linePlot({
        name: '002-messages',
        caption:
          'Messages of a Bully election by the size of the group: the lowest id notices (worst) or the second-highest does (best). Lines are formulas, markers are measured.',
        title: '002: messages of the textbook Bully, best and worst case',
        x: { label: 'members N', log: true },
        y: { label: 'messages of one election', log: true },
        series: [
          line('N² − N − 1', range(3, 64), (n) => [n, n * n - n - 1]),
          markers('worst, all messages', worst, (w) => [w.n, w.election.messages]),
          line('N(N−1)/2', range(3, 64), (n) => [n, (n * (n - 1)) / 2]),
          markers('worst, Election', worst, (w, i) => [w.n, elections[i].measured]),
          line('N − 2', range(3, 64), (n) => [n, n - 2]),
          markers('best, Coordinator', best, (b, i) => [b.n, coordinators[i].measured]),
        ],
      }),
    ],
  }
}

function liveness(setup: Setup): Findings {
  const faults = { start: 'settled', crashes: 1, recoveries: 1 } as const
  const printed = explore(setup, 'bully-as-printed', { ...faults, options: { form: '002' } })
  const corrected = explore(setup, 'bully', faults)
  const boot = { start: 'boot', options: { form: '002' } } as const
  const asynchronous = explore(setup, 'bully-as-printed', {
    ...boot,
    timers: 'async',
    maxInFlight: 3,
  })
  const synchronous = explore(setup, 'bully-as-printed', boot)
  return {
    outcomes: {
      [CLAIMS.livenessSync.id]: {
        measured: `as printed: ${shownCheck(printed)}; corrected: ${shownCheck(corrected)}`,
        figures: {
          printedHolds: Number(printed.ok),
          correctedHolds: Number(corrected.ok),
          steps: printed.counterexample?.steps.length ?? 0,
          states: corrected.states,
        },
        verdict: corrected.ok ? judgeFact(printed.ok, false) : 'unexplained',
        why: 'Coordinator messages carry no number: a late one of the old leader’s deputy overwrites the claim of the leader that has come back, and nobody ever looks again. Corrected, a weaker claim is accepted only if the detector says that the leader is down.',
      },
      [CLAIMS.livenessAsync.id]: {
        measured: `time-outs at any moment: ${shownCheck(asynchronous)}; with bounds: ${shownCheck(synchronous)}`,
        figures: {
          asynchronousHolds: Number(asynchronous.ok),
          synchronousHolds: Number(synchronous.ok),
          steps: asynchronous.counterexample?.steps.length ?? 0,
        },
        verdict: synchronous.ok ? judgeFact(!asynchronous.ok, true) : 'unexplained',
        why: 'Three members boot, nobody crashes. If time-outs prove nothing, members give each other up while their messages are under way; with bounds the same boot always ends well.',
      },
    },
  }
}

export const experiments002: readonly Experiment[] = [
  {
    name: '002-costs',
    claims: [CLAIMS.worstTime, CLAIMS.worstElections, CLAIMS.bestMessages, CLAIMS.bestTime],
    measure: costs,
  },
  { name: '002-liveness', claims: [CLAIMS.livenessSync, CLAIMS.livenessAsync], measure: liveness },
]
