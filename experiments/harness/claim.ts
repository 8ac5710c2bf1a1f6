/** What the report is made of: claims of the documents, and what a run says about them. */
import type { Algorithm } from 'bellwether/core'

/**
 * `holds`: measured as published. `holds with a correction`: a term is missing or one too many, and what is
 * measured is the corrected formula. `reproduced differently`: the effect is there, its size depends on what the
 * document does not tell. `does not hold`: measured otherwise. `unexplained`: neither the published nor our own
 * figure was measured, which is a defect of ours.
 */
export type Verdict =
  'holds' | 'holds with a correction' | 'reproduced differently' | 'does not hold' | 'unexplained'

export const VERDICTS: readonly Verdict[] = [
  'holds',
  'holds with a correction',
  'reproduced differently',
  'does not hold',
  'unexplained',
]

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

export interface Findings {
  /** By the id of the claim. */
  readonly outcomes: Readonly<Record<string, Outcome>>
  readonly plots?: readonly Plot[]
  readonly tables?: readonly Table[]
}

/** Where an experiment takes its algorithms and its chance from. */
export interface Lab {
  /** By name. A test puts another one in its place and sees the figures move. */
  algorithm(name: string): Algorithm
  readonly seed: number
  /** Whether anybody asked for this claim: a long experiment may leave out what nobody wants. */
  wants(id: string): boolean
  /** A count of samples: all of them, or, in tests, a share. */
  samples(full: number): number
}

export interface Experiment {
  readonly name: string
  readonly source: Source
  readonly claims: readonly Claim[]
  measure(lab: Lab): Findings
}

/** An experiment on real processes: it takes as long as it takes, and can be stopped. */
export interface ProcessExperiment extends Omit<Experiment, 'measure'> {
  measure(options: ProcessOptions): Promise<Findings>
}

export interface ProcessOptions {
  readonly elections: number
  readonly signal: AbortSignal
  readonly progress: (done: number) => void
}

/** A claim and what was measured, as `--json` gives it. */
export interface Judged extends Claim {
  readonly measured: string
  readonly figures: Readonly<Record<string, number>>
  readonly verdict: Verdict
  /** The published claim, as it stands. */
  readonly holds: boolean
  readonly note: string
}

export function judged(claim: Claim, { measured, figures, verdict, why }: Outcome): Judged {
  return { ...claim, measured, figures, verdict, holds: verdict === 'holds', note: why }
}
