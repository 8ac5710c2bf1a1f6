/** Renders the report as Markdown: an overview of narrow tables, and one page for each claim. */
import { markdownTable } from 'bellwether/core'
import { shownPrinted, type Judged, type JudgedRun } from './verdict.ts'
import { ALL_PARAMETERS, parameterRows } from './parameters.ts'
import {
  asideOf,
  claimsOf,
  countsOf,
  prefaceOf,
  reasonOf,
  shownTolerance,
  SIGNS,
  type Part,
  type Report,
} from './report.ts'

const TITLE = '# Every table, formula and figure of the documents, measured again'

/** The overview: verdicts, parameters, and the claims of each document. */
export function markdownReport(report: Report): string {
  const counts = countsOf(claimsOf(report)).map(({ verdict, documents, ours }) => {
    return [`${SIGNS[verdict]} ${verdict}`, String(documents), String(ours)]
  })
  return [
    TITLE,
    '',
    ...prefaceOf(report).flatMap((text) => [text, '']),
    markdownTable([
      ['verdict', 'claims of the documents', 'ours, or on real processes'],
      ...counts,
    ]),
    '',
    ...report.chapters.flatMap(({ title, parts }) => [
      `## ${title}`,
      '',
      claimTable(
        parts.flatMap((part) => part.claims),
        'claims',
      ),
      '',
    ]),
    '## Parameters',
    '',
    'Published: a document states it. Assumed: the documents are silent. Fitted: computed from a published figure, which therefore proves nothing about that figure.',
    '',
    markdownTable(parameterRows(ALL_PARAMETERS, report.origin.seed)),
    '',
  ].join('\n')
}

/** One narrow row for each claim, with a link to its page. */
export function claimTable(claims: readonly Judged[], folder: string): string {
  const rows = claims.map(({ id, claim, judgedBy, verdict }) => [
    `[\`${id}\`](${folder}/${id}.md)`,
    claim,
    judgedBy,
    `${SIGNS[verdict]} ${verdict}`,
  ])
  return markdownTable([['id', 'claim', 'measured', 'verdict'], ...rows])
}

/** The pages of the claims of one experiment: its tables and plots stand on the first of them. */
export function claimPages({ claims, tables, plots }: Part, seed: number): Map<string, string> {
  const hasMore = tables.length + plots.length > 0
  return new Map(
    claims.map((claim, i) => {
      const more = [
        ...tables.flatMap(({ caption, rows }) => [`**${caption}**`, '', markdownTable(rows), '']),
        ...plots.flatMap(({ name, caption }) => [
          `![${caption}](../plots/${name}.svg)`,
          '',
          `_${caption}_`,
          '',
        ]),
      ]
      const elsewhere = `Tables and plots: [\`${claims[0].id}\`](${claims[0].id}.md).`
      return [claim.id, pageOf(claim, seed, i === 0 ? more : hasMore ? [elsewhere, ''] : [])]
    }),
  )
}

function pageOf(claim: Judged, seed: number, more: readonly string[]): string {
  const { id, source, published, formula, tolerance = 0, parameters = [], note, runs } = claim
  return [
    `# \`${id}\`: ${SIGNS[claim.verdict]} ${claim.verdict}`,
    '',
    ...claim.quotes.flatMap((quote) => [`> ${quote.replaceAll('<', String.raw`\<`)}`, '']),
    `${source}: ${claim.claim}`,
    '',
    `- **Published:** ${published}`,
    `- **Tolerance:** ${tolerance === 0 ? 'none' : shownTolerance(tolerance)}`,
    `- **Our formula:** ${formula}${claim.explained ? '' : ` (not measured: ${reasonOf(claim)})`}`,
    '',
    markdownTable([['algorithm measured', 'as published', 'verdict'], ...runs.map(runRow)]),
    '',
    ...runs.map((run) => `- ${nameOf(run)}: ${run.shown}`),
    '',
    note,
    '',
    markdownTable(parameterRows(parameters, seed)),
    '',
    ...more,
    `[All claims](../report.md)`,
    '',
  ].join('\n')
}

function nameOf({ kind, algorithm, reading }: JudgedRun): string {
  return `${kind}: \`${algorithm}\`${reading === undefined ? '' : `, ${reading}`}`
}

function runRow(run: JudgedRun): string[] {
  const { cases, met, verdict } = run
  const [only] = cases
  const settings =
    cases.length === 1
      ? `${shownPrinted(only.published)}: ${met === 1 ? 'yes' : 'no'}`
      : `${met} of ${cases.length} settings`
  return [nameOf(run), settings, `${SIGNS[verdict]} ${verdict}${asideOf(run)}`]
}
