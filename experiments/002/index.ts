/** Tests the claims of 002 (Gupta) on the printed and the corrected Bully: messages and times in the best and worst case, its five steps, and liveness with and without time bounds. */
import { ping } from 'bellwether/detectors'
import type { Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import { constant, elect, observe, range, worldOf } from '../harness/elections.ts'
import { exploreForAny, shownCheck } from '../harness/exploration.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { line, linePlot, markers } from '../harness/plot.ts'
import { brief } from '../harness/statistics.ts'
import { fact } from '../harness/verdict.ts'

const ANALYSIS = '002 “Analysis”'
const settings = { tolerance: 0.002, parameters: ['tm', 't1', 'sizes002'] } as const

const CLAIMS = {
  worstTime: {
    id: '002-worst-time',
    source: `${ANALYSIS}, “Failures and Timeouts”`,
    claim: 'In the worst case an election takes 5 message transmission times.',
    published: '5·Tm',
    formula: '2·Tm + T1, which is 4·Tm with the shortest time-out T1 = 2·Tm',
    ...settings,
  },
  timeouts: {
    id: '002-time-outs',
    source: '002 “Failures and Timeouts”',
    claim:
      'The time-outs are set by the worst-case time to complete an election, 5 message transmission times if there are no failures during the run.',
    published: '5·Tm are enough',
    formula:
      '4.5·Tm at most, whichever process notices, if it waits 2.5·Tm for an Answer and then 5·Tm for a Coordinator; no process starts a second run',
    tolerance: 0.002,
    parameters: ['tm', 'answers002', 't2'],
  },
  steps: {
    id: '002-five-steps',
    source: '002 “Failures and Timeouts”',
    claim:
      'The steps are: Election from the lowest id, Answer to it, Election to the highest, time-out of the second-highest, Coordinator.',
    published: 'in this order, one transmission time each',
    formula:
      'all occur, each one transmission time after the one before, but for one: Answer and Election to the highest leave, and arrive, together',
    ...settings,
    parameters: ['tm', 't1'],
  },
  begin: {
    id: '002-all-begin',
    source: ANALYSIS,
    claim: 'If the lowest id detects the failure, N − 1 processes altogether begin elections.',
    published: 'N − 1',
    formula: 'N − 1: all that are up',
    ...settings,
  },
  each: {
    id: '002-ith-highest',
    source: ANALYSIS,
    claim: 'The i-th highest id process sends i − 1 Election messages.',
    published: 'i − 1',
    formula: 'i − 1',
    ...settings,
  },
  worstElections: {
    id: '002-worst-elections',
    source: ANALYSIS,
    claim: 'When the lowest id detects the failure, N(N−1)/2 Election messages are sent.',
    published: 'N(N−1)/2',
    formula: 'N(N−1)/2 Election messages; N² − N − 1 messages in all',
    ...settings,
  },
  bestMessages: {
    id: '002-best-messages',
    source: ANALYSIS,
    claim: 'When the second-highest id detects the failure, it sends N−2 Coordinator messages.',
    published: 'N−2',
    formula:
      'N−2 Coordinators (and 1 Election to the dead leader, unless it knows that its id is the highest)',
    ...settings,
  },
  bestTime: {
    id: '002-best-time',
    source: '002 “Bully Algorithm”, “Analysis”',
    claim: 'In the best case an election completes in 1 message transmission time.',
    published: '1·Tm',
    formula: '1·Tm if a process knows that its id is the highest of those up; else T1 + Tm',
    ...settings,
  },
  during: {
    id: '002-failure-during-run',
    source: '002 “Bully Algorithm (2)”, “Failures during Election Run”, “Failures and Timeouts”',
    claim:
      'If no Coordinator message is received after another time-out, a process starts a new election run, and in the end one is elected.',
    published: 'a new run, and a leader',
    formula: 'the next highest, after the Answer at 2·Tm, T2 = 5·Tm and another T1 of 2.5·Tm',
    tolerance: 0.002,
    parameters: ['tm', 'answers002', 't2'],
  },
  livenessSync: {
    id: '002-live-synchronous',
    source: '002 “Failures and Timeouts”, “Impossibility?”',
    claim: 'If failures stop, eventually a leader is elected: live in the synchronous model.',
    published: 'a leader, in the end',
    formula: 'true, if crashed processes stay down: 002 does not speak of recoveries (T-a)',
    parameters: ['members'],
  },
  livenessAsync: {
    id: '002-live-asynchronous',
    source: '002 “Impossibility?”',
    claim: 'In an asynchronous system the protocol may never terminate.',
    published:
      'may never terminate (read: elections in each of ten minutes, none of them without one for a second)',
    formula: 'a run in which elections go on for ever; none where bounds are kept',
    parameters: ['late'],
  },
} satisfies Record<string, Claim>

const TM = PARAMETERS.tm.value
const SIZES = PARAMETERS.sizes002.value
/** The time-outs of the Bully are twice and four times the bound that it is told. */
const TOLD = (PARAMETERS.answers002.value * TM) / 2
const NAMES = ['bully-as-printed', 'bully'] as const
const FORM = 'form 002'
const MESSAGES = ' messages'
const formOf = (name: string) => (name === NAMES[0] ? { reading: FORM } : {})
const last = SIZES.length - 1
const maxN = SIZES[last]

/** Every message takes Tm exactly; the strongest is dead and one process notices; all detectors know. */
function noticedBy(
  setup: Setup,
  name: string,
  n: number,
  initiator: number,
  highest?: 'up',
  messageMs?: number,
) {
  const counts = new Map<string, number>()
  const world = worldOf(setup, name, {
    members: n,
    down: [n],
    knownDown: [n],
    initiators: [initiator],
    network: constant(TM),
    options: highest === undefined ? {} : { highest },
    ...(messageMs === undefined ? {} : { timing: { messageMs } }),
  })
  observe(world, {
    sent: ({ from, message: { type } }) => {
      const key = `${type} ${from}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
  })
  world.runUntilQuiet(60_000_000)
  return {
    n,
    ms: world.monitors.agreedSince / 1000,
    messages: world.messageCounts.sumOf('election'),
    byType: world.messageCounts.byType,
    senders: (type: string) =>
      [...counts.keys()].filter((key) => key.startsWith(`${type} `)).length,
    sentBy: (type: string, member: number) => counts.get(`${type} ${member}`) ?? 0,
  }
}
type Noticed = ReturnType<typeof noticedBy>

/** A run for each algorithm, with a case for each N. Our formula is the printed one where no other is given. */
function overSizes(
  of: (name: string) => readonly Noticed[],
  measured: (one: Noticed) => number,
  published: (n: number) => number,
  unit = '',
  formula = published,
): Run[] {
  return NAMES.map((algorithm) => {
    const cases = of(algorithm).map((one) => {
      return { published: published(one.n), measured: measured(one), formula: formula(one.n) }
    })
    const shown = `${brief(cases[last].measured)}${unit} at N = ${maxN}`
    return { algorithm, ...formOf(algorithm), shown, cases }
  })
}

function costs(setup: Setup): Findings {
  const ran = Object.fromEntries(
    NAMES.map((name) => {
      const by = (initiator: (n: number) => number) =>
        SIZES.map((n) => noticedBy(setup, name, n, initiator(n)))
      return [name, { worst: by(() => 1), best: by((n) => n - 1) }] as const
    }),
  )
  const knowing = SIZES.map((n) => noticedBy(setup, 'bully-as-printed', n, n - 1, 'up'))
  const { worst, best } = ran['bully-as-printed']
  const worstOf = (name: string): Noticed[] => ran[name].worst
  const bestOf = (name: string): Noticed[] => ran[name].best
  const half = (n: number): number => (n * (n - 1)) / 2
  const t1 = PARAMETERS.t1.value * TM
  const times = overSizes(
    worstOf,
    ({ ms }) => ms,
    () => 5 * TM,
    ' Tm',
    () => 2 * TM + t1,
  )
  const all = overSizes(
    worstOf,
    ({ messages }) => messages,
    (n) => n * n - n - 1,
    MESSAGES,
  )
  const elections = overSizes(worstOf, ({ byType }) => byType['election'] ?? 0, half, ' Elections')
  const coordinators = overSizes(
    bestOf,
    ({ byType }) => byType['coordinator'] ?? 0,
    (n) => n - 2,
    ' Coordinators',
  )
  const knows = {
    algorithm: 'bully-as-printed',
    reading: `${FORM}, knows that its id is the highest of those up`,
    shown: `${brief(knowing[last].ms)} Tm, ${knowing[last].messages} messages at N = ${maxN}`,
  }
  const bestTimes = overSizes(
    bestOf,
    ({ ms }) => ms,
    () => TM,
    ' Tm',
    () => t1 + TM,
  )
  const byNoticer = NAMES.map((algorithm) => {
    const ran = range(1, 11).map((initiator) =>
      noticedBy(setup, algorithm, 12, initiator, undefined, TOLD),
    )
    const ms = ran.map((one) => one.ms)
    // In one run the i-th highest sends i − 1 Elections.
    const again = ran.map(
      (one) => range(1, 11).filter((id) => one.sentBy('election', id) > 12 - id).length,
    )
    return {
      algorithm,
      ...formOf(algorithm),
      shown: `${brief(Math.min(...ms))} to ${brief(Math.max(...ms))} Tm at N = 12, for each of the eleven that may notice; ${again.reduce((sum, one) => sum + one, 0)} second runs`,
      cases: [
        ...ms.map((one) => ({ published: { atMost: 5 * TM }, measured: one })),
        ...again.map((one) => ({ published: 0, measured: one, formula: 0 })),
      ],
    }
  })
  const each = overSizes(
    worstOf,
    (one) => one.sentBy('election', 1),
    (n) => n - 1,
    ' Elections of the lowest id',
  )
  const twelve = worst.find(({ n }) => n === 12)!
  return {
    outcomes: {
      [CLAIMS.worstTime.id]: {
        runs: times,
        figures: { messageTimes: times[0].cases[last].measured },
        why: 'The time is that until all name one leader. By the text’s own steps T1 is 2·Tm, an Election to the highest and the time-out of an answer to it. The Answer to the lowest id (step 2) travels while the second-highest already waits for the highest: it is not on the critical path.',
      },
      [CLAIMS.timeouts.id]: {
        runs: byNoticer,
        figures: { most: Math.max(...byNoticer[0].cases.map(({ measured }) => measured)) },
        why: 'Read of the time-out for the Coordinator, which is set to 5·Tm here; nobody’s elapses before the Coordinator has come.',
      },
      [CLAIMS.begin.id]: {
        runs: overSizes(
          worstOf,
          (one) => one.senders('election'),
          (n) => n - 1,
          ' processes send Election',
        ),
        figures: { processes: worst[last].senders('election') },
        why: 'Each process that is asked begins an election of its own. Counted are the processes that send an Election; the dead highest is asked, too.',
      },
      [CLAIMS.each.id]: {
        runs: [
          {
            algorithm: 'bully-as-printed',
            reading: FORM,
            shown: `${range(2, 12)
              .map((i) => twelve.sentBy('election', 13 - i))
              .join(', ')} Elections for i = 2 … 12 of N = 12`,
            cases: worst.flatMap((one) =>
              range(2, one.n).map((i) => ({
                published: i - 1,
                measured: one.sentBy('election', one.n + 1 - i),
                formula: i - 1,
              })),
            ),
          },
          each[1],
        ],
        figures: { lowest: worst[last].sentBy('election', 1) },
        why: 'One to each process with a higher id, the dead highest among them. As printed it is counted for every i and N, corrected for the lowest id of every N.',
      },
      [CLAIMS.worstElections.id]: {
        runs: elections,
        figures: {
          elections: elections[0].cases[last].measured,
          messages: all[0].cases[last].measured,
        },
        why: 'Exact for every N measured. It counts Election messages only: (N−1)(N−2)/2 OKs and N−2 Coordinators come on top.',
      },
      [CLAIMS.bestMessages.id]: {
        runs: [
          ...coordinators,
          {
            ...knows,
            cases: knowing.map((one) => {
              return { published: one.n - 2, measured: one.messages, formula: one.n - 2 }
            }),
          },
        ],
        figures: {
          coordinators: best[last].byType['coordinator'] ?? 0,
          corrected: coordinators[1].cases[last].measured,
          messages: best[last].messages,
        },
        why: 'Exact for every N measured. 001 §4.4 counts one more (n − 1) without saying which: inferred from what it says of Bully_FD, it is the Election to the dead leader. Read so, both are right about what they count.',
      },
      [CLAIMS.bestTime.id]: {
        runs: [
          ...bestTimes,
          {
            ...knows,
            cases: knowing.map(({ ms }) => ({ published: TM, measured: ms, formula: TM })),
          },
        ],
        figures: { knowing: knowing[last].ms, asking: bestTimes[0].cases[last].measured },
        why: 'The first branch of the text, “if it knows its id is the highest, it elects itself”: read of those that are not known to be down, it is exact. Read of all ids, the second-highest asks the dead leader and waits T1 first.',
      },
    },
    plots: [
      linePlot({
        name: '002-messages',
        caption:
          'Messages of the printed Bully by the size of the group: the lowest id notices (worst) or the second-highest does (best). Lines are formulas, markers are measured.',
        title: '002: messages of the textbook Bully, best and worst case',
        x: { label: 'members N', log: true },
        y: { label: 'messages of one election', log: true },
        series: [
          line('N² − N − 1', range(3, 64), (n) => [n, n * n - n - 1]),
          markers('worst, all messages', worst, (w) => [w.n, w.messages]),
          line('N(N−1)/2', range(3, 64), (n) => [n, (n * (n - 1)) / 2]),
          markers('worst, Election', worst, (w) => [w.n, w.byType['election'] ?? 0]),
          line('N − 2', range(3, 64), (n) => [n, n - 2]),
          markers('best, Coordinator', best, (b) => [b.n, b.byType['coordinator'] ?? 0]),
        ],
      }),
    ],
  }
}

/** The steps that the lecture lists, and when each occurs. */
function fiveSteps(setup: Setup): Findings {
  const n = 6
  const events: { readonly what: string; readonly at: number }[] = []
  const world = worldOf(setup, 'bully-as-printed', {
    members: n,
    down: [n],
    knownDown: [n],
    initiators: [1],
    network: constant(TM),
  })
  /** When a step ends: a message, also to the dead, when it arrives. */
  const note = (what: string, later = 0): void => {
    if (events.some((one) => one.what === what)) return
    events.push({ what, at: world.now / 1000 + later })
  }
  observe(world, {
    sent: ({ from, to, message: { type } }) => {
      if (type === 'election' && from === 1 && to === n - 1) note('Election from the lowest', TM)
      if (type === 'ok' && from === n - 1 && to === 1) note('Answer to the lowest', TM)
      if (type === 'election' && from === n - 1) note('Election to the highest', TM)
      if (type === 'coordinator') note('Coordinator', TM)
    },
    step: (_at, step) => {
      if (step.kind === 'timeout' && step.node === n - 1) note('time-out of the second-highest')
    },
  })
  world.runUntilQuiet(10_000_000)
  const order = [
    'Election from the lowest',
    'Answer to the lowest',
    'Election to the highest',
    'time-out of the second-highest',
    'Coordinator',
  ]
  const at = order.map((what) => events.find((one) => one.what === what)?.at ?? NaN)
  const [election, answer, higher, timeOut, coordinator] = at
  const gaps = [answer - election, higher - answer, timeOut - higher, coordinator - timeOut]
  const formulas = [TM, 0, PARAMETERS.t1.value - TM, TM]
  return {
    outcomes: {
      [CLAIMS.steps.id]: {
        runs: [
          {
            algorithm: 'bully-as-printed',
            reading: FORM,
            shown: order.map((what, i) => `${what} until ${brief(at[i])} Tm`).join(', '),
            cases: [
              ...at.slice(1).map((one, i) => fact(one >= at[i], true)),
              ...gaps.map((gap, i) => ({ published: TM, measured: gap, formula: formulas[i] })),
            ],
          },
        ],
        figures: { coordinator },
        why: 'One group, N = 6. The order is right, and a step takes one transmission time, the time-out what is left of it when its question has arrived. But Answer and Election to the highest are under way together: four transmission times, not five.',
      },
      ...duringRun(setup),
    },
  }
}

/** The only process that answers crashes before it can announce itself. */
function duringRun(setup: Setup): Findings['outcomes'] {
  const n = 3
  const runs = NAMES.map((algorithm): Run => {
    const { leader, ms, byType } = elect(setup, algorithm, {
      members: n,
      down: [n],
      knownDown: [n],
      initiators: [1],
      network: constant(TM),
      faults: [{ kind: 'crash', node: n - 1, at: 1500 }],
      timing: { messageMs: TOLD },
    })
    return {
      algorithm,
      ...formOf(algorithm),
      shown: `process ${leader} is elected after ${brief(ms)} Tm and ${byType['election'] ?? 0} Election messages; 3 was dead, 2 crashed after its Answer`,
      cases: [
        { published: 1, measured: leader, formula: 1 },
        // Three in the first run: more only if there is a second one.
        { published: { above: 3 }, measured: byType['election'] ?? 0, formula: 5 },
      ],
    }
  })
  return {
    [CLAIMS.during.id]: {
      runs,
      figures: { leader: runs[0].cases[0].measured, elections: runs[0].cases[1].measured },
      why: 'Three processes. Two Elections of 1 in its first run and one of 2, two more of 1 in its second run. The slides show such a run in pictures, which are not in the text; this is the run that their text describes.',
    },
  }
}

function liveness(setup: Setup): Findings {
  const settled = { start: 'settled' } as const
  const form = { form: '002' }
  const crashes = [
    exploreForAny(setup, 'bully-as-printed', { options: form, crashes: 1 }),
    exploreForAny(setup, 'bully-as-printed', { options: form, crashes: 2 }),
    exploreForAny(setup, 'bully-as-printed', {
      options: form,
      crashes: 2,
      ...settled,
      members: 4,
    }),
  ]
  const recovery = { ...settled, crashes: 1, recoveries: 1 }
  const back = exploreForAny(setup, 'bully-as-printed', { options: form, ...recovery })
  const corrected = exploreForAny(setup, 'bully', recovery)
  const late = asynchronous(setup, PARAMETERS.late.value)
  const bounded = asynchronous(setup, 1)
  const least = Math.min(...late.elections)
  return {
    outcomes: {
      [CLAIMS.livenessSync.id]: {
        runs: [
          {
            algorithm: 'bully-as-printed',
            reading: `${FORM}, crashes only`,
            shown: ['one crash', 'two crashes', 'two of four members']
              .map((what, i) => `${what}: ${shownCheck(crashes[i])}`)
              .join('; '),
            cases: crashes.map(({ ok }) => fact(ok, true)),
          },
          {
            algorithm: 'bully-as-printed',
            reading: `${FORM}, a crash and a recovery`,
            shown: shownCheck(back),
            cases: [fact(back.ok, false)],
            beside: true,
          },
          {
            algorithm: 'bully',
            reading: 'a crash and a recovery',
            shown: shownCheck(corrected),
            cases: [fact(corrected.ok, true)],
          },
        ],
        figures: {
          crashesOnly: Number(crashes.every(({ ok }) => ok)),
          recovery: Number(back.ok),
          corrected: Number(corrected.ok),
        },
        why: 'The lecture speaks of failures only. With a recovery, a late Coordinator message of the old leader’s deputy may overwrite the claim of the leader that has come back (T-a).',
      },
      [CLAIMS.livenessAsync.id]: {
        runs: [
          {
            algorithm: 'bully-as-printed',
            reading: FORM,
            shown: `messages take up to ${PARAMETERS.late.value} times the bound: ${least.toLocaleString('en')} Election messages or more to the highest in each of ten minutes, never more than ${brief(late.longestMs)} ms without one under way; within the bound: ${bounded.elections.join(', ')}`,
            cases: [
              ...late.elections.map((count) => ({ published: { above: 0 }, measured: count })),
              { published: { below: 1000 }, measured: late.longestMs },
              ...bounded.elections.slice(1).map((count) => {
                return { published: 0, measured: count, formula: 0 }
              }),
            ],
          },
        ],
        figures: { least, longestMs: late.longestMs, bounded: bounded.elections[9] },
        why: 'A group of five. Nobody crashes, and every message arrives. While some process is in an election, the next suspicion begins another one: the group is never without one for as long as a second. The run has no end of its own: it is cut off after ten minutes. Where bounds are kept there is no election but the first.',
      },
    },
  }
}

/** Election messages to the highest member in each of ten minutes, and the longest time with all of five processes in none; latencies are up to so many times the bound of 5 ms. */
function asynchronous(setup: Setup, times: number) {
  const world = worldOf(setup, 'bully-as-printed', {
    members: 5,
    seed: setup.seed,
    detector: ping,
    network: { latency: { kind: 'uniform', minUs: 1000, maxUs: 5000 * times } },
    timing: { messageMs: 5.001 },
  })
  let elections = 0
  observe(world, {
    sent: ({ to, message: { type } }) => {
      if (type === 'election' && to === 5) elections += 1
    },
  })
  let [quietSince, longestUs] = [NaN, 0]
  const counts = range(1, 10).map((minute) => {
    const before = elections
    world.stopAt(60_000_000 * minute)
    while (world.step()) {
      const isQuiet = world.states.slice(1).every(({ status }) => status === 'Norm')
      if (!isQuiet) quietSince = NaN
      else if (Number.isNaN(quietSince)) quietSince = world.now
      else longestUs = Math.max(longestUs, world.now - quietSince)
    }
    return elections - before
  })
  return { elections: counts, longestMs: longestUs / 1000 }
}

const { worstTime, timeouts, begin, each, worstElections, bestMessages, bestTime } = CLAIMS

export const experiments002: readonly Experiment[] = [
  {
    name: '002-costs',
    claims: [worstTime, timeouts, begin, each, worstElections, bestMessages, bestTime],
    measure: costs,
  },
  { name: '002-steps', claims: [CLAIMS.steps, CLAIMS.during], measure: fiveSteps },
  { name: '002-liveness', claims: [CLAIMS.livenessSync, CLAIMS.livenessAsync], measure: liveness },
]
