/** The report as Markdown, with its plots as files beside it. */
import type { Table } from './claim.ts'
import { claimsOf, countsOf, SIGNS, type Chapter, type Report } from './report.ts'

export function markdownReport(report: Report, plotFile: (name: string) => string): string {
  return [
    '# Every table, formula and figure of the documents, measured again',
    '',
    ...preface(report),
    ...report.chapters.flatMap((chapter) => chapterLines(chapter, plotFile)),
  ].join('\n')
}

function preface(report: Report): string[] {
  const claims = claimsOf(report)
  const counts = countsOf(claims).map(([verdict, count]) => [
    `${SIGNS[verdict]} ${verdict}`,
    String(count),
  ])
  return [
    `${claims.length} claims, measured by \`bellwether reproduce --seed ${report.seed}\` (version ${report.version}) in ${Math.round(report.seconds)} s. Every figure`,
    'under “measured” comes from a run of that invocation: the simulator, the checker, and five real processes. Tm is the time of a message, Tp of handling',
    'one, To a time-out, Te = 2·Tm + Tp an answer; a members are up, f are down. Intervals are for 95 %.',
    '',
    ...report.notes.flatMap((note) => [note, '']),
    markdownTable([['verdict', 'claims'], ...counts]),
    '',
  ]
}

function chapterLines(
  { title, claims, plots, tables }: Chapter,
  plotFile: (name: string) => string,
): string[] {
  return [
    `## ${title}`,
    '',
    claimTable(claims),
    '',
    ...claims.map(({ id, claim, note }) => `- **\`${id}\`** ${claim} _Why:_ ${note}`),
    '',
    ...tables.flatMap((table) => [`**${table.caption}**`, '', markdownTable(table.rows), '']),
    ...plots.flatMap(({ name, caption }) => [
      `![${caption}](${plotFile(name)})`,
      '',
      `_${caption}_`,
      '',
    ]),
  ]
}

export function claimTable(claims: Chapter['claims']): string {
  const head = ['id', 'source', 'published', 'formula', 'measured', 'verdict']
  const rows = claims.map(({ id, source, published, formula, measured, verdict }) => [
    `\`${id}\``,
    source,
    published,
    formula,
    measured,
    `${SIGNS[verdict]} ${verdict}`,
  ])
  return markdownTable([head, ...rows])
}

export function markdownTable(rows: Table['rows']): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = cells[0].map((_, i) => Math.max(3, ...cells.map((row) => [...row[i]].length)))
  const pad = (cell: string, i: number): string => cell + ' '.repeat(widths[i] - [...cell].length)
  const line = (row: readonly string[]): string => `| ${row.map(pad).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(cells[0]), rule, ...cells.slice(1).map(line)].join('\n')
}
