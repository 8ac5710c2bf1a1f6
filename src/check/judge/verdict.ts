/**
 * Turns a finished search into the result of a check: judges liveness and reachability, and builds a judgement of each
 * property and a counterexample.
 */
import { statusesOf } from '../../core/algorithm.ts'
import type { CheckConfig } from '../options.ts'
import type { BreadthFirstSearch, Ending, Progress } from '../search/breadth-first.ts'
import { cycleThrough, pathTo, transitionsAlong, transitionsBetween } from '../search/path.ts'
import { Mode } from '../state/local-states.ts'
import type { Transition } from '../transitions/successors.ts'
import { findLivenessViolation, type LivenessViolation } from './liveness.ts'
import type { Properties, Property } from './properties.ts'

export interface Judgement extends Property {
  /** null: the search ended before it could be decided. */
  readonly holds: boolean | null
  /** The number of states or transitions that break it, as far as the search went. */
  readonly broken: number
}

export interface Counterexample {
  readonly property: string
  readonly sentence: string
  /** The transitions from the initial state to the violation. */
  readonly steps: readonly Transition[]
  /** For an `eventually` property: the cycle that repeats for ever. */
  readonly loop: readonly Transition[]
  /** Whether there is no shorter one: the search took every transition. */
  readonly shortest: boolean
}

export interface CheckResult extends Progress {
  readonly config: CheckConfig
  readonly ok: boolean
  readonly complete: boolean
  readonly ending: Ending
  readonly properties: readonly Judgement[]
  readonly counterexample: Counterexample | null
  readonly cutOff: { readonly beyondMaxTerm: number; readonly beyondRoom: number }
  /** Why ids were kept as they are: a handler may create an id twice. null: they were renamed. */
  readonly idReuse: string | null
}

export function resultOf(
  search: BreadthFirstSearch,
  properties: Properties,
  config: CheckConfig,
  idReuse: string | null,
): CheckResult {
  const ending = search.ending ?? 'interrupted'
  const beyondRoom = search.beyondRoom
  // A bound that the caller set is part of the question; the default capacity of links is not.
  const complete = ending === 'complete' && (beyondRoom === 0 || config.maxInFlight !== null)
  const trap = ending === 'complete' && !config.clocks ? findLivenessViolation(search) : null
  const judgementOf = (property: Property, broken: number): Judgement => {
    return { ...property, holds: broken > 0 ? false : complete ? true : null, broken }
  }
  const judgements = [
    ...properties.violations.map(({ property, count }) => judgementOf(property, count)),
    ...(config.clocks ? [] : [judgementOf(eventually(config), trap?.component.length ?? 0)]),
    ...sometimes(search, properties, complete),
  ]
  return {
    ...search.progress,
    config,
    ok: complete && judgements.every(({ judged, holds }) => !judged || holds === true),
    complete,
    ending,
    properties: judgements,
    counterexample: counterexampleOf(search, properties, trap),
    cutOff: { beyondMaxTerm: search.beyondMaxTerm, beyondRoom },
    idReuse,
  }
}

function eventually({ algorithm, changes, voters }: CheckConfig): Property {
  const members = changes > 0 || voters !== null ? ' of the newest configuration' : ''
  const { agreement, leader } = algorithm.promises
  const highest = leader === 'highest'
  if (agreement === 'in groups') {
    return {
      name: 'agreement in the end',
      kind: 'eventually',
      sentence:
        'when faults cease, the up members of each part of the network follow one of them, for ever',
      judged: true,
    }
  }
  return {
    name: highest ? 'the strongest leads' : 'agreement in the end',
    kind: 'eventually',
    sentence: `when faults cease, all up members${members} follow ${highest ? 'the strongest' : 'one'} of them, for ever`,
    judged: true,
  }
}

/** Situations that should have occurred. They are not judged: they show that "ok" is not vacuous. */
function sometimes(
  { model, config }: BreadthFirstSearch,
  { seen }: Properties,
  complete: boolean,
): Judgement[] {
  const { runner, localStates } = model
  const { algorithm, resignations, changes } = config
  const up = localStates.all.filter(({ mode }) => mode === Mode.UP)
  const reached = new Set(up.map(({ status }) => status))
  const situation = (sentence: string, occurred: boolean): Judgement => ({
    name: sentence,
    kind: 'sometimes',
    sentence,
    judged: false,
    holds: occurred ? true : complete ? false : null,
    broken: 0,
  })
  return [
    situation('a member leads', seen.leader),
    situation('two members elect at once', seen.contest),
    situation('all agree after the last crash and recovery', seen.settledAfterFaults),
    ...(changes === 0 ? [] : [situation('a leader changes the configuration', runner.changed)]),
    ...(resignations === 0 ? [] : [situation('a leader resigns', runner.resigned)]),
    ...statusesOf(algorithm).map((status) =>
      situation(`a member is in ${status}`, reached.has(status)),
    ),
    ...algorithm.messages.types.map((type) =>
      situation(`${type} is handled`, runner.handledTypes.has(type)),
    ),
  ]
}

function counterexampleOf(
  search: BreadthFirstSearch,
  { violations }: Properties,
  trap: LivenessViolation | null,
): Counterexample | null {
  const shortest = !search.config.reduction
  const broken = violations.find(({ property, count }) => property.judged && count > 0)
  if (broken !== undefined) {
    const { property, state, from } = broken
    const isState = from < 0
    const steps = transitionsAlong(search, pathTo(search, isState ? state : from))
    if (!isState) steps.push(...transitionsBetween(search, from, state, true))
    return { property: property.name, sentence: property.sentence, steps, loop: [], shortest }
  }
  if (trap === null) return null
  const { name, sentence } = eventually(search.config)
  const steps = transitionsAlong(search, pathTo(search, trap.state))
  const loop = transitionsAlong(search, cycleThrough(search, trap.component, trap.state))
  return { property: name, sentence, steps, loop, shortest }
}
