/** What the page and its worker say to each other. Members are labels here, as people call them; 0 is nobody. */
import type { Assumptions, Promises, Purpose } from '../../../src/core/algorithm.ts'
import type { Difference } from '../../../src/core/schema.ts'
import type { Diagram } from '../../../src/diagram/diagram.ts'
import type { Settings, Step, Summary } from '../../../src/sim/index.ts'

export type { Settings, Diagram }

/** What the page knows about an algorithm. */
export interface AlgorithmInfo {
  readonly name: string
  readonly title: string
  readonly specimen: boolean
  readonly topology: 'complete' | 'ring'
  /** Whether its leaders can be told to step down. */
  readonly resigns: boolean
  readonly statuses: readonly string[]
  /** The fields of its state, in order. */
  readonly fields: readonly { readonly name: string; readonly stable: boolean }[]
  readonly messages: readonly string[]
  readonly purposes: Readonly<Record<string, Purpose>>
  readonly timers: readonly string[]
  readonly promises: Promises
  readonly assumes: Assumptions
}

export interface AlgorithmCatalogue {
  readonly algorithms: readonly AlgorithmInfo[]
  readonly detectors: readonly string[]
}

/** What a member waits for. */
export interface Waits {
  /** Armed timers: name, and when each is due (steps have no clock: −1). */
  readonly timers: readonly (readonly [name: string, due: number])[]
  /** Of whom it has asked its detector, and whom it watches. */
  readonly asks: readonly number[]
}

export interface SentMessage {
  readonly to: number
  readonly text: string
  readonly type: string
  readonly purpose: Purpose | 'election' | 'detector'
  readonly lost: string | null
}

/** One step of a run. */
export interface RunStep {
  readonly at: number
  readonly kind: Step['kind']
  /** Whose step it is; 0: the world's. */
  readonly node: number
  /** The other member that it is about: a sender, a suspect; 0: none. */
  readonly peer: number
  /** What the algorithm sees: a message's type, a timer's name, `start`, `up`, `down`. */
  readonly event: string
  /** The fault, as in a setting: `crash`, `5@60ms`. */
  readonly fault: readonly [key: string, value: string] | null
  /** The step as in a trace. */
  readonly text: string
  /** The step in a sentence. */
  readonly why: string
  readonly changes: readonly Difference[]
  readonly sendings: readonly SentMessage[]
  readonly violations: readonly string[]
  readonly waits: Waits | null
}

/** A whole run: everything that the page shows can be computed from this, for every moment. */
export interface Run {
  readonly key: number
  readonly mode: 'timed' | 'stepped'
  /** The settings that lead to this run, complete; those of a stepped trace. */
  readonly settings: Settings
  readonly algorithm: AlgorithmInfo
  readonly members: number
  readonly strongest: 'highest' | 'lowest'
  /** Labels in ring order. */
  readonly ring: readonly number[]
  /** Fields of each member before the first step, by label − 1. */
  readonly initial: readonly Readonly<Record<string, string>>[]
  readonly down: readonly number[]
  /** Whether everybody is up but has not started at 0. */
  readonly boots: boolean
  readonly steps: readonly RunStep[]
  readonly diagram: Diagram
  readonly summary: Summary | null
  /** Of the text of the trace: the same as the command line's. */
  readonly hash: string
  /** The step at which to stop: the first that broke a promise, or the one a checker marked; −1: none. */
  readonly stop: number
  /** What a checker said about it. */
  readonly remark: string
  /** Where a trace that was read and the run differ. */
  readonly difference: { line: number; read: string; computed: string } | null
}

export interface Speed {
  readonly events: number
  readonly ms: number
}

/** A question and its answer. */
export interface WorkerQuestions {
  catalogue: { ask: null; answer: AlgorithmCatalogue }
  run: { ask: Settings; answer: Run }
  trace: { ask: string; answer: Run }
  /** The text of a run's trace. */
  text: { ask: number; answer: string }
  /** A run as a space-time diagram. */
  svg: { ask: number; answer: string }
  /** How fast the simulation is here. */
  speed: { ask: { readonly events: number; readonly recorded: boolean }; answer: Speed }
}
export type Topic = keyof WorkerQuestions
export interface WorkerQuestion<T extends Topic = Topic> {
  readonly id: number
  readonly topic: T
  readonly ask: WorkerQuestions[T]['ask']
}
export type WorkerAnswer =
  | { readonly id: number; readonly answer: unknown }
  /** A sentence that says what is wrong with the question. */
  | { readonly id: number; readonly error: string }
