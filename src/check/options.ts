/**
 * The options of a check (the model that is searched, its budget of faults, the limits of the search), and their
 * defaults.
 */
import type { Algorithm, OptionValues } from '../core/algorithm.ts'
import type { NodeId } from '../core/node-id.ts'

export interface CheckConfig {
  readonly algorithm: Algorithm
  readonly options: OptionValues
  readonly members: number
  /** Ring order; null: 1, 2, …, n. */
  readonly ring: readonly NodeId[] | null
  /** The first configuration; null: all members vote. Who is neither voter nor observer is outside. */
  readonly voters: readonly NodeId[] | null
  readonly observers: readonly NodeId[]
  /** Voters that never lead. */
  readonly witnesses: readonly NodeId[]
  /** Any leader may be asked to change the configuration until its version is this. */
  readonly changes: number
  /** `boot`: all members start at once. `settled`: all follow the strongest. */
  readonly start: 'boot' | 'settled'
  /** The budget: how many faults of each kind may happen, at any moment. */
  readonly crashes: number
  readonly recoveries: number
  /** Whether a member that recovers may have lost its stable fields. */
  readonly amnesia: boolean
  readonly drops: number
  readonly duplicates: number
  readonly cuts: number
  /** How often a leader may be asked to resign, with any successor or none. */
  readonly resignations: number
  /** `eventual`: besides true verdicts, the detector reports a reachable peer as down `mistakes` times. */
  readonly detector: 'perfect' | 'eventual'
  readonly mistakes: number
  /** `sync`: messages and verdicts keep their time bounds, so that a time-out proves something. */
  readonly timers: 'sync' | 'async'
  /** Members have clocks: leases and bonds last for their time, and deaths are proven. Only safety is judged. */
  readonly clocks: boolean
  /** With clocks: how often the time of a lease may pass; 0: without a bound. */
  readonly ticks: number
  readonly order: 'fifo' | 'any'
  /** The largest difference between counters, in strides; null: no bound. */
  readonly maxTerm: number | null
  /** The most messages on a link; null: 12, and the result is incomplete if that is too few. */
  readonly maxInFlight: number | null
  /** Names of properties that are judged besides those that the algorithm promises. */
  readonly judge: readonly string[]
  /** A status that at most one up member may have; null: not judged. */
  readonly single: string | null
  /** Leave out idle answers (idle-answers.ts) and obsolete messages (obsolete-messages.ts). */
  readonly reduction: boolean
  readonly maxStates: number
  readonly maxBytes: number
}

export type CheckOptions = Partial<CheckConfig> & Pick<CheckConfig, 'algorithm' | 'members'>

export function completeOptions(given: CheckOptions): CheckConfig {
  const clocked = given.clocks === true ? given.algorithm.clocked : {}
  return {
    ring: null,
    voters: null,
    observers: [],
    witnesses: [],
    changes: 0,
    start: 'boot',
    crashes: 0,
    recoveries: 0,
    amnesia: false,
    drops: 0,
    duplicates: 0,
    cuts: 0,
    resignations: 0,
    detector: 'perfect',
    mistakes: 0,
    timers: 'sync',
    clocks: false,
    ticks: 0,
    order: 'fifo',
    maxTerm: null,
    maxInFlight: null,
    judge: [],
    single: null,
    reduction: true,
    maxStates: Infinity,
    maxBytes: 8 * 2 ** 30,
    ...given,
    options: { ...given.algorithm.untimed, ...clocked, ...given.options },
  }
}
