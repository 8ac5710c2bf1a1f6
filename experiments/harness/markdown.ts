/** Renders the report as Markdown, with links to its plots, and a list of claims as a table. */
import { markdownTable } from 'bellwether/core'
import { claimsOf, countsOf, SIGNS, type Chapter, type Part, type Report } from './report.ts'

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
    'under “measured” comes from a run of that invocation. Tm is the time of a message, Tp of handling one, To a time-out, Te = 2·Tm + Tp an answer; a members',
    'are up, f are down. Intervals are for 95 %.',
    '',
    ...report.notes.flatMap((note) => [note, '']),
    markdownTable([['verdict', 'claims'], ...counts]),
    '',
  ]
}

function chapterLines({ title, parts }: Chapter, plotFile: (name: string) => string): string[] {
  const claims = parts.flatMap((part) => part.claims)
  return [
    `## ${title}`,
    '',
    claimTable(claims),
    '',
    ...parts.flatMap((part) => partLines(part, plotFile)),
  ]
}

function partLines({ claims, plots, tables }: Part, plotFile: (name: string) => string): string[] {
  return [
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

export function claimTable(claims: Part['claims']): string {
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
