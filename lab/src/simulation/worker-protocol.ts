/** The types of what the page asks its worker and of what the worker answers. Members are labels here; 0 is no member. */
import type { Promises } from '../../../src/core/algorithm.ts'
import type { Difference, Field } from '../../../src/core/schema.ts'
import type { Diagram } from '../../../src/diagram/diagram.ts'
import type { ArrowPurpose } from '../../../src/diagram/model.ts'
import type { Settings, Step, Summary } from '../../../src/sim/index.ts'

export type { Settings, Diagram }

/** What the page knows about a field of a state. */
interface FieldInfo extends Pick<Field, 'stable' | 'role' | 'stride'> {
  readonly name: string
  readonly type: Field['shape']['type']
}

/** What the page knows about an algorithm. */
export interface AlgorithmInfo {
  readonly name: string
  readonly title: string
  readonly specimen: boolean
  readonly topology: 'complete' | 'ring'
  /** Whether its leaders can resign. */
  readonly resigns: boolean
  /** Whether the members of a group can change while it runs. */
  readonly changes: boolean
  readonly statuses: readonly string[]
  /** The fields of its state, in order. */
  readonly fields: readonly FieldInfo[]
  /** What is judged of its promises. They hold functions too, which cannot cross to the page. */
  readonly promises: Pick<Promises, 'agreement' | 'oneLeaderPerTerm' | 'termsRise' | 'leader'>
}

/** The algorithms and detectors that a run can use. */
export interface AlgorithmCatalogue {
  readonly algorithms: readonly AlgorithmInfo[]
  readonly detectors: readonly string[]
}

/** A configuration of the group: who votes and who only follows. */
export interface GroupConfiguration {
  readonly voters: readonly number[]
  readonly observers: readonly number[]
  /** The term of the leader that wrote it; 0: the first configuration. */
  readonly term: number
  readonly version: number
  /** At the leader that wrote it: a majority of its voters has adopted it. */
  readonly committed: boolean
  /** What else it holds, such as the period; '': nothing. */
  readonly data: string
}

/** What a member waits for. */
export interface Waits {
  /** The timers that are set, and when each fires (−1 in a trace without a clock). */
  readonly timers: readonly (readonly [name: string, due: number])[]
  /** The peers about which it has an open request or a watch. */
  readonly requests: readonly number[]
}

/** One step of a run. */
export interface RunStep {
  readonly at: number
  readonly kind: Step['kind']
  /** The member that takes the step; 0: the world. */
  readonly node: number
  /** The other member of the step: a sender, a suspect; 0: none. */
  readonly peer: number
  /** What the algorithm sees: a message's type, a timer's name, `start`, `up`, `down`. */
  readonly event: string
  /** The fault as a setting: `crash`, `5@60ms`. */
  readonly fault: readonly [key: string, value: string] | null
  /** The step as a line of a trace. */
  readonly text: string
  /** The step as a sentence. */
  readonly why: string
  readonly changes: readonly Difference[]
  /** The purpose of each message that the step sent. */
  readonly sent: readonly ArrowPurpose[]
  /** The messages that the step sent, each type once, with its receivers. */
  readonly sendings: readonly { readonly type: string; readonly to: readonly number[] }[]
  readonly violations: readonly string[]
  readonly waits: Waits | null
}

/** A completed run. The page computes every view of every moment from it. */
export interface Run {
  readonly key: number
  readonly mode: 'timed' | 'stepped'
  /** The complete settings of this run. */
  readonly settings: Settings
  readonly algorithm: AlgorithmInfo
  readonly members: number
  /** Of the field `term`: other than 1 where a term names its leader; and the labels of these, by `NodeId`. */
  readonly termStride: number
  readonly labels: readonly number[]
  /** Labels in ring order. */
  readonly ring: readonly number[]
  /** The fields of each member before the first step, by label − 1. */
  readonly initial: readonly Readonly<Record<string, string>>[]
  readonly down: readonly number[]
  /** The first configuration, which all members know; null: the members of this group never change. */
  readonly configuration: Pick<GroupConfiguration, 'voters' | 'observers'> | null
  /** Whether the members start during the run, rather than before it. */
  readonly boots: boolean
  readonly steps: readonly RunStep[]
  readonly diagram: Diagram
  readonly summary: Summary | null
  /** The hash of the trace's text, the same as the command line's. */
  readonly hash: string
  /** The step at which playback stops: the first that broke a promise, or the one that a checker marked; −1: none. */
  readonly stop: number
  /** The checker's remark about that step. */
  readonly remark: string
  /** Why the run does not show whether the promises about its end are kept; '': it does. */
  readonly undecided: string
  /** Whether the run was ended by the number of steps that was asked for. */
  readonly truncated: boolean
  /** The first line in which the trace that was read differs from the run. */
  readonly difference: { line: number; read: string; computed: string } | null
  /** Of an algorithm that the viewer wrote: the lines of its text that each step ran. */
  readonly lines?: readonly StepLines[]
}

/** The lines of a program that a step ran, and the last of them that changed the member's leader. */
export interface StepLines {
  readonly lines: readonly number[]
  readonly leader: number | null
}

interface RunRequest {
  readonly settings: Settings
  /** The run ends after this many steps. */
  readonly mostSteps: number
}

export interface Speed {
  readonly events: number
  readonly ms: number
}

/** Each topic with the types of its question and its answer. */
export type WorkerQuestions = {
  catalogue: { ask: null; answer: AlgorithmCatalogue }
  /** Tells from time to time how many steps the run has so far. */
  run: { ask: RunRequest; answer: Run; progress: number }
  trace: { ask: string; answer: Run }
  /** The text of a run's trace, by the run's key. */
  text: { ask: number; answer: string }
  /** A run's diagram as SVG, by the run's key. */
  svg: { ask: number; answer: string }
  /** How fast the simulator runs in this browser. */
  speed: { ask: { readonly events: number; readonly recorded: boolean }; answer: Speed }
}
