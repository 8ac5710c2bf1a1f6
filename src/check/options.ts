/** What is searched, and within which budget. */
import type { Algorithm, OptionValues } from '../core/algorithm.ts'
import type { NodeId } from '../core/node-id.ts'

export interface CheckConfig {
  readonly algorithm: Algorithm
  readonly options: OptionValues
  readonly members: number
  /** Ring order; null: 1, 2, …, n. */
  readonly ring: readonly NodeId[] | null
  /** `boot`: all start at once. `settled`: all have long followed the strongest. */
  readonly start: 'boot' | 'settled'
  /** How many of each fault may happen, at any moment. */
  readonly crashes: number
  readonly recoveries: number
  readonly drops: number
  readonly duplicates: number
  readonly cuts: number
  /** How often a leader's host may want it to lead no longer, whomever it names. */
  readonly resignations: number
  /**
   * `perfect`: what it says was true at some moment after the latest request. `eventual`: besides, as many
   * times as `mistakes` it says that an up peer is down.
   */
  readonly detector: 'perfect' | 'eventual'
  readonly mistakes: number
  /** `sync`: messages and answers keep their bounds, so that a time-out proves something. */
  readonly timers: 'sync' | 'async'
  /** `fifo`: no message overtakes another of its link. */
  readonly order: 'fifo' | 'any'
  /** How far counters may spread; null: as far as the table can hold. */
  readonly maxTerm: number | null
  /** How many messages a link may hold; null: as many as there is room for, and no fewer may be needed. */
  readonly maxInFlight: number | null
  /** Names of properties that are judged besides those that are promised. */
  readonly judge: readonly string[]
  /** A status in which at most one up member may be; null: none is. */
  readonly single: string | null
  /** Answers that change nothing are no steps (idle-answers.ts), dead letters not under way (dead-letters.ts). */
  readonly reduction: boolean
  readonly maxStates: number
  readonly maxBytes: number
}

export type CheckOptions = Partial<CheckConfig> & Pick<CheckConfig, 'algorithm' | 'members'>

export const DEFAULT_MAX_BYTES = 8 * 2 ** 30

export function completeOptions(given: CheckOptions): CheckConfig {
  return {
    ring: null,
    start: 'boot',
    crashes: 0,
    recoveries: 0,
    drops: 0,
    duplicates: 0,
    cuts: 0,
    resignations: 0,
    detector: 'perfect',
    mistakes: 0,
    timers: 'sync',
    order: 'fifo',
    maxTerm: null,
    maxInFlight: null,
    judge: [],
    single: null,
    reduction: true,
    maxStates: Infinity,
    maxBytes: DEFAULT_MAX_BYTES,
    ...given,
    options: { ...given.algorithm.untimed, ...given.options },
  }
}
