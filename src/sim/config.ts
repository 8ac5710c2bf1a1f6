/**
 * The configuration of a run: its types and defaults, the time bounds derived from network and detector, and the
 * refusal of what cannot work. The same configuration gives the same trace, byte for byte.
 */
import { BellwetherError } from '../core/errors/bellwether-error.ts'
import { canChange, canResign, type Algorithm, type OptionValues } from '../core/algorithm.ts'
import type { Detector } from '../core/detector.ts'
import { Group, Labels, type Timing } from '../core/group.ts'
import type { NodeId } from '../core/node-id.ts'
import { problemWith, type Fault, type FaultKind } from './faults/fault-catalogue.ts'
import { showFault } from './faults/fault-text.ts'
import { boundUs, type Latency } from './network/latency.ts'

export interface NetworkConfig {
  /** 001 §4.5: all messages of a step leave at once, or the k-th leaves (k−1)·Tm later. */
  readonly send: 'multicast' | 'sequential'
  readonly latency: Latency
  /** Probabilities for each message: to be lost, to arrive twice, to overtake those in front of it. */
  readonly loss: number
  readonly duplicate: number
  readonly reorder: number
}

export interface SimConfig {
  readonly algorithm: Algorithm
  readonly options: OptionValues
  readonly members: number
  readonly labels: Labels
  readonly seed: number
  /** `perfect`: the simulator's own, which is never wrong. */
  readonly detector: Detector | 'perfect'
  /** How long the perfect detector takes to answer, and to notice a crash that it watches for. */
  readonly detection: { readonly minUs: number; readonly maxUs: number }
  /** How long a silent peer counts as up for other detectors; null: as long as the detector takes at least. */
  readonly silenceUs: number | null
  readonly timing: Timing
  readonly network: NetworkConfig
  readonly processingUs: number
  /** Ring order; null: 1, 2, …, n. */
  readonly ring: readonly NodeId[] | null
  /** The first configuration; null: all members vote. Who is neither voter nor observer is outside. */
  readonly voters: readonly NodeId[] | null
  readonly observers: readonly NodeId[]
  /** Voters that never lead. */
  readonly witnesses: readonly NodeId[]
  /** The members that are down from the beginning, and those of them on every detector's down list. */
  readonly down: readonly NodeId[]
  readonly knownDown: readonly NodeId[]
  /** null: all members boot at 0. Else all are settled, and only these get a report that the leader is down. */
  readonly initiators: readonly NodeId[] | null
  readonly faults: readonly Fault[]
  /** null: until quiet. */
  readonly untilUs: number | null
}

export type SimOptions = Partial<Omit<SimConfig, 'timing' | 'network' | 'algorithm' | 'members'>> &
  Pick<SimConfig, 'algorithm' | 'members'> & {
    readonly timing?: Partial<Timing>
    readonly network?: Partial<NetworkConfig>
  }

export const DEFAULT_NETWORK: NetworkConfig = {
  send: 'multicast',
  latency: { kind: 'uniform', minUs: 1000, maxUs: 5000 },
  loss: 0,
  duplicate: 0,
  reorder: 0,
}
export const DEFAULT_DETECTION = { minUs: 20_000, maxUs: 20_000 }
const DEFAULT_PERIOD_MS = 100

/** A configuration that cannot work. The message says what to change. */
export class SimConfigError extends BellwetherError {
  override readonly name = 'SimConfigError'
  readonly code = 'simulation'
  /** The setting that is wrong, and its value where it is one of several. */
  readonly key: 'period' | FaultKind
  readonly value: string | undefined

  constructor(key: 'period' | FaultKind, message: string, value?: string) {
    super(message)
    this.key = key
    this.value = value
  }
}

export function configure(given: SimOptions): SimConfig {
  const config = {
    options: {},
    labels: new Labels(given.members),
    seed: 1,
    detector: 'perfect' as const,
    ring: null,
    voters: null,
    observers: [],
    witnesses: [],
    down: [],
    knownDown: [],
    initiators: null,
    faults: [],
    untilUs: null,
    processingUs: 0,
    detection: DEFAULT_DETECTION,
    silenceUs: null,
    ...given,
    network: { ...DEFAULT_NETWORK, ...given.network },
  }
  const complete = { ...config, timing: timingOf(config, given.timing) }
  refuseImpossibleFaults(complete, complete.faults)
  return complete
}

/** Throws where the declaration of a fault says that it is impossible in this run. */
export function refuseImpossibleFaults(config: SimConfig, faults: readonly Fault[]): void {
  const { algorithm, members, timing, ring, options } = config
  let resigns: boolean | undefined
  let changes: boolean | undefined
  const conditions = {
    algorithm: algorithm.name,
    get canResign(): boolean {
      return (resigns ??= canResign(algorithm, new Group(members, timing, ring), options))
    },
    get canChange(): boolean {
      return (changes ??= canChange(algorithm, new Group(members, timing, ring), options))
    },
  }
  for (const fault of faults) {
    const problem = problemWith(fault, conditions)
    if (problem === null) continue
    throw new SimConfigError(fault.kind, problem, showFault(fault, config.labels)[1])
  }
}

export function leadersResign(algorithm: Algorithm): boolean {
  const { members, timing } = configure({ algorithm, members: 3 })
  return canResign(algorithm, new Group(members, timing))
}

/** Whether the members of a group can change while it runs. */
export function hasRegister(algorithm: Algorithm): boolean {
  const { members, timing } = configure({ algorithm, members: 3 })
  return canChange(algorithm, new Group(members, timing))
}

/** Derives the bounds that the caller does not set from the network and the detector. */
function timingOf(config: Omit<SimConfig, 'timing'>, given: Partial<Timing> = {}): Timing {
  const bounds = {
    messageMs: messageBoundUs(config.network, config.members) / 1000,
    processingMs: config.processingUs / 1000,
    detectionMs: (config.silenceUs ?? 0) / 1000,
    watchMs: 0,
    periodMs: DEFAULT_PERIOD_MS,
    ...given,
  }
  const { detector } = config
  const answerMs =
    detector === 'perfect'
      ? config.detection.maxUs / 1000
      : detector.answerMs(new Group(config.members, bounds))
  const periodMs = given.periodMs ?? Math.max(DEFAULT_PERIOD_MS, Math.ceil(2 * answerMs))
  // Who gives the bound of silence gives one that fits the algorithm, as a host does.
  if (periodMs <= answerMs && config.silenceUs === null)
    throw new SimConfigError('period', tooShort(detector, periodMs, answerMs))
  const watchMs =
    detector === 'perfect'
      ? answerMs
      : detector.watchMs(new Group(config.members, { ...bounds, periodMs }))
  return {
    ...bounds,
    detectionMs: given.detectionMs ?? answerMs,
    watchMs: given.watchMs ?? Math.max(watchMs, given.detectionMs ?? answerMs),
    periodMs,
  }
}

function tooShort(detector: Detector | 'perfect', periodMs: number, answerMs: number): string {
  const name = detector === 'perfect' ? detector : detector.name
  return (
    `the period (${periodMs} ms) must exceed the time in which the detector ${name} answers ` +
    `(${Number(answerMs.toFixed(3))} ms): a request repeated sooner would supersede the one before it for ever. ` +
    `Give a longer period, or a network with a smaller bound.`
  )
}

/** Tm: one microsecond more than a message can take, so that an answer arrives before its time-out. */
function messageBoundUs(network: NetworkConfig, members: number): number {
  const steps = network.send === 'sequential' ? Math.max(1, members - 1) : 1
  return steps * boundUs(network.latency) + 1
}
