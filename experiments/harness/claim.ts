/** The types of claims, experiments and their findings: what is printed, which algorithm was measured, in which settings. */
import type { Algorithm } from 'bellwether/core'
import type { ParameterName } from './parameters.ts'

export type Source = '000' | '001' | '002' | '003' | '004' | 'beyond'

/** What is claimed, by whom, where. Known before anything runs. */
export interface Claim {
  readonly id: string
  /** Document, and section, equation, table or figure. */
  readonly source: string
  readonly claim: string
  readonly published: string
  /** The formula that is right, as far as we know. */
  readonly formula: string
  /** The share of the published value by which a measurement may differ; none: not at all. */
  readonly tolerance?: number
  /** The settings on which the measurement depends, besides the seed. */
  readonly parameters?: readonly ParameterName[]
}

/** A printed value, or a printed bound. */
export type Printed =
  | number
  | Readonly<Record<'atMost', number>>
  | Readonly<Record<'atLeast', number>>
  | Readonly<Record<'below', number>>
  | Readonly<Record<'above', number>>

/** One setting: what is printed for it, what was measured, and what our formula says. */
export interface Case {
  readonly published: Printed
  /** NaN: the run never ended. */
  readonly measured: number
  readonly formula?: number
  /** Half the width of the 95 % interval of a measurement that is an estimate. */
  readonly margin?: number
}

/** What one algorithm showed, under one reading of its text. */
export interface Run {
  /** A name of the registry, or of a detector. */
  readonly algorithm: string
  /** Options of the algorithm, where a text can be read in several ways. */
  readonly reading?: string
  /** What was measured, for people. */
  readonly shown: string
  readonly cases: readonly Case[]
  /** A parameter was fitted to the published value itself: the run decides nothing. */
  readonly fitted?: true
  /** A setting of which the claim does not speak, for comparison: the run decides nothing. */
  readonly beside?: true
  /** Every single measurement behind an estimate. */
  readonly samples?: readonly number[]
}

/** What the runs say about a claim. The verdict follows from their cases. */
export interface Outcome {
  readonly runs: readonly Run[]
  readonly why: string
  /** Named figures, for programs: what `--compare` compares. */
  readonly figures: Readonly<Record<string, number>>
}

/** Of each claim of a document its words, by the id of the claim. */
export type Quotes = Readonly<Record<string, readonly string[]>>

export interface Plot {
  readonly name: string
  readonly caption: string
  readonly svg: string
}

export interface Table {
  readonly caption: string
  /** The first row is the head. */
  readonly rows: readonly (readonly string[])[]
}

/** A table of some things, from the head and the cell of each column. */
export function tableOf<T>(
  caption: string,
  things: readonly T[],
  columns: Readonly<Record<string, (one: T) => string | number>>,
): Table {
  const cells = Object.values(columns)
  const rows = things.map((one) => cells.map((cell) => String(cell(one))))
  return { caption, rows: [Object.keys(columns), ...rows] }
}

export interface Findings {
  /** By the id of the claim. */
  readonly outcomes: Readonly<Record<string, Outcome>>
  readonly plots?: readonly Plot[]
  readonly tables?: readonly Table[]
}

/** What an experiment runs with: its algorithms, its seed and its number of samples. */
export interface Setup {
  /** By name. Tests replace an algorithm to see that the figures change. */
  algorithm(name: string): Algorithm
  readonly seed: number
  /** Whether this claim is to be measured: a long experiment leaves out the others. */
  wants(id: string): boolean
  /** The number of samples to take: all of them, or, in tests, a share. */
  samples(full: number): number
}

export interface Experiment {
  /** Begins with its source: `001-churn`. */
  readonly name: string
  readonly claims: readonly Claim[]
  measure(setup: Setup): Findings
}

/** An experiment on real processes, which can be stopped. */
export interface ProcessExperiment extends Omit<Experiment, 'measure'> {
  measure(options: ProcessOptions): Promise<Findings>
}

export interface ProcessOptions {
  readonly elections: number
  readonly signal: AbortSignal
  readonly progress: (done: number) => void
}
