/** The data of a report: chapters in the order of the documents, the claims in them, counts and signs of verdicts. */
import {
  judged,
  VERDICTS,
  type Claim,
  type Findings,
  type Judged,
  type Plot,
  type Source,
  type Table,
  type Verdict,
} from './claim.ts'

/** What one experiment found. */
export interface Part {
  readonly claims: readonly Judged[]
  readonly plots: readonly Plot[]
  readonly tables: readonly Table[]
}

export interface Chapter {
  readonly source: Source
  readonly title: string
  readonly parts: readonly Part[]
}

export interface Report {
  readonly chapters: readonly Chapter[]
  readonly seed: number
  readonly version: string
  readonly seconds: number
  /** What the numbers rest on, where it is not the simulator alone. */
  readonly notes: readonly string[]
}

const TITLES: Readonly<Record<Source, string>> = {
  '000': '000 · Park 2008, “An Election Algorithm with Failure Detectors in Distributed Systems”',
  '001':
    '001 · Park 2004, “An Efficient Coordinator Election Algorithm in Synchronous Distributed Systems”',
  '002': '002 · Gupta, “Leader Election, Lecture D: Bully Algorithm”',
  '003': '003 · Rafailescu 2017, “Fault Tolerant Leader Election in Distributed Systems”',
  '004': '004 · Hirata, “Chapter 3 – Election algorithms”',
  beyond: 'Beyond the documents: all algorithms over all detectors',
}

interface Measured {
  readonly source: Source
  readonly claims: readonly Claim[]
  readonly findings: Findings
}

export function chaptersOf(
  measured: readonly Measured[],
  wanted: (id: string) => boolean,
): Chapter[] {
  const sources = Object.keys(TITLES).sort() as Source[]
  return sources.flatMap((source) => {
    const own = measured.filter((one) => one.source === source)
    if (own.length === 0) return []
    const parts = own.map(({ claims, findings }) => ({
      claims: claims
        .filter(({ id }) => wanted(id) && findings.outcomes[id] !== undefined)
        .map((claim) => judged(claim, findings.outcomes[claim.id])),
      plots: findings.plots ?? [],
      tables: findings.tables ?? [],
    }))
    return [{ source, title: TITLES[source], parts }]
  })
}

export function claimsOf({ chapters }: Pick<Report, 'chapters'>): Judged[] {
  return chapters.flatMap(({ parts }) => parts.flatMap(({ claims }) => claims))
}

export function countsOf(claims: readonly Judged[]): (readonly [Verdict, number])[] {
  return VERDICTS.map((verdict) => {
    return [verdict, claims.filter((claim) => claim.verdict === verdict).length] as const
  }).filter(([, count]) => count > 0)
}

/** A sign for each verdict, since not every reader sees colours. */
export const SIGNS: Readonly<Record<Verdict, string>> = {
  holds: '✓',
  'holds with a correction': '±',
  'reproduced differently': '≈',
  'does not hold': '✗',
  unexplained: '?',
}
