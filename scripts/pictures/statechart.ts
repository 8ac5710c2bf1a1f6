/** Writes the statecharts of Bully_FD to docs/statechart: `node --import tsx scripts/pictures/statechart.ts`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { asRun, printed } from '../../src/algorithms/helpers/bully-fd-statechart.ts'
import { mermaid, svg } from './draw-statechart.ts'

const folder = new URL('../../docs/statechart/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const chart of [printed, asRun]) {
  writeFileSync(new URL(`${chart.name}.mmd`, folder), mermaid(chart))
  writeFileSync(new URL(`${chart.name}.svg`, folder), svg(chart))
}
