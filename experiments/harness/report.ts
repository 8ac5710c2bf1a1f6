/** The data of a report: chapters in the order of the documents, the claims in them, how they were made, counts of verdicts. */
import type { Claim, Findings, Plot, Run, Source, Table } from './claim.ts'
import { judged, VERDICTS, type Judged, type Verdict } from './verdict.ts'

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

/** What another person needs to make the same report. */
interface Origin {
  readonly seed: number
  readonly version: string
  /** Of bellwether; null: not a clone. */
  readonly commit: string | null
  readonly node: string
  readonly machine: string
  /** Of real processes. */
  readonly elections: number
  readonly seconds: number
  /** Of the processor, without the real processes. */
  readonly cpuSeconds: number
}

export interface Report {
  readonly chapters: readonly Chapter[]
  readonly origin: Origin
}

const TITLES: Readonly<Record<Source, string>> = {
  '000': '000 · Park 2008, “An Election Algorithm with Failure Detectors in Distributed Systems”',
  '001':
    '001 · Park 2004, “An Efficient Coordinator Election Algorithm in Synchronous Distributed Systems”',
  '002': '002 · Gupta, “Leader Election, Lecture D: Bully Algorithm”',
  '003': '003 · Rafailescu 2017, “Fault Tolerant Leader Election in Distributed Systems”',
  '004': '004 · Hirata, “Chapter 3 – Election algorithms”',
  beyond: 'Claims of ours: all algorithms over all detectors',
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

export function shownTolerance(tolerance: number): string {
  return `${Number((100 * tolerance).toFixed(1))} %`
}

/** Why our own formula was not measured. */
export function reasonOf(claim: Pick<Claim, 'id'>): string {
  return isOnProcesses(claim)
    ? 'on a machine that is busy with other work real processes keep to no formula; on a quiet one it is a defect of bellwether'
    : 'a defect of bellwether'
}

/** A claim of ours is no claim of a document, and is counted apart; so is one that is measured again on real processes. */
export function isOurs({ id }: Pick<Claim, 'id'>): boolean {
  return id.startsWith('beyond-') || isOnProcesses({ id })
}

/** The runtime runs no specimen: there the corrected algorithm is measured alone. */
export function isOnProcesses({ id }: Pick<Claim, 'id'>): boolean {
  return id.includes('-processes-')
}

interface Count {
  readonly verdict: Verdict
  readonly documents: number
  readonly ours: number
}

export function countsOf(claims: readonly Judged[]): Count[] {
  return VERDICTS.map((verdict) => {
    const found = claims.filter((claim) => claim.verdict === verdict)
    const ours = found.filter(isOurs).length
    return { verdict, documents: found.length - ours, ours }
  })
}

/** A sign for each verdict, since not every reader sees colours. */
export const SIGNS: Readonly<Record<Verdict, string>> = {
  holds: '✓',
  'nearly holds': '≈',
  'holds in part': '±',
  'does not hold': '✗',
}

/** Why a run decides nothing, if so. */
export function asideOf({ fitted, beside }: Pick<Run, 'fitted' | 'beside'>): string {
  if (fitted === true) return ' (fitted)'
  return beside === true ? ' (beside the claim)' : ''
}

/** What every reader of the report should know first. */
export function prefaceOf({ chapters, origin }: Report): string[] {
  const claims = claimsOf({ chapters })
  const ours = claims.filter(isOurs).length
  const unexplained = claims.filter(({ explained }) => !explained)
  return [
    `${claims.length - ours} claims of the documents and ${ours} more, which are ours or measured again on real processes; by \`bellwether reproduce --seed ${origin.seed}\` in ${Math.round(origin.seconds)} s, of which the simulator and the checker took ${Math.round(origin.cpuSeconds)} s of processor time: version ${origin.version}, commit ${origin.commit ?? 'unknown'}, Node ${origin.node}, ${origin.machine}. Every measured figure comes from a run of that invocation.`,
    'The page of a claim quotes the words of its document, verbatim, and says below in plain words what is judged; 001 is written in Korean, and there it is a translation.',
    'Each claim is measured on the algorithm as **printed**, followed to the letter, where the documents print one; else as **described**, written after the description (Garcia-Molina’s calls, LeLann, Raft, detectors); beside it often as **corrected**, with its defects repaired (`docs/errata.md`), or an algorithm of **ours**. Where a text can be read in several ways, each reading is a run of its own.',
    'One rule gives all verdicts, from the published value, the measured one and the tolerance that stands beside the claim; an estimate may miss a published value, but no published bound, by its margin as well. ✓ holds: all settings are as published. ≈ nearly holds: all are within a fifth. ± holds in part: some are as published. ✗ does not hold: none is. What a document prints or describes decides; of several readings of one text, the most charitable. A run that was fitted to the published value, or that stands beside the claim for comparison, decides nothing. A run that never ends is not as published. `docs/decisions/0020-what-a-claim-is-judged-by.md` says what counts as a setting, as a reading, and as the words of a claim.',
    'The figures of the documents are not in the text from which this was made: 000 and 001 without their statechart, 002 and 004 without their drawings, 003 without Figures 1 to 5. What a claim says about a figure is what the text around it says.',
    'Tm is the time of a message, Tp of handling one, To a time-out, Te = 2·Tm + Tp an answer; a members are up, f are down. Intervals are for 95 %.',
    `The simulator and the checker are deterministic: the same seed gives the same figures, and \`bellwether reproduce --compare report.json\` says what differs. ${origin.elections === 0 ? 'Nothing was measured on real processes.' : `${origin.elections} elections were held on real processes: the figures of \`003-processes-…\` differ from run to run and from machine to machine.`}`,
    ...unexplained.map((claim) => {
      return `Not even our own formula explains \`${claim.id}\`: ${reasonOf(claim)}.`
    }),
  ]
}
