/**
 * Runs a check from its options to its result, and repeats the search where its reductions do not apply: `Checker`
 * works in slices (`advance` until `done`), `check` runs to the end.
 */
import { assert } from '../core/assert.ts'
import { LayoutOverflow } from '../core/packed-layout.ts'
import { Properties } from './judge/properties.ts'
import { resultOf, type CheckResult } from './judge/verdict.ts'
import { completeOptions, type CheckConfig, type CheckOptions } from './options.ts'
import { IdReuseError } from './reduction/id-freshness.ts'
import { BreadthFirstSearch, type Progress } from './search/breadth-first.ts'
import { help, type Helpers, type SearchToHelp } from './search/helper.ts'
import { BUDGET_FIELDS, MAX_BUDGET } from './state/state-vector.ts'

/** The limit of the full search for a shortest counterexample, after the reduced search has found one. */
const MAX_STATES_FOR_SHORTEST = 2_000_000

export class Checker {
  readonly config: CheckConfig
  done = false
  private search!: BreadthFirstSearch<Properties>
  /** The result of the reduced search, while the full one looks for a shortest counterexample. */
  private reduced: CheckResult | null = null
  private final: CheckResult | null = null
  private idReuse: string | null = null
  private readonly helpers: Helpers | null

  /** `helpers`: threads that help with a large search; null: there are none. */
  constructor(options: CheckOptions, helpers: Helpers | null = null) {
    this.helpers = helpers
    this.config = completeOptions(options)
    for (const [name] of BUDGET_FIELDS) {
      const budget = this.config[name]
      const isValid = budget >= 0 && budget <= MAX_BUDGET
      assert(isValid, `${name} ${budget}: a budget is 0 to ${MAX_BUDGET}`)
    }
    const { members } = this.config
    assert(members >= 1 && members <= 7, 'the checker takes 1 to 7 members')
    this.begin(this.config)
  }

  get progress(): Progress {
    return this.search.progress
  }

  /** Works for some milliseconds. */
  advance(): void {
    if (this.done) return
    if (this.search.ending !== null) return this.conclude()
    this.attempt(() => this.search.advance())
    const { search, config } = this
    // A run leaves a component by a draw with probability one, but not by an idle answer.
    if (search.skippedIdleAnswers && search.model.localStates.draws) {
      this.begin({ ...config, reduction: false })
    }
  }

  interrupt(): void {
    this.search.ending ??= 'interrupted'
    this.search.stop()
    this.done = true
  }

  result(): CheckResult {
    const result = this.final ?? this.currentResult()
    return this.reduced === null || result.counterexample !== null ? result : this.reduced
  }

  private conclude(): void {
    const result = this.currentResult()
    if (this.search.config.reduction && result.counterexample !== null) {
      this.reduced = result
      const maxStates = Math.min(MAX_STATES_FOR_SHORTEST, this.config.maxStates)
      return this.begin({ ...this.config, reduction: false, maxStates })
    }
    this.final = result
    this.done = true
  }

  private currentResult(): CheckResult {
    return resultOf(this.search, this.search.observer, this.config, this.idReuse)
  }

  private begin(config: CheckConfig): void {
    this.search?.stop()
    this.search = new BreadthFirstSearch(
      config,
      this.idReuse !== null,
      (search) => new Properties(search),
      this.helpers,
    )
    this.attempt(() => this.search.begin())
  }

  /** If a handler may create an id twice, the search restarts with exact ids. */
  private attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (error instanceof IdReuseError && this.idReuse === null) {
        this.idReuse = error.message
        this.begin(this.search.config)
      } else if (error instanceof LayoutOverflow) this.search.ending ??= 'states'
      else throw error
    }
  }
}

/** Helps a check in another thread, until the search ends. */
export function helpWith(search: SearchToHelp): void {
  help(search, (observed) => new Properties(observed))
}

export function check(options: CheckOptions): CheckResult {
  const checker = new Checker(options)
  while (!checker.done) checker.advance()
  return checker.result()
}
