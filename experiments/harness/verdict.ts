/**
 * The one rule for verdicts: from what is printed, what was measured and a tolerance, the same for every claim. No
 * experiment states a verdict itself.
 */
import type { Case, Claim, Outcome, Printed, Run } from './claim.ts'
import { quotesOf } from './quotes.ts'
import { brief } from './statistics.ts'

/**
 * `holds`: every setting is as printed. `nearly holds`: every setting is within a fifth of what is printed. `holds in
 * part`: some settings are as printed. `does not hold`: none is.
 */
export const VERDICTS = ['holds', 'nearly holds', 'holds in part', 'does not hold'] as const
export type Verdict = (typeof VERDICTS)[number]

/**
 * `printed`: a document's text to the letter. `described`: written after a document's description, where it prints no
 * algorithm. `corrected`: a printed one with its defects repaired. `ours`: any other.
 */
const KINDS = ['printed', 'described', 'corrected', 'ours'] as const
export type Kind = (typeof KINDS)[number]

const KIND_OF: Readonly<Record<string, Kind>> = {
  'garcia-molina': 'described',
  'le-lann': 'described',
  raft: 'described',
  ping: 'described',
  heartbeat: 'described',
  token: 'described',
  bully: 'corrected',
  'bully-fd': 'corrected',
  'chang-roberts': 'corrected',
  ring: 'corrected',
  roulette: 'corrected',
}

export function kindOf(algorithm: string): Kind {
  return algorithm.endsWith('-as-printed') ? 'printed' : (KIND_OF[algorithm] ?? 'ours')
}

const NEAR = 0.2
/** The distance of a setting that never ends, in published values. */
const FARTHEST = 10
/** The last digits of a float. */
const ROUNDING = 1e-9

/** Equal but for a share of the second number, an absolute margin, and the last digits of a float. */
export function same(a: number, b: number, tolerance = 0, margin = 0): boolean {
  return Math.abs(a - b) <= tolerance * Math.abs(b) + margin + ROUNDING * Math.max(1, Math.abs(b))
}

/** Whether a measurement is as printed. An estimate may miss a printed value by its margin, but no printed bound. */
export function isMet({ published, measured, margin }: Case, tolerance = 0): boolean {
  if (typeof published === 'number') return same(measured, published, tolerance, margin)
  const [[bound, limit]] = Object.entries(published) as [[string, number]]
  const isAt = same(measured, limit, tolerance)
  if (bound === 'atMost') return measured < limit || isAt
  if (bound === 'atLeast') return measured > limit || isAt
  return bound === 'below' ? measured < limit : measured > limit
}

export function verdictOf(cases: readonly Case[], tolerance = 0): Verdict {
  const met = cases.filter((one) => isMet(one, tolerance)).length
  if (met === cases.length && met > 0) return 'holds'
  if (cases.length > 0 && cases.every((one) => isMet(one, NEAR))) return 'nearly holds'
  return met > 0 ? 'holds in part' : 'does not hold'
}

/** Whether our own formula, where there is one, is what was measured. */
function isExplained({ cases }: Run, tolerance: number): boolean {
  return cases.every(({ formula, measured, margin = 0 }) => {
    if (formula === undefined) return true
    if (Number.isNaN(formula)) return Number.isNaN(measured)
    return same(measured, formula, tolerance, 2 * margin)
  })
}

export interface JudgedRun extends Run {
  readonly kind: Kind
  readonly verdict: Verdict
  readonly met: number
}

/** A claim and what was measured, as `--json` gives it. */
export interface Judged extends Claim {
  /** The words of the document, verbatim; none: the claim is ours. */
  readonly quotes: readonly string[]
  /** In the order of `KINDS`. */
  readonly runs: readonly JudgedRun[]
  /** That of the run that decides. */
  readonly verdict: Verdict
  readonly judgedBy: Kind
  readonly measured: string
  /** False: our formula was not measured, a defect of bellwether (or, on real processes, of a busy machine). */
  readonly explained: boolean
  readonly figures: Readonly<Record<string, number>>
  readonly note: string
}

/** How far the settings are from what is printed, on average; one that never ends counts as far as can be. */
function distanceOf(cases: readonly Case[], tolerance: number): number {
  const distances = cases.map((one) => {
    if (isMet(one, tolerance)) return 0
    const { published } = one
    const printed = typeof published === 'number' ? published : Object.values(published)[0]
    const share = Math.abs(one.measured - printed) / Math.max(Math.abs(printed), ROUNDING)
    return Number.isNaN(share) ? FARTHEST : Math.min(FARTHEST, share)
  })
  return distances.reduce((sum, one) => sum + one, 0) / cases.length
}

/**
 * What a document prints or describes decides, where it was measured; else the corrected algorithm; else ours. Of several
 * readings of one text the most charitable decides; of two with the same verdict, the one that is nearer to what is
 * printed. A run that was fitted to the published value, or that stands beside the claim, decides nothing.
 */
export function judged(claim: Claim, { runs, why, figures }: Outcome): Judged {
  const { tolerance = 0 } = claim
  const all = runs.map((run): JudgedRun => {
    const met = run.cases.filter((one) => isMet(one, tolerance)).length
    return { ...run, kind: kindOf(run.algorithm), verdict: verdictOf(run.cases, tolerance), met }
  })
  const sorted = all.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
  const rank = ({ verdict, cases }: JudgedRun): number =>
    VERDICTS.indexOf(verdict) + distanceOf(cases, tolerance) / (2 * FARTHEST)
  const isText = ({ kind }: JudgedRun): boolean => kind === 'printed' || kind === 'described'
  const deciding = sorted.filter(({ fitted, beside }) => fitted !== true && beside !== true)
  const own = deciding.filter((run) =>
    isText(deciding[0]) ? isText(run) : run.kind === deciding[0].kind,
  )
  const decisive = own.reduce((best, run) => (rank(run) < rank(best) ? run : best))
  return {
    ...claim,
    quotes: quotesOf(claim),
    runs: sorted,
    verdict: decisive.verdict,
    judgedBy: decisive.kind,
    measured: decisive.shown,
    explained: runs.every((run) => isExplained(run, tolerance)),
    figures,
    note: why,
  }
}

/** A statement, true or false of a run; `expected`: which of the two we believe. */
export function fact(isTrue: boolean | null, expected: boolean): Case {
  return {
    published: 1,
    measured: isTrue === null ? NaN : Number(isTrue),
    formula: Number(expected),
  }
}

export function shownPrinted(published: Printed): string {
  if (typeof published === 'number') return brief(published)
  const [[bound, limit]] = Object.entries(published) as [[keyof typeof SIGNS_OF, number]]
  return `${SIGNS_OF[bound]} ${brief(limit)}`
}

const SIGNS_OF = { atMost: '≤', atLeast: '≥', below: '<', above: '>' } as const
