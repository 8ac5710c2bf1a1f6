/** Tests properties that 001 claims: the statechart is that of Figure 2 (simulator), Bully_FD is safe and live (checker). */
import type { CheckResult } from 'bellwether/check'
import { NONE, Random } from 'bellwether/core'
import type { AnyState, OptionValues } from 'bellwether/core'
import { configure, World, type Fault, type Recorder, type Step } from 'bellwether/sim'
import type { Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import { elect, range } from '../harness/elections.ts'
import { exploreForAny, holdsIn, shownCheck } from '../harness/exploration.ts'
import { LoneMember } from '../harness/lone-member.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { fact } from '../harness/verdict.ts'
import { GARCIA_MOLINA } from './messages.ts'

const CLAIMS = {
  statechart: {
    id: '001-statechart',
    source: '001 §4.2, its prose and the text on Fig. 2',
    claim:
      'A process is in Norm, Elec1, Elec2 or Wait: Norm → Elec1 on DownSig of the leader or NotNorm, Norm → Wait on Halt, Elec1 → Elec2, Elec2 → Norm, Wait → Norm, Wait → Elec1.',
    published: '4 states, and the transitions of the text',
    formula: 'all of them occur; the code takes five more, among them Halt in every state',
    parameters: ['schedules', 'calm'],
  },
  safetyFigure: {
    id: '001-safety-figure',
    source: '001 §4.3, “safety”, of the code of Fig. 1',
    claim: 'Always, any two processes in Norm have the same leader.',
    published: '□ (both Norm ⇒ equal ldr), proved',
    formula: 'false with one crash and one recovery; true as corrected',
    parameters: ['members'],
  },
  safetyProse: {
    id: '001-safety-prose',
    source: '001 §4.3, “safety”, of the prose of §4.2',
    claim:
      'Always, any two processes in Norm have the same leader: a recovered process waits for Norm?.',
    published: '□ (both Norm ⇒ equal ldr), proved',
    formula: 'true within two crashes and two recoveries: a recovered process takes no part',
    parameters: ['members'],
  },
  livenessFigure: {
    id: '001-liveness-figure',
    source: '001 §4.3, “liveness”, of the code of Fig. 1',
    claim: 'If there is no leader, one is elected in the end.',
    published: '¬Leader ⇒ ◇ Leader elected, proved',
    formula: 'true with one crash; false with two; true as corrected',
    parameters: ['members'],
  },
  livenessProse: {
    id: '001-liveness-prose',
    source: '001 §4.3, “liveness”, of the prose of §4.2',
    claim: 'If there is no leader, one is elected in the end, also where a process recovers.',
    published: '¬Leader ⇒ ◇ Leader elected, proved',
    formula:
      'true with one crash; false with two, and with a crash and a recovery of the leader, which waits for itself',
    parameters: ['members'],
  },
  bullyCrash: {
    id: '001-bully-crash',
    source: `001 §1; ${GARCIA_MOLINA}`,
    claim: 'The Bully copes with the crash of any process that runs it.',
    published: 'a leader all the same',
    formula:
      'true with a second time-out (002, 004), or if who waits notices again that the coordinator does not respond; else false (000 §3.1, T-b)',
    parameters: ['members'],
  },
  bullyRecovery: {
    id: '001-bully-recovery',
    source: `001 §1; ${GARCIA_MOLINA}`,
    claim: 'When a crashed process recovers, the Bully runs at once and a new leader is elected.',
    published: 'a new leader',
    formula:
      'true of the Bully of Garcia-Molina, which the sentence cites, and as corrected; not always of the texts of 000 §3.1, 002 and 004 (T-a)',
    parameters: ['members', 'calm', 'noticed'],
  },
  broadcast: {
    id: '001-tells-all',
    source: '001 §4.3, proof of liveness, of the code of Fig. 1',
    claim: 'The process that learns that there is no leader tells all live processes.',
    published: 'all are told',
    formula:
      'the highest live one tells the others by Halt; another one, which gives way to it, tells nobody',
  },
  everyone: {
    id: '001-norm-to-all',
    source: '001 §4.2, of the code of Fig. 1',
    claim: 'The leader periodically asks all live processes for their status with Norm?.',
    published: 'all live processes',
    formula:
      'true of the prose, which says so; the code asks greater(i), and so never a stronger one that has recovered',
  },
} satisfies Record<string, Claim>

const AGAIN = 'who waits notices again that the coordinator does not respond'

/** From 001 §4.2 and the text on Fig. 2, which itself is lost: from, to, and on what. */
const PRINTED = [
  'start → Elec1 on start',
  'Norm → Elec1 on down',
  'Norm → Elec1 on notNorm',
  'Elec1 → Elec2 on down',
  'Elec2 → Norm on ack',
  'Norm → Wait on halt',
  'Wait → Norm on ldr',
  'Wait → Elec1 on down',
]

/** Counts every transition that a run takes. */
class Transitions implements Recorder {
  readonly taken = new Map<string, number>()
  private before = ''
  private mark: unknown
  private seen: string | null = null

  step(_at: number, step: Step, state: AnyState | null): void {
    this.seen = eventOf(step)
    this.before = step.kind === 'start' ? 'start' : (state?.status ?? '')
    this.mark = state?.['mark']
  }

  done(state: AnyState | null): void {
    if (this.seen === null || state === null) return
    if (state.status === this.before && state['mark'] === this.mark) return
    const transition = `${this.before} → ${state.status} on ${this.seen}`
    this.taken.set(transition, (this.taken.get(transition) ?? 0) + 1)
  }

  sent(): void {}
  violated(): void {}
}

function eventOf(step: Step): string | null {
  if (step.kind === 'deliver') return step.part === 'election' ? step.message.type : null
  if (step.kind === 'timeout') return step.timer
  return step.kind === 'start' || step.kind === 'up' || step.kind === 'down' ? step.kind : null
}

function statechart(setup: Setup): Findings {
  const transitions = new Transitions()
  const runs = setup.samples(PARAMETERS.schedules.value)
  for (const i of range(1, runs)) {
    const world = new World(configure(schedule(setup, setup.seed * 100_003 + i)))
    world.recorder = transitions
    world.runUntil(3_000_000)
  }
  const taken = [...transitions.taken].sort(([a], [b]) => (a < b ? -1 : 1))
  const printed = taken.filter(([name]) => PRINTED.includes(name)).length
  const statuses = new Set(taken.flatMap(([name]) => [name.split(' ')[2]]))
  return {
    outcomes: {
      [CLAIMS.statechart.id]: {
        runs: [
          {
            algorithm: 'bully-fd-as-printed',
            shown: `${printed} of the ${PRINTED.length} events of the text are taken, in ${statuses.size} states, and ${taken.length - printed} others (${runs} random schedules)`,
            cases: [
              { published: 4, measured: statuses.size, formula: 4 },
              ...PRINTED.map((name) => fact(transitions.taken.has(name), true)),
            ],
          },
        ],
        figures: { printed, more: taken.length - printed },
        why: 'The figure itself is not in the text. Besides, the printed code takes Halt in Elec1, Elec2 and Wait, and goes to Elec2 at once where i = 1. As shipped there is a fifth state, Elec3, which asks once more about the superiors.',
      },
    },
    tables: [
      {
        caption: `Transitions that Bully_FD as printed took in ${runs} random schedules of crashes and recoveries.`,
        rows: [
          ['transition', 'in the text', 'taken'],
          ...taken.map(([name, times]) => [
            name,
            PRINTED.includes(name) ? 'yes' : 'no',
            String(times),
          ]),
        ],
      },
    ],
  }
}

/** Two to five members, crashes and recoveries close together so that elections meet. */
function schedule(setup: Setup, seed: number) {
  const random = new Random(seed)
  const members = 2 + random.below(4)
  const down = new Set<number>()
  let at = random.below(200_000)
  const faults: Fault[] = range(1, random.below(9)).map(() => {
    const node = 1 + random.below(members)
    const kind = down.has(node) ? 'recover' : 'crash'
    if (kind === 'crash') down.add(node)
    else down.delete(node)
    at += random.below(random.chance(0.7) ? 30_000 : 300_000)
    return { kind, node, at }
  })
  return { algorithm: setup.algorithm('bully-fd-as-printed'), members, seed, faults }
}

function checked(setup: Setup): Findings {
  const PRINTED_FD = 'bully-fd-as-printed'
  const from = (name: string, crashes: number, recoveries: number, options: OptionValues = {}) =>
    exploreForAny(setup, name, { start: 'settled', crashes, recoveries, options })
  const corrected = from('bully-fd', 2, 2)
  const of = (text: 'figure' | 'prose') => {
    const run = (crashes: number, recoveries: number) =>
      from(PRINTED_FD, crashes, recoveries, { text })
    return { one: run(1, 0), back: run(1, 1), two: run(2, 0), most: run(2, 2) }
  }
  const [figure, prose] = [of('figure'), of('prose')]
  const isSafe = (result: CheckResult) => holdsIn(result, 'agreement') === true
  const ours: Run = {
    algorithm: 'bully-fd',
    shown: `two crashes and two recoveries: ${shownCheck(corrected)}`,
    cases: [fact(corrected.ok, true)],
  }
  const printed = (reading: string, shown: string, cases: Run['cases']): Run => {
    return { algorithm: PRINTED_FD, reading, shown, cases }
  }
  const steps = (result: CheckResult): number => result.counterexample?.steps.length ?? 0
  return {
    outcomes: {
      [CLAIMS.safetyFigure.id]: {
        runs: [
          printed('text figure', `a crash and a recovery: ${shownCheck(figure.back)}`, [
            fact(isSafe(figure.back), false),
          ]),
          ours,
        ],
        figures: {
          holds: Number(isSafe(figure.back)),
          steps: steps(figure.back),
          states: corrected.states,
        },
        why: 'The proof lets a recovered process take no part in the current election, but the code runs Stage 1 at once: two candidates halt the same third, which acknowledges both; both count its Ack and lead, and it follows the one whose Halt came last. The detector is perfect, and there are three processes.',
      },
      [CLAIMS.safetyProse.id]: {
        runs: [
          printed(
            'text prose',
            `“agreement” holds in ${prose.back.states.toLocaleString('en')} states with a crash and a recovery, in ${prose.most.states.toLocaleString('en')} with two of each`,
            [fact(isSafe(prose.back), true), fact(isSafe(prose.most), true)],
          ),
          ours,
        ],
        figures: { states: prose.back.states, most: prose.most.states },
        why: 'As the proof says. It is not live, though: `001-liveness-prose`.',
      },
      [CLAIMS.livenessFigure.id]: {
        runs: [
          printed(
            'text figure',
            `one crash: ${shownCheck(figure.one)}; two: ${shownCheck(figure.two)}`,
            [fact(figure.one.ok, true), fact(figure.two.ok, false)],
          ),
          ours,
        ],
        figures: {
          one: Number(figure.one.ok),
          two: Number(figure.two.ok),
          steps: steps(figure.two),
        },
        why: 'Stage 2 looks only at Acks: a candidate whose last missing junior is reported down waits for ever. What a recovery leads to is not the lack of a leader, but disagreement: `001-safety-figure`.',
      },
      [CLAIMS.livenessProse.id]: {
        runs: [
          printed(
            'text prose',
            `one crash: ${shownCheck(prose.one)}; two: ${shownCheck(prose.two)}; a crash and a recovery: ${shownCheck(prose.back)}`,
            [fact(prose.one.ok, true), fact(prose.two.ok, false), fact(prose.back.ok, false)],
          ),
          ours,
        ],
        figures: {
          one: Number(prose.one.ok),
          two: Number(prose.two.ok),
          back: Number(prose.back.ok),
        },
        why: 'With two crashes as in Fig. 1: Stage 2 looks only at Acks. With a recovery: the leader crashes and is back before another process has noticed; it waits for a Norm? that no process sends, since it was the leader itself, and all others go on following it.',
      },
      ...bullyOutcomes(setup),
      ...messagesOutcomes(setup),
    },
  }
}

function bullyOutcomes(setup: Setup): Findings['outcomes'] {
  const run = (
    algorithm: string,
    reading: string | undefined,
    crashes: number,
    recoveries: number,
    expected: boolean,
    more: OptionValues = {},
  ): Run => {
    const options = reading === undefined ? {} : { form: reading.slice(5, 8), ...more }
    const found = exploreForAny(setup, algorithm, {
      start: 'settled',
      crashes,
      recoveries,
      options,
    })
    const one = { algorithm, shown: shownCheck(found), cases: [fact(found.ok, expected)] }
    return reading === undefined ? one : { ...one, reading }
  }
  const crash = [
    run('bully-as-printed', 'form 002', 2, 0, true),
    run('bully-as-printed', 'form 000', 2, 0, false),
    run('bully-as-printed', `form 000, ${AGAIN}`, 2, 0, true, { notices: 'again' }),
    run('bully-as-printed', 'form 004', 2, 0, true),
    {
      ...run('garcia-molina', undefined, 2, 0, true),
      reading: 'the Bully of Garcia-Molina, which the sentence cites',
    },
    run('bully', undefined, 2, 0, true),
  ]
  const recovery = [
    withGroups(setup, run('bully-as-printed', 'form 002', 1, 1, false)),
    withGroups(setup, run('bully-as-printed', 'form 000', 1, 1, false)),
    withGroups(setup, run('bully-as-printed', 'form 004', 1, 1, false)),
    {
      ...run('garcia-molina', undefined, 1, 1, true),
      reading: 'the Bully of Garcia-Molina, which the sentence cites',
    },
    run('bully', undefined, 1, 1, true),
  ]
  return {
    [CLAIMS.bullyCrash.id]: {
      runs: crash,
      figures: { form002: crash[0].cases[0].measured, form000: crash[1].cases[0].measured },
      why: 'The second crash may hit the process that is about to win. Step 1 of 001 §2 lets the process that finds it out tell all others, and each of these then begins an election; the forms differ in for how long a process waits that was answered, of which 001 says nothing. Its own step 4 has no time-out, as form 000, which copes if a process that waits notices that no coordinator comes.',
    },
    [CLAIMS.bullyRecovery.id]: {
      runs: recovery,
      figures: {
        form002: recovery[0].cases.at(-1)!.measured,
        form004: recovery[2].cases.at(-1)!.measured,
      },
      why: 'A new election runs. Where nobody is halted first, as in the texts of 002, 000 §3.1 and 004, a late Coordinator message of the deputy may arrive after the claim of the process that has come back, and is followed.',
    },
  }
}

/** Besides every interleaving of three: groups in which the strongest crashes and recovers once, in one run each. */
function withGroups(setup: Setup, explored: Run): Run {
  const sizes = range(3, 8)
  const led = sizes.map((n) => {
    const faults = [
      { kind: 'crash', node: n, at: 1_000_000 },
      { kind: 'recover', node: n, at: 3_000_000 },
    ] as const
    const options = { form: explored.reading!.slice(-3) }
    return elect(setup, explored.algorithm, { members: n, faults, options }).leader !== NONE
  })
  return {
    ...explored,
    shown: `a leader in ${led.filter(Boolean).length} of ${sizes.length} simulated groups of ${sizes[0]} to ${sizes.at(-1)!}, in which the strongest crashes at 1 s and is back at 3 s; every interleaving of three: ${explored.shown}`,
    cases: [...led.map((one) => fact(one, true)), ...explored.cases],
  }
}

/** Three processes; 3 is the strongest. */
function messagesOutcomes(setup: Setup): Findings['outcomes'] {
  const algorithm = setup.algorithm('bully-fd-as-printed')
  // Processes 1 and 2 are left. 2 is the highest: its detector reports 3 down, the leader and superior, and 1 up.
  const tells = (me: 1 | 2): number => {
    const one = new LoneMember(algorithm, me, 3).settled(3).down(3).down(3)
    if (me === 2) one.up(1)
    else one.up(2)
    return one.sent.filter(({ to }) => to !== me && to !== 3).length
  }
  const [lower, higher] = [tells(1), tells(2)]
  const asked = (text: 'figure' | 'prose'): Run => {
    const leader = new LoneMember(algorithm, 2, 3, { text }).settled(3).down(3).down(3).up(1)
    leader.hears(1, { type: 'ack', mark: leader.state['mark'] }).timeout('tau')
    const whom = leader.sent.filter(({ message }) => message.type === 'norm?').map(({ to }) => to)
    return {
      algorithm: algorithm.name,
      reading: `text ${text}`,
      shown: `leader 2 asks ${whom.join(' and ')}: of the live ones all while 3 is down, ${whom.includes(3) ? 'and' : 'not'} all once 3 has recovered`,
      cases: [fact(whom.includes(1), true), fact(whom.includes(3), text === 'prose')],
      // The specimen of the prose was written after this sentence: it proves nothing about it.
      ...(text === 'prose' ? { beside: true as const } : {}),
    }
  }
  const runs = [asked('figure'), asked('prose')]
  return {
    [CLAIMS.broadcast.id]: {
      runs: [
        {
          algorithm: algorithm.name,
          shown: `of two live processes the higher tells the other (${higher} Halt), the lower nobody (${lower} messages)`,
          cases: [
            { published: 1, measured: higher, formula: 1 },
            { published: 1, measured: lower, formula: 0 },
          ],
        },
      ],
      figures: { higher, lower },
      why: 'Three processes, the strongest of which has crashed. Read charitably, Halt tells. A process that is not the highest sends nothing to other processes: those learn it from their own detectors, if they ask. The algorithm has no other message for it.',
    },
    [CLAIMS.everyone.id]: {
      runs,
      figures: { figure: runs[0].cases[1].measured, prose: runs[1].cases[1].measured },
      why: 'Three processes; 3, the strongest, which 001 would number 1, crashes, 2 leads, and 3 comes back. greater(i) of the strongest live process are all other live ones, until a stronger one recovers. The code is printed, so it decides; the specimen of the prose stands beside.',
    },
  }
}

const { safetyFigure, safetyProse, livenessFigure, livenessProse } = CLAIMS
const { bullyCrash, bullyRecovery, broadcast, everyone } = CLAIMS

export const propertyExperiments: readonly Experiment[] = [
  { name: '001-statechart', claims: [CLAIMS.statechart], measure: statechart },
  {
    name: '001-properties',
    claims: [
      safetyFigure,
      safetyProse,
      livenessFigure,
      livenessProse,
      bullyCrash,
      bullyRecovery,
      broadcast,
      everyone,
    ],
    measure: checked,
  },
]
