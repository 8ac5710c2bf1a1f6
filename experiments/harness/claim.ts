/** The types of claims, experiments and their findings, the list of verdicts, and the function that joins a claim with its outcome. */
import type { Algorithm } from 'bellwether/core'

/**
 * `holds`: measured as published. `holds with a correction`: a term is missing or one too many, and what is
 * measured is the corrected formula. `reproduced differently`: the effect is there, its size depends on what the
 * document does not state. `does not hold`: measured otherwise. `unexplained`: neither the published figure nor that
 * of the corrected formula was measured, which is a defect of the experiment.
 */
export const VERDICTS = [
  'holds',
  'holds with a correction',
  'reproduced differently',
  'does not hold',
  'unexplained',
] as const
export type Verdict = (typeof VERDICTS)[number]

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
}

/** What a run says about a claim. */
export interface Outcome {
  /** For people. */
  readonly measured: string
  /** For programs: the same, and more, as numbers. */
  readonly figures: Readonly<Record<string, number>>
  readonly verdict: Verdict
  readonly why: string
}

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

/** A claim and what was measured, as `--json` gives it. */
export interface Judged extends Claim, Omit<Outcome, 'why'> {
  /** The published claim, as it stands. */
  readonly holds: boolean
  readonly note: string
}

export function judged(claim: Claim, { measured, figures, verdict, why }: Outcome): Judged {
  return { ...claim, measured, figures, verdict, holds: verdict === 'holds', note: why }
}
