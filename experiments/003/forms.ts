/** Defines the options of the printed and the corrected election of 003, in each form and reading, and runs single elections and votes with them. */
import type { OptionValues } from 'bellwether/core'
import type { World, Latency, Recorder } from 'bellwether/sim'
import type { Setup } from '../harness/claim.ts'
import { observe, range, runToAgreement, worldOf } from '../harness/elections.ts'
import { PARAMETERS } from '../harness/parameters.ts'

export const PRINTED = 'roulette-as-printed'
export const NODES = PARAMETERS.nodes.value
export const SURVIVORS = range(1, PARAMETERS.drawers.value)

/** `unoptimised` compares numbers and waits for all answers or the time-out; `optimised` takes the first majority. */
export type Form = 'unoptimised' | 'optimised'

interface Variant {
  readonly algorithm: string
  readonly reading?: string
  readonly options: Readonly<Record<Form, OptionValues>>
}

/** Rules 1, 4 and 6: a voter goes on to a new round where its candidate fails. */
export const CHARITABLE = { newRound: 'yes' } as const

/** Whether a dead node is among “all the nodes” that rule 2 waits for, or known to be down, as rule 9 says. */
export const VARIANTS: readonly Variant[] = [
  {
    algorithm: PRINTED,
    reading: 'all nodes are awaited (rule 2)',
    options: {
      unoptimised: { form: 'time-out', all: 'configured', ...CHARITABLE },
      optimised: { form: 'vote-once', ...CHARITABLE },
    },
  },
  {
    algorithm: PRINTED,
    reading: 'those up are awaited (rule 9)',
    options: {
      unoptimised: { form: 'time-out', all: 'up', ...CHARITABLE },
      optimised: { form: 'vote-once', ...CHARITABLE },
    },
  },
]

export const CORRECTED: Readonly<
  Record<Form, { readonly algorithm: string; readonly options: OptionValues }>
> = {
  unoptimised: { algorithm: 'roulette', options: {} },
  // 003 has no lease: without one the leader leads as soon as it is elected.
  optimised: { algorithm: 'roulette-majority', options: { leasePeriods: 0 } },
}

const [least, most] = PARAMETERS.calm.value
const CALM: Latency = { kind: 'uniform', minUs: 1000 * least, maxUs: 1000 * most }

export interface Conditions {
  readonly drawers: number
  readonly answersMs: number
  readonly latency: Latency
}

export const BASE: Conditions = {
  drawers: PARAMETERS.drawers.value,
  answersMs: PARAMETERS.answersMs.value,
  latency: CALM,
}

/** Runs until all agree; tells for whom others voted, and whether all candidates of a round gave up and none coordinated. */
export function holdVote(world: World, sent?: Recorder['sent']) {
  const votedFor = new Set<number>()
  let hasProposed = false
  let hasWinner = false
  let lost = false
  observe(world, {
    sent: (given) => {
      if (given.message.type === 'positive') votedFor.add(given.to)
      if (given.message.type === 'proposal') hasProposed = true
      sent?.(given)
    },
  })
  const stepped = (): void => {
    const statuses = SURVIVORS.map((id) => world.states[id].status)
    hasWinner ||= statuses.some((one) => one === 'coordinator' || one === 'leader')
    lost ||= hasProposed && !hasWinner && statuses.every((one) => one === 'basic')
  }
  runToAgreement(world, undefined, stepped)
  return { votedFor, isLost: () => lost }
}

export interface Timed {
  /** Since the survivors began to draw: until all of them name one leader. */
  readonly ms: number
  /** Until the first of them proposed itself. */
  readonly launchMs: number
}

/** One election of the survivors of a leader; with five drawers nobody is down. */
export function timedElection(
  setup: Setup,
  algorithm: string,
  options: OptionValues,
  i: number,
  { drawers, answersMs, latency }: Conditions = BASE,
): Timed {
  const down = range(drawers + 1, NODES)
  const world = worldOf(setup, algorithm, {
    members: NODES,
    seed: setup.seed * 1_000_003 + i,
    down,
    initiators: down.length > 0 ? range(1, drawers) : null,
    options,
    network: { latency },
    timing: { messageMs: answersMs / 2 },
  })
  let launchMs = NaN
  observe(world, {
    sent: ({ message: { type } }) => {
      if (type === 'proposal' && Number.isNaN(launchMs)) launchMs = world.now / 1000
    },
  })
  runToAgreement(world)
  return { ms: world.monitors.agreedSince / 1000, launchMs }
}
