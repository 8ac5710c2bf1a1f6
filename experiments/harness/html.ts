/** Renders the report as one HTML page that contains its style and its plots. */
import type { Table } from './claim.ts'
import { ALL_PARAMETERS, parameterRows, PARAMETERS } from './parameters.ts'
import {
  asideOf,
  claimsOf,
  countsOf,
  prefaceOf,
  shownTolerance,
  SIGNS,
  type Chapter,
  type Report,
} from './report.ts'
import type { Judged } from './verdict.ts'

const STYLE = `
:root { --ink: #1c1f23; --soft: #5b6470; --line: #d7dce2; --back: #f6f7f9; --card: #fff; --link: #1b5e9c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --soft: #a6afba; --line: #3a424c; --back: #16191d; --card: #1f2429; --link: #8ab8e8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { line-height: 1.2; font-size: 1.9rem; }
h2 { margin-top: 3rem; padding-top: 1rem; border-top: 2px solid var(--line); font-size: 1.3rem; line-height: 1.3; }
a { color: var(--link); }
code { font-size: 0.92em; }
.counts { display: flex; flex-wrap: wrap; gap: 0.6rem; padding: 0; list-style: none; }
.badge { border: 1px solid currentColor; border-radius: 1rem; padding: 0.1rem 0.7rem; font-size: 0.85rem; white-space: nowrap; font-weight: 600; }
.holds { color: #1d6b36; } .part { color: #7a5200; } .nearly { color: #1b5e9c; } .fails { color: #a3262b; }
@media (prefers-color-scheme: dark) {
  .holds { color: #7fd39a; } .part { color: #e8bf67; } .nearly { color: #8ab8e8; } .fails { color: #f09a9d; }
}
.claim { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 0.9rem 1.1rem; margin: 1rem 0; }
.claim header { display: flex; flex-wrap: wrap; gap: 0.4rem 1rem; align-items: baseline; justify-content: space-between; }
.claim header .source { color: var(--soft); font-size: 0.88rem; }
.claim p { margin: 0.5rem 0; }
dl { display: grid; grid-template-columns: repeat(3, 1fr); gap: 0 1.2rem; margin: 0.6rem 0; }
dl div { border-top: 1px solid var(--line); padding-top: 0.35rem; min-width: 0; overflow-wrap: anywhere; }
dt { color: var(--soft); font-size: 0.78rem; text-transform: uppercase; letter-spacing: 0.05em; }
dd { margin: 0; }
.why { color: var(--soft); }
blockquote { margin: 0.5rem 0; padding-left: 0.8rem; border-left: 3px solid var(--line); font-style: italic; }
figure { margin: 1.5rem 0; background: #fff; border: 1px solid var(--line); border-radius: 8px; padding: 0.8rem; color: #222; }
figure svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
figcaption { font-size: 0.9rem; padding: 0.4rem 0.4rem 0; color: #444; }
.table { overflow-x: auto; margin: 1.5rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; min-width: 50%; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.7rem; text-align: left; vertical-align: top; }
td { font-variant-numeric: tabular-nums; }
.overview td:first-child { white-space: nowrap; }
.runs { width: 100%; }
@media (max-width: 44rem) { dl { grid-template-columns: 1fr; } }
@media print { body { background: #fff; } .claim { break-before: page; } figure { break-inside: avoid; } }
`

const CLASSES: Readonly<Record<Judged['verdict'], string>> = {
  holds: 'holds',
  'nearly holds': 'nearly',
  'holds in part': 'part',
  'does not hold': 'fails',
}

export function htmlReport(report: Report): string {
  const claims = claimsOf(report)
  const counts = countsOf(claims).map(({ verdict, documents, ours }) => {
    return `<li>${badge(verdict)} ${documents}${ours === 0 ? '' : ` + ${ours} of ours or on real processes`}</li>`
  })
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    '<title>bellwether: the documents, measured again</title>',
    `<style>${STYLE}</style></head>`,
    '<body><main>',
    '<h1>Every table, formula and figure of the documents, measured again</h1>',
    ...prefaceOf(report).map((note) => `<p>${inline(note)}</p>`),
    `<ul class="counts">${counts.join('')}</ul>`,
    ...report.chapters.map(({ title, parts }) => {
      return `<h3>${text(title)}</h3>${overview(parts.flatMap((part) => part.claims))}`
    }),
    `<h2>Parameters</h2>${tableHtml({ caption: 'Published, assumed where the documents are silent, or fitted to a published figure.', rows: parameterRows(ALL_PARAMETERS, report.origin.seed) })}`,
    ...report.chapters.map(chapterHtml),
    '</main></body></html>\n',
  ].join('\n')
}

function overview(claims: readonly Judged[]): string {
  const rows = claims.map(
    ({ id, claim, verdict, judgedBy }) =>
      `<tr><td><a href="#${id}"><code>${id}</code></a></td><td>${text(claim)}</td><td>${judgedBy}</td><td>${badge(verdict)}</td></tr>`,
  )
  return `<div class="table"><table class="overview"><thead><tr><th>id</th><th>claim</th><th>measured</th><th>verdict</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

function chapterHtml({ source, title, parts }: Chapter): string {
  return [
    `<h2 id="${source}">${text(title)}</h2>`,
    ...parts.flatMap(({ claims, tables, plots }) => [
      ...claims.map(claimHtml),
      ...tables.map(tableHtml),
      ...plots.map(
        ({ svg, caption }) => `<figure>${svg}<figcaption>${text(caption)}</figcaption></figure>`,
      ),
    ]),
  ].join('\n')
}

function claimHtml(judged: Judged): string {
  const { id, source, claim, published, formula, verdict, note, runs, parameters = [] } = judged
  const { tolerance = 0, quotes } = judged
  const within = tolerance === 0 ? '' : ` (tolerance ${shownTolerance(tolerance)})`
  const cell = (name: string, value: string): string =>
    `<div><dt>${name}</dt><dd>${inline(value)}</dd></div>`
  const marked = parameters.map((name) => `${name} (${PARAMETERS[name].mark})`)
  const measured = runs.map(
    (run) =>
      `<tr><td>${run.kind}: <code>${run.algorithm}</code>${run.reading === undefined ? '' : `, ${text(run.reading)}`}</td><td>${inline(run.shown)}</td><td>${badge(run.verdict)}${asideOf(run)}</td></tr>`,
  )
  return [
    `<section class="claim" id="${id}">`,
    `<header><span><code>${id}</code> <span class="source">${text(source)}</span></span>${badge(verdict)}</header>`,
    ...quotes.map(
      (quote) =>
        `<blockquote${id.startsWith('001') ? ' lang="ko"' : ''}>${text(quote)}</blockquote>`,
    ),
    `<p>${text(claim)}</p>`,
    `<dl>${cell('published', published + within)}${cell('our formula', formula)}${cell('parameters', marked.join(', ') || 'none')}</dl>`,
    `<div class="table"><table class="runs"><thead><tr><th>algorithm measured</th><th>what was measured</th><th>verdict</th></tr></thead><tbody>${measured.join('\n')}</tbody></table></div>`,
    `<p class="why">${inline(note)}</p></section>`,
  ].join('\n')
}

function tableHtml({ caption, rows: [head, ...rows] }: Table): string {
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join('')}</tr>`
  const title = caption === '' ? '' : `<caption>${text(caption)}</caption>`
  return `<div class="table"><table>${title}<thead>${line(head, 'th')}</thead><tbody>${rows.map((row) => line(row, 'td')).join('\n')}</tbody></table></div>`
}

function badge(verdict: Judged['verdict']): string {
  return `<span class="badge ${CLASSES[verdict]}">${SIGNS[verdict]} ${verdict}</span>`
}

function text(raw: string): string {
  return raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Text in which `code`, **bold** and links are marked as in Markdown; a link leads nowhere in a page of its own. */
function inline(raw: string): string {
  return text(raw)
    .replaceAll(/`([^`]+)`/gu, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/gu, '<b>$1</b>')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/gu, '$1')
}
