/** Tests properties that 001 claims: the detector sends only on request and the statechart is that of Figure 2 (simulator), Bully_FD is safe and live (checker). */
import { algorithm, node, int, oneOf, Random, record, union, type AnyState } from 'bellwether/core'
import { ping } from 'bellwether/detectors'
import { configure, World, type Fault, type Recorder, type Step } from 'bellwether/sim'
import type { Claim, Experiment, Findings, Setup } from '../harness/claim.ts'
import { range } from '../harness/elections.ts'
import { explore, holdsIn, shownCheck } from '../harness/exploration.ts'
import { judgeFact } from '../harness/judge.ts'

const CLAIMS = {
  onDemand: {
    id: '001-fd-on-demand',
    source: '001 §3',
    claim: 'The failure detector sends messages only when its client asks, never by itself.',
    published: '0 unasked messages',
    formula: '1 question and 1 answer for a request, nothing else',
  },
  statechart: {
    id: '001-statechart',
    source: '001 §4.2, Fig. 2',
    claim: 'Bully_FD’s statechart: seven transitions between Norm, Elec1, Elec2 and Wait.',
    published: '7 transitions on 8 events; Halt is taken in Norm',
    formula:
      'the printed code takes five more; Halt in every state, or the members could not even boot',
  },
  safety: {
    id: '001-safety',
    source: '001 §4.3, “safety”',
    claim: 'Always, any two processes in Norm have the same leader.',
    published: '□ (both Norm ⇒ equal ldr), proved',
    formula:
      'false as printed with one crash and one recovery; true with six corrections (B1, B3, B4, B6, B7, B9)',
  },
  liveness: {
    id: '001-liveness',
    source: '001 §4.3, “liveness”',
    claim: 'If there is no leader, one is elected in the end.',
    published: '¬Leader ⇒ ◇ Leader elected, proved',
    formula: 'false as printed with two crashes; true as corrected',
  },
} satisfies Record<string, Claim>

/** An algorithm without elections: one member requests a verdict about each of the others once. */
const asker = algorithm({
  name: 'asker',
  title: 'asks once',
  state: record({ status: oneOf('Norm'), leader: node, term: int(0, 0) }),
  messages: union({ nothing: {} }),
  timers: {},
  promises: { agreement: 'eventually', leader: 'any', termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: false, synchrony: true },
  handlers: (group) => ({
    start(_s, out) {
      if (out.me === 1) for (const peer of group.superiors(1)) out.request(peer)
    },
    message: () => undefined,
    settled: () => undefined,
  }),
})

function onDemand(): Findings {
  const n = 10
  const world = new World(configure({ algorithm: asker, members: n, detector: ping }))
  world.runUntil(1_000_000)
  const asked = world.messageCounts.sumOf('detector')
  world.runUntil(61_000_000)
  const unasked = world.messageCounts.sumOf('detector') - asked
  return {
    outcomes: {
      [CLAIMS.onDemand.id]: {
        measured: `${asked} messages for ${n - 1} requests, ${unasked} in the minute after`,
        figures: { asked, unasked },
        verdict: asked === 2 * (n - 1) ? judgeFact(unasked === 0, true) : 'unexplained',
        why: 'Also true of the other detectors: nothing is sent unless a request or a watch is open. Bully_FD itself asks about its leader all the time.',
      },
    },
  }
}

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
  const runs = setup.samples(600)
  for (const i of range(1, runs)) {
    const world = new World(configure(schedule(setup, setup.seed * 100_003 + i)))
    world.recorder = transitions
    world.runUntil(3_000_000)
  }
  const taken = [...transitions.taken].sort(([a], [b]) => (a < b ? -1 : 1))
  const printed = taken.filter(([name]) => PRINTED.includes(name)).length
  const more = taken.length - printed
  return {
    outcomes: {
      [CLAIMS.statechart.id]: {
        measured: `${printed} of ${PRINTED.length} printed events are taken, and ${more} that are not in the figure (${runs} random schedules)`,
        figures: { printed, more },
        verdict:
          printed === PRINTED.length && more === 5 ? 'holds with a correction' : 'unexplained',
        why: 'The figure shows Halt in Norm only. The printed code takes it in Elec1, Elec2 and Wait, too, and goes to Elec2 at once where i = 1. As shipped there is a fifth state, Elec3, which asks once more about the superiors.',
      },
    },
    tables: [
      {
        caption: `Transitions that Bully_FD as printed took in ${runs} random schedules of crashes and recoveries.`,
        rows: [
          ['transition', 'in Fig. 2', 'taken'],
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
  const start = { start: 'settled' } as const
  const unsafe = explore(setup, 'bully-fd-as-printed', { ...start, crashes: 1, recoveries: 1 })
  const stuck = explore(setup, 'bully-fd-as-printed', { ...start, crashes: 2 })
  const corrected = explore(setup, 'bully-fd', { ...start, crashes: 2, recoveries: 2 })
  const printedSafe = holdsIn(unsafe, 'agreement')
  const printedLive = holdsIn(stuck, 'the strongest leads')
  return {
    outcomes: {
      [CLAIMS.safety.id]: {
        measured: `as printed: ${shownCheck(unsafe)}; corrected, two crashes and two recoveries: ${shownCheck(corrected)}`,
        figures: {
          printedHolds: Number(printedSafe),
          steps: unsafe.counterexample?.steps.length ?? 0,
          correctedHolds: Number(corrected.ok),
          states: corrected.states,
        },
        verdict: corrected.ok ? judgeFact(printedSafe === true, false) : 'unexplained',
        why: 'The proof lets a recovered process take no part in the current election, but the printed one runs Stage 2 at once: two candidates halt the same third, both keep its Ack, and its leader is the one that asked first. Nobody ever repairs it, with a perfect detector and three processes.',
      },
      [CLAIMS.liveness.id]: {
        measured: `as printed, two crashes: ${shownCheck(stuck)}; corrected: ${shownCheck(corrected)}`,
        figures: {
          printedHolds: Number(printedLive),
          steps: stuck.counterexample?.steps.length ?? 0,
          correctedHolds: Number(corrected.ok),
        },
        verdict: corrected.ok ? judgeFact(printedLive === true, false) : 'unexplained',
        why: 'Stage 2 looks only at Acks: a candidate whose last missing junior is reported down waits for ever. The proof uses a broadcast “the leader is dead” that the algorithm does not have.',
      },
    },
  }
}

export const propertyExperiments: readonly Experiment[] = [
  { name: '001-detector', claims: [CLAIMS.onDemand], measure: onDemand },
  { name: '001-statechart', claims: [CLAIMS.statechart], measure: statechart },
  { name: '001-properties', claims: [CLAIMS.safety, CLAIMS.liveness], measure: checked },
]
