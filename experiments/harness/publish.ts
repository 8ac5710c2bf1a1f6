/**
 * Writes a report into a folder: report.md with a page for each claim, report.html, report.json, samples.json, and each
 * plot as SVG and, where the package is installed, PNG.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { htmlReport } from './html.ts'
import { claimPages, markdownReport } from './markdown.ts'
import { PARAMETERS } from './parameters.ts'
import { claimsOf, type Report } from './report.ts'

/** Returns what the user should know: a sentence, or null. */
export async function publish(report: Report, folder: string): Promise<string | null> {
  const [plots, claims] = ['plots', 'claims'].map((name) => join(folder, name))
  for (const place of [plots, claims]) {
    rmSync(place, { recursive: true, force: true })
    mkdirSync(place, { recursive: true })
  }
  const png = await rasterizer()
  const parts = report.chapters.flatMap((chapter) => chapter.parts)
  for (const { name, svg } of parts.flatMap((part) => part.plots)) {
    writeFileSync(join(plots, `${name}.svg`), svg)
    if (png !== null) writeFileSync(join(plots, `${name}.png`), png(svg))
  }
  for (const part of parts) {
    for (const [id, page] of claimPages(part, report.origin.seed)) {
      writeFileSync(join(claims, `${id}.md`), page)
    }
  }
  writeFileSync(join(folder, 'report.md'), markdownReport(report))
  writeFileSync(join(folder, 'report.html'), htmlReport(report))
  writeFileSync(join(folder, 'report.json'), `${reportJson(report)}\n`)
  writeFileSync(join(folder, 'samples.json'), `${samplesJson(report)}\n`)
  if (png !== null) return null
  return 'the plots are there as SVG only: for PNG, npm install @resvg/resvg-js'
}

/** Everything but the plots and the samples; a line for each claim. */
export function reportJson(report: Report): string {
  const claims = claimsOf(report).map((claim) => {
    return { ...claim, runs: claim.runs.map(({ samples: _samples, ...run }) => run) }
  })
  const [origin, parameters] = [report.origin, PARAMETERS].map((part) => JSON.stringify(part))
  const lines = claims.map((claim) => JSON.stringify(claim)).join(',\n')
  return `{"origin":${origin},\n"parameters":${parameters},\n"claims":[\n${lines}\n]}`
}

/** Every single measurement behind an estimate, by claim and algorithm; a line for each. */
function samplesJson(report: Report): string {
  const lines = claimsOf(report).flatMap(({ id, runs }) =>
    runs.flatMap(({ algorithm, reading, samples }) => {
      if (samples === undefined) return []
      const rounded = samples.map((value) => Math.round(1000 * value) / 1000)
      return [JSON.stringify({ id, algorithm, reading, samples: rounded })]
    }),
  )
  return `[\n${lines.join(',\n')}\n]`
}

/** Larger, so that print is sharp. Null where the package that draws is not installed. */
async function rasterizer(): Promise<((svg: string) => Uint8Array) | null> {
  try {
    const { Resvg } = await import('@resvg/resvg-js')
    return (svg) =>
      new Resvg(svg, {
        fitTo: { mode: 'zoom', value: 1.5 },
        font: { loadSystemFonts: true, defaultFontFamily: 'DejaVu Sans' },
      })
        .render()
        .asPng()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}
