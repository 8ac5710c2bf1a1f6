/** The types of what the page asks the worker that checks, and of what it answers. */
import type { Judgement, Progress } from '../../../src/check/index.ts'
import type { WalkView } from '../../../src/explore/walk.ts'
import type { Settings } from '../simulation/worker-protocol.ts'

export interface CheckOutcome {
  readonly ok: boolean
  readonly complete: boolean
  /** The report that the command prints: a verdict, the figures, remarks, and each property. */
  readonly verdict: string
  readonly remarks: readonly string[]
  readonly states: number
  readonly transitions: number
  readonly depth: number
  readonly ms: number
  readonly properties: readonly Judgement[]
  readonly counterexample: {
    readonly property: string
    readonly sentence: string
    readonly trace: string
    readonly steps: number
    readonly loop: number
    /** The way to it, for the walk; null: the walk has no such way. */
    readonly path: readonly number[]
  } | null
}

/** The states that have been found, for a drawing. */
export interface GraphView {
  readonly complete: boolean
  readonly depths: readonly number[]
  readonly broken: readonly boolean[]
  readonly goals: readonly boolean[]
  /** The states that each state leads to; empty: not expanded. */
  readonly targets: readonly (readonly number[])[]
  /** The nearest state that breaks a promise; −1: none found. */
  readonly firstBroken: number
}

/** Settings of the check of each algorithm that `check --all` makes. */
export interface NamedCheck {
  readonly title: string
  readonly settings: Settings
}

export type CheckerQuestions = {
  checks: { ask: null; answer: readonly NamedCheck[] }
  check: { ask: Settings; answer: CheckOutcome; progress: Progress & { readonly ms: number } }
  walk: { ask: { settings: Settings; path: readonly number[] }; answer: WalkView }
  graph: { ask: { settings: Settings; states: number }; answer: GraphView }
  /** A shortest path to a state that the graph has. */
  shortest: { ask: { settings: Settings; state: number }; answer: readonly number[] }
}
