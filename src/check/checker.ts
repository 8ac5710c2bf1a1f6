/** A check from its options to its verdict. The caller sets the pace: `advance` until `done`. */
import { assert } from '../core/assert.ts'
import { LayoutOverflow } from '../core/packed-layout.ts'
import { findUnfulfilled, type Unfulfilled } from './judge/fairness.ts'
import { Budget, largestBudget } from './state/state-vector.ts'
import { Mode } from './state/local-states.ts'
import { completeOptions, type CheckConfig, type CheckOptions } from './options.ts'
import { ancestors, roundTrip, stepsAlong, stepsTo } from './search/path.ts'
import { Properties, type Property } from './judge/properties.ts'
import { Search, type Ending, type Progress } from './search/breadth-first.ts'
import { IdReuseError } from './reduction/id-freshness.ts'
import type { Transition } from './transitions/successors.ts'

export interface Judgement extends Property {
  /** null: the search ended before it could be told. */
  readonly holds: boolean | null
  /** How many states or steps break it, as far as the search went. */
  readonly broken: number
}

export interface Counterexample {
  readonly property: string
  readonly sentence: string
  /** A shortest way to where the property breaks: the last step breaks it. */
  readonly steps: readonly Transition[]
  /** Where the property is one of the end: what then happens again and again, for ever. */
  readonly loop: readonly Transition[]
  /** Found by the search that takes every step: there is no shorter one. */
  readonly shortest: boolean
}

export interface CheckResult {
  readonly config: CheckConfig
  /** Every promise holds in every state that there is. */
  readonly ok: boolean
  readonly complete: boolean
  readonly ending: Ending
  readonly states: number
  readonly transitions: number
  readonly depth: number
  readonly bytes: number
  readonly properties: readonly Judgement[]
  readonly counterexample: Counterexample | null
  /** Steps that were not followed because of a bound. */
  readonly cutOff: { readonly beyondMaxTerm: number; readonly beyondRoom: number }
  /** Ids were kept as they are, because what is made from a source was not always new; else null. */
  readonly idReuse: string | null
}

/** How far the full search looks for the shortest counterexample, once the reduced one has found one. */
const SECOND_LOOK = 2_000_000

const BUDGETS = [
  ['crashes', Budget.CRASHES],
  ['recoveries', Budget.RECOVERIES],
  ['mistakes', Budget.MISTAKES],
  ['drops', Budget.DROPS],
  ['duplicates', Budget.DUPLICATES],
  ['cuts', Budget.CUTS],
  ['resignations', Budget.RESIGNATIONS],
] as const

export class Checker {
  readonly config: CheckConfig
  done = false
  private search!: Search
  /** What the reduced search came to, while the full one looks for the shortest counterexample. */
  private reduced: CheckResult | null = null
  private outcome: CheckResult | null = null
  private properties!: Properties
  private idReuse: string | null = null
  private overflow: string | null = null

  constructor(given: CheckOptions) {
    this.config = completeOptions(given)
    const { members } = this.config
    for (const [name, shift] of BUDGETS) {
      const budget = this.config[name]
      const most = largestBudget(shift)
      assert(budget >= 0 && budget <= most, `${name} ${budget}: a budget is 0 to ${most}`)
    }
    assert(members >= 1 && members <= 7, 'the checker takes 1 to 7 members')
    this.begin(this.config, false)
  }

  get progress(): Progress {
    return this.search.progress
  }

  /** Works for a moment. */
  advance(): void {
    if (this.done) return
    if (this.search.ending !== null || this.overflow !== null) return this.conclude()
    this.guard(() => this.search.advance())
    const { search } = this
    // Draws leave what is not final with probability one; an idle answer is not drawn.
    if (search.skippedIdleAnswers && search.model.localStates.draws)
      this.restart(false, this.config.maxStates)
  }

  /** Ends the search where it is. */
  interrupt(): void {
    this.search.ending ??= 'interrupted'
    this.done = true
  }

  result(): CheckResult {
    const own = this.outcome ?? this.own()
    return this.reduced === null || own.counterexample !== null ? own : this.reduced
  }

  private conclude(): void {
    const found = this.own()
    if (this.search.reduction && this.overflow === null && found.counterexample !== null) {
      this.reduced = found
      return this.restart(false, Math.min(SECOND_LOOK, this.config.maxStates))
    }
    this.outcome = found
    this.done = true
  }

  /** What the present search came to. */
  private own(): CheckResult {
    const { search, properties, config } = this
    const ending = search.ending ?? 'interrupted'
    const cutOff = { beyondMaxTerm: search.beyondMaxTerm, beyondRoom: search.successors.overflows }
    // A bound that the user set is part of the question; one that was merely met is not.
    const bounded = cutOff.beyondRoom > 0 && config.maxInFlight === null
    const saw = ending === 'complete' && !bounded
    const unfulfilled = ending === 'complete' ? findUnfulfilled(search, properties.goals) : null
    const judgements = this.judgements(saw, ending === 'complete', unfulfilled)
    const counterexample = this.counterexample(unfulfilled)
    const { states, transitions, depth, bytes } = search.progress
    return {
      config,
      ok: saw && judgements.every(({ judged, holds }) => !judged || holds === true),
      complete: saw,
      ending,
      states,
      transitions,
      depth,
      bytes,
      properties: judgements,
      counterexample,
      cutOff,
      idReuse: this.idReuse,
    }
  }

  private begin(options: CheckConfig, exact: boolean): void {
    this.search = new Search(options, exact, (search) => {
      this.properties = new Properties(search)
      return this.properties
    })
    this.guard(() => this.search.begin())
  }

  private restart(reduction: boolean, maxStates: number): void {
    this.begin({ ...this.config, reduction, maxStates }, this.idReuse !== null)
  }

  /** A source that cannot be trusted makes the search begin again, with ids as they are. */
  private guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (error instanceof IdReuseError && this.idReuse === null) {
        this.idReuse = error.message
        this.begin(this.search.options, true)
      } else if (error instanceof LayoutOverflow) {
        this.overflow = error.message
        this.search.ending ??= 'states'
      } else throw error
    }
  }

  private judgements(saw: boolean, whole: boolean, unfulfilled: Unfulfilled | null): Judgement[] {
    const always = this.properties.violations.map(({ property, count }) => ({
      ...property,
      holds: count > 0 ? false : saw ? true : null,
      broken: count,
    }))
    const eventual: Judgement = {
      ...this.eventual,
      holds: unfulfilled !== null ? false : whole && saw ? true : null,
      broken: unfulfilled === null ? 0 : unfulfilled.members.length,
    }
    return [...always, eventual, ...this.sometimes(saw)]
  }

  private get eventual(): Property {
    const { promises } = this.config.algorithm
    const whom = promises.leader === 'highest' ? 'the strongest of them' : 'one of them'
    return {
      name: promises.leader === 'highest' ? 'the strongest leads' : 'agreement in the end',
      kind: 'eventually',
      sentence: `when faults cease, all up members follow ${whom}, for ever`,
      judged: true,
    }
  }

  /** Cases that must have occurred: not judged, but whoever reads "ok" should see that they did. */
  private sometimes(saw: boolean): Judgement[] {
    const { seen } = this.properties
    const { algorithm, resignations } = this.config
    const { cache, localStates } = this.search.model
    const statuses = new Set(
      localStates.all.filter(({ mode }) => mode === Mode.UP).map((l) => l.status),
    )
    const sometimes = (sentence: string, met: boolean): Judgement => ({
      name: sentence,
      kind: 'sometimes',
      sentence,
      judged: false,
      holds: met ? true : saw ? false : null,
      broken: 0,
    })
    const { shape } = algorithm.state.fields['status']
    const names = shape.type === 'oneOf' ? shape.names : []
    return [
      sometimes('somebody leads', seen.leader),
      sometimes('two members elect at once', seen.contest),
      sometimes('all agree after the last crash and recovery', seen.settledAfterFaults),
      ...(resignations === 0 ? [] : [sometimes('a leader resigns', cache.resigned)]),
      ...names.map((name) => sometimes(`somebody is in ${name}`, statuses.has(name))),
      ...algorithm.messages.types.map((type) =>
        sometimes(`${type} is handled`, cache.handled.has(type)),
      ),
    ]
  }

  private counterexample(unfulfilled: Unfulfilled | null): Counterexample | null {
    const { search } = this
    const shortest = !search.reduction
    const broken = this.properties.violations.find(
      ({ property, count }) => property.judged && count > 0,
    )
    if (broken !== undefined) {
      const { property, state, from } = broken
      const { name, sentence } = property
      if (from < 0) {
        const steps = stepsAlong(search, ancestors(search, state))
        return { property: name, sentence, steps, loop: [], shortest }
      }
      const steps = [
        ...stepsAlong(search, ancestors(search, from)),
        ...stepsTo(search, from, state, true),
      ]
      return { property: name, sentence, steps, loop: [], shortest }
    }
    if (unfulfilled === null) return null
    const { state, members } = unfulfilled
    const { name, sentence } = this.eventual
    const steps = stepsAlong(search, ancestors(search, state))
    const loop = stepsAlong(search, roundTrip(search, members, state))
    return { property: name, sentence, steps, loop, shortest }
  }
}

/** Checks to the end. */
export function check(given: CheckOptions): CheckResult {
  const checker = new Checker(given)
  while (!checker.done) checker.advance()
  return checker.result()
}
