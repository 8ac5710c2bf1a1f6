/** Tests what 004 (Hirata) claims of the Bully: messages in the best and the worst case, as printed and corrected, the worked example, and who bullies whom. */
import type { Fault, World } from 'bellwether/sim'
import { NONE, type NodeId, type OptionValues } from 'bellwether/core'
import type { Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import { constant, elect, observe, range, worldOf } from '../harness/elections.ts'
import { explore, shownCheck } from '../harness/exploration.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { brief, exponent } from '../harness/statistics.ts'
import { fact } from '../harness/verdict.ts'

const PERFORMANCE = '004 §3 “Performance analysis”'
const settings = { parameters: ['tm', 'sizes004'] } as const

const CLAIMS = {
  best: {
    id: '004-bully-best',
    source: PERFORMANCE,
    claim:
      'Best case: the second-highest notices, can immediately elect itself, and sends N − 2 coordinator messages.',
    published: 'N − 2, and nothing else',
    formula:
      'N − 2 if it knows that it is the highest of those up; as the four actions are printed, 1 Election and N − 1 broadcast',
    ...settings,
  },
  worst: {
    id: '004-bully-worst',
    source: `${PERFORMANCE}, “Bully Algorithm”; 004 §1 “Election”`,
    claim: 'Worst case: O(n²) messages, when the lowest first detects the failure.',
    published: 'O(n²)',
    formula:
      'n² − n if a process calls one election at a time (004 §1), n² − n − 1 corrected; by the four actions alone 3·2ⁿ⁻² + n − 3 with long time-outs, more with short ones (T-e)',
    tolerance: 0.1,
    parameters: [...settings.parameters, 'actionSizes', 'actionTimeOuts'],
  },
  actions: {
    id: '004-bully-actions',
    source:
      '004 §3 “Coordinator election”, “Failure detection”, “Bully Algorithm”; 004 §1 “Election”',
    claim:
      'If the coordinator fails, the four actions select the process with the highest ID number.',
    published: 'the highest, for every n',
    formula:
      'the highest if the time-outs are long enough; by action 4 alone, “and starts new election”, that takes 3·2ⁿ⁻² + n − 3 messages, and with the shortest time-outs there is no end at n = 8 within 60,000 (T-e)',
    parameters: [...settings.parameters, 'actionSizes', 'actionTimeOuts'],
  },
  several: {
    id: '004-concurrent-elections',
    source: '004 §1 “Election”',
    claim: 'In principle the N processes can call N concurrent elections.',
    published: 'they can (read: and one leader comes of it)',
    formula:
      'one leader with each of the three; of the Bully by action 4 alone, too, with far more messages (T-e)',
    parameters: ['tm'],
  },
  example: {
    id: '004-bully-example',
    source: '004 §3 “Example”',
    claim:
      'Process 4 holds an election; 5 and 6 respond, telling 4 to stop; now 5 and 6 each holds an election.',
    published: '5 and 6 respond, and hold elections',
    formula: 'the same',
    parameters: ['tm'],
  },
  takesOver: {
    id: '004-bully-comes-online',
    source: '004 §3 “Bully Algorithm”',
    claim:
      'A process with a higher ID bullies a lower one out of the coordinator position as soon as it comes online.',
    published: 'always, as soon as it is back',
    formula:
      'always: the lower one yields; but a third process may go on following the lower one, whose victory arrives last (T-a)',
    parameters: ['comesBack', 'calm', 'noticed', 't1', 'victory', 'members'],
  },
} satisfies Record<string, Claim>

/** ms: a bound is a microsecond longer than every message takes. */
const GRAIN = 0.001
const SIZES = PARAMETERS.sizes004.value
const PRINTED = 'bully-as-printed'
const FORM = { form: '004' }
/** 004 §1: “An individual process does not call more than one election at a time.” */
const ONE = { ...FORM, elections: 'one' }

/** The highest is dead, and all detectors know. */
const dead = (n: number, options: OptionValues = {}) => {
  return { members: n, down: [n], knownDown: [n], network: constant(PARAMETERS.tm.value), options }
}

function costs(setup: Setup): Findings {
  const best = (
    algorithm: string,
    options: OptionValues,
    formula: (n: number) => number,
    reading?: string,
  ): Run => {
    const cases = SIZES.map((n) => {
      const { messages } = elect(setup, algorithm, { ...dead(n, options), initiators: [n - 1] })
      return { published: n - 2, measured: messages, formula: formula(n) }
    })
    const shown = `${cases.at(-1)!.measured} messages at N = ${SIZES.at(-1)}`
    return reading === undefined
      ? { algorithm, shown, cases }
      : { algorithm, reading, shown, cases }
  }
  const bests = [
    best(PRINTED, FORM, (n) => n, 'actions 1 to 4'),
    best(PRINTED, { ...FORM, highest: 'up' }, (n) => n - 2, '“it can immediately elect itself”'),
    best('bully', {}, (n) => n - 1),
  ]
  const corrected = SIZES.map(
    (n) => elect(setup, 'bully', { ...dead(n), initiators: [1] }).messages,
  )
  const alone = PARAMETERS.actionTimeOuts.value.map((times) =>
    PARAMETERS.actionSizes.value.map((n) => ({ times, ...bounded(setup, n, FORM, times) })),
  )
  const single = SIZES.map((n) => bounded(setup, n, ONE))
  const growth = exponent(SIZES.slice(2).map((n, i) => [n, corrected[i + 2]]))
  const singleGrowth = exponent(single.slice(2).map(({ n, messages }) => [n, messages]))
  type Alone = (typeof alone)[number][number]
  const timeOuts = ({ times }: Alone): string => `time-outs of ${2 * times}·Tm and ${4 * times}·Tm`
  const messagesOf = (ran: readonly Alone[]): string => {
    const counts = ran.map(
      ({ messages, isOver }) => `${messages.toLocaleString('en')}${isOver ? '' : ' (no end)'}`,
    )
    return `${counts.join(', ')} messages at n = ${ran.map(({ n }) => n).join(', ')}`
  }
  const growthOf = (ran: readonly (readonly [n: number, messages: number])[]): number =>
    exponent(ran.slice(-3))
  const isRight = ({ n, isOver, leader }: Bounded): boolean => isOver && leader === n - 1
  return {
    outcomes: {
      [CLAIMS.best.id]: {
        runs: bests,
        figures: {
          printed: bests[0].cases.at(-1)!.measured,
          knowing: bests[1].cases.at(-1)!.measured,
        },
        why: 'As action 1 is printed, the second-highest first asks the dead coordinator, and then “broadcasts victory”, to the dead one, too. “It can immediately elect itself” needs to know that it is the highest.',
      },
      [CLAIMS.worst.id]: {
        runs: [
          ...alone.map((ran): Run => {
            const hasEnded = ran.every(({ isOver }) => isOver)
            const measured = hasEnded ? growthOf(ran.map((one) => [one.n, one.messages])) : NaN
            const cascade = growthOf(ran.map(({ n }) => [n, 3 * 2 ** (n - 2) + n - 3]))
            const given = { published: 2, measured }
            return {
              algorithm: PRINTED,
              reading: `actions 1 to 4, ${timeOuts(ran[0])}`,
              shown: messagesOf(ran),
              cases: [ran[0].times < 3 ? given : { ...given, formula: cascade }],
            }
          }),
          {
            algorithm: PRINTED,
            reading: 'actions 1 to 4 under 004 §1: one election at a time',
            shown: `${single.at(-1)!.messages.toLocaleString('en')} messages at n = ${SIZES.at(-1)}; they grow as n^${singleGrowth.toFixed(2)} from n = ${SIZES[2]} on`,
            cases: [{ published: 2, measured: singleGrowth, formula: 2 }],
          },
          {
            algorithm: 'bully',
            shown: `${brief(corrected.at(-1)!)} messages at n = ${SIZES.at(-1)}; they grow as n^${growth.toFixed(2)} from n = ${SIZES[2]} on`,
            cases: [{ published: 2, measured: growth, formula: 2 }],
          },
        ],
        figures: Object.fromEntries([
          ...alone.flatMap((ran) =>
            ran.map(({ n, times, messages }) => [`printed${n}x${times}`, messages] as const),
          ),
          ['single', single.at(-1)!.messages],
          ['corrected', corrected.at(-1)!],
        ]),
        why: 'Action 4, “and starts new election”, has no “unless it has already done so”: read without 004 §1, “an individual process does not call more than one election at a time”, each Election that arrives begins another one: about 2ⁿ messages if nothing elapses meanwhile, more if a time-out begins an election before (`004-bully-actions`). Corrected, exactly n² − n − 1: n(n−1)/2 Elections, (n−1)(n−2)/2 OKs, n−2 Coordinators; as printed one more, since victory is broadcast to the dead one, too.',
      },
      [CLAIMS.actions.id]: {
        runs: [
          ...alone.map((ran): Run => {
            return {
              algorithm: PRINTED,
              reading: `actions 1 to 4 alone, ${timeOuts(ran[0])}`,
              shown: `${messagesOf(ran)}: the highest in ${ran.filter(isRight).length} of ${ran.length} groups`,
              cases: ran.map((one) => fact(isRight(one), one.times > 1 || one.n < 8)),
            }
          }),
          {
            algorithm: PRINTED,
            reading: 'actions 1 to 4 under 004 §1: one election at a time',
            shown: `the highest in ${single.filter(isRight).length} of ${single.length} groups of 4 to ${SIZES.at(-1)}`,
            cases: single.map((one) => fact(isRight(one), true)),
          },
        ],
        figures: {
          alone: alone[0].filter(isRight).length,
          single: single.filter(isRight).length,
        },
        why: 'Every message takes Tm; the lowest notices. By action 4 alone each Election begets another: about 2ⁿ messages. The highest is elected if the time-outs are longer than that takes; with the shortest ones, 2·Tm and 4·Tm, eight processes do not agree within 60,000 messages. Action 3 says “a certain amount of time”, so longer ones are in the text. Under §1, which stands above the actions, the shortest ones will do.',
      },
      [CLAIMS.several.id]: concurrent(setup),
    },
  }
}

interface Bounded {
  readonly n: number
  readonly messages: number
  readonly isOver: boolean
  readonly leader: NodeId
}

/** How many messages, whether they come to an end, and who leads then; the lowest notices. Time-outs are so many times as long. */
function bounded(setup: Setup, n: number, options: OptionValues, times = 1): Bounded {
  const messageMs = times * PARAMETERS.tm.value + GRAIN
  const world = worldOf(setup, PRINTED, {
    ...dead(n, options),
    initiators: [1],
    timing: { messageMs },
  })
  const isOver = runsOut(world)
  const leader = world.monitors.agreed
  return {
    n,
    messages: world.messageCounts.sumOf('election'),
    isOver: isOver && leader !== NONE,
    leader,
  }
}

/** All processes call an election at once. */
function concurrent(setup: Setup): Findings['outcomes'][string] {
  const sizes = [3, 5, 8, 12]
  const run = (algorithm: string, reading: string | undefined, leaders: readonly number[]): Run => {
    const right = leaders.filter((leader, i) => leader === sizes[i]).length
    const shown = `the highest leads in ${right} of ${sizes.length} groups of ${sizes.join(', ')}`
    const cases = leaders.map((leader, i) => fact(leader === sizes[i], true))
    return reading === undefined
      ? { algorithm, shown, cases }
      : { algorithm, reading, shown, cases }
  }
  const network = constant(PARAMETERS.tm.value)
  const ringLeaders = (name: string): number[] =>
    sizes.map((members) => elect(setup, name, { members, network }).leader)
  const [single, alone] = [ONE, FORM].map((options) =>
    sizes.map((members) => elect(setup, PRINTED, { members, network, options })),
  )
  const led = (elections: typeof single): number[] => elections.map(({ leader }) => leader)
  const sent = (elections: typeof single): string =>
    `${elections.map(({ messages }) => messages.toLocaleString('en')).join(', ')} messages`
  const runs = [
    run('chang-roberts-as-printed', undefined, ringLeaders('chang-roberts-as-printed')),
    run('ring-as-printed', undefined, ringLeaders('ring-as-printed')),
    run(PRINTED, 'form 004, one election at a time (004 §1)', led(single)),
    run(PRINTED, 'form 004, actions 1 to 4 alone', led(alone)),
  ]
  return {
    runs,
    figures: { right: runs.flatMap(({ cases }) => cases.filter((c) => c.measured === 1)).length },
    why: `All are up and start at once, and nobody fails. The sentence before it, one election at a time for each process, is not needed for that: with it the Bully sends ${sent(single)}, by its actions alone ${sent(alone)}.`,
  }
}

/** Runs until nothing is under way, or a great many messages have been sent. */
function runsOut(world: World): boolean {
  while (world.messageCounts.total < 60_000) {
    const until = world.now + 1000
    world.runUntil(until)
    if (world.isQuiet) return true
  }
  return false
}

/** Groups in which the highest crashes and comes back at each moment of the election of the next one. */
function bullied(setup: Setup, options: OptionValues): boolean[] {
  const [moments, smallest, greatest] = PARAMETERS.comesBack.value
  const [least, most] = PARAMETERS.calm.value
  const latency = { kind: 'uniform', minUs: 1000 * least, maxUs: 1000 * most } as const
  return range(smallest, greatest).flatMap((n) =>
    range(1, setup.samples(moments)).map((ms) => {
      const faults: Fault[] = [
        { kind: 'crash', node: n, at: 1_000_000 },
        { kind: 'recover', node: n, at: 1_000_000 + 1000 * ms },
      ]
      const given = { members: n, seed: setup.seed + ms, initiators: [], faults, options }
      const { states } = elect(setup, PRINTED, { ...given, network: { latency } }).world
      return states[n].leader === n && states.every((one, id) => id === n || one?.leader !== id)
    }),
  )
}

function behaviour(setup: Setup): Findings {
  const told: Record<string, number[]> = { ok: [], election: [] }
  const world = worldOf(setup, PRINTED, { ...dead(7, FORM), initiators: [4] })
  observe(world, {
    sent: ({ from, to, message: { type } }) => {
      if (world.now <= 1000 && type === 'ok' && to === 4) told['ok'].push(from)
      if (world.now <= 1000 && type === 'election' && from > 4) told['election'].push(from)
    },
  })
  world.runUntilQuiet(10_000_000)
  const holders = [...new Set(told['election'])]
  const comesOnline = [
    { reading: 'form 004, one election at a time (004 §1)', right: bullied(setup, ONE) },
    { reading: 'form 004, actions 1 to 4 alone', right: bullied(setup, FORM) },
  ]
  const back = explore(setup, PRINTED, {
    start: 'settled',
    crashes: 1,
    recoveries: 1,
    options: FORM,
  })
  const one = (claim: Claim, shown: string, cases: Run['cases'], why: string) => ({
    [claim.id]: {
      runs: [{ algorithm: PRINTED, reading: 'form 004', shown, cases }],
      figures: { first: cases[0].measured },
      why,
    },
  })
  return {
    outcomes: {
      ...one(
        CLAIMS.example,
        `${told['ok'].join(' and ')} respond to 4, ${holders.join(' and ')} hold elections; process ${world.monitors.agreed} wins`,
        [fact(told['ok'].join() === '5,6', true), fact(holders.join() === '5,6', true)],
        'How many processes there are, which of them are down, and who wins is in pictures, which are not in the text. Here are seven, the highest of which is down.',
      ),
      [CLAIMS.takesOver.id]: {
        runs: [
          ...comesOnline.map(({ reading, right }) => ({
            algorithm: PRINTED,
            reading,
            shown: `the lower one has yielded, and the higher one leads, in ${right.filter(Boolean).length} of ${right.length} groups, back 1, 2, … ms after its crash`,
            cases: right.map((isRight) => fact(isRight, true)),
          })),
          {
            algorithm: PRINTED,
            reading: 'form 004, whether all others follow the higher one, too',
            shown: `every interleaving of three: ${shownCheck(back)}`,
            cases: [fact(back.ok, false)],
            beside: true,
          },
        ],
        figures: { yields: comesOnline[0].right.filter(Boolean).length, followed: Number(back.ok) },
        why: 'It announces itself at once, and the one that led in its absence gives up the position. If a victory of that one is still under way to a third process and arrives last, the third goes on following it: the sentence does not speak of others.',
      },
    },
  }
}

const { best, worst, actions, several, example, takesOver } = CLAIMS

export const bullyExperiments: readonly Experiment[] = [
  { name: '004-bully', claims: [best, worst, actions, several], measure: costs },
  {
    name: '004-behaviour',
    claims: [example, takesOver],
    measure: behaviour,
  },
]
