/** Writes a report into a folder: report.md, report.html, report.json, and each plot as SVG and, where the package is installed, PNG. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { htmlReport } from './html.ts'
import { markdownReport } from './markdown.ts'
import { claimsOf, type Report } from './report.ts'

/** Returns what the user should know: a sentence, or null. */
export async function publish(report: Report, folder: string): Promise<string | null> {
  const plots = join(folder, 'plots')
  mkdirSync(plots, { recursive: true })
  const png = await rasterizer()
  const parts = report.chapters.flatMap((chapter) => chapter.parts)
  for (const { name, svg } of parts.flatMap((part) => part.plots)) {
    writeFileSync(join(plots, `${name}.svg`), svg)
    if (png !== null) writeFileSync(join(plots, `${name}.png`), png(svg))
  }
  writeFileSync(
    join(folder, 'report.md'),
    markdownReport(report, (name) => `plots/${name}.svg`),
  )
  writeFileSync(join(folder, 'report.html'), htmlReport(report))
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(claimsOf(report), null, 2)}\n`)
  if (png !== null) return null
  return 'the plots are there as SVG only: for PNG, npm install @resvg/resvg-js'
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
