/** `npm run statechart`: writes both statecharts of Bully_FD, as printed and as run, to docs/statechart as Mermaid and SVG. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { asRun, printed } from '../../src/algorithms/helpers/bully-fd-statechart.ts'
import { commandLine } from '../support/command-line.ts'
import { mermaid, svg } from './draw-statechart.ts'

commandLine({
  run: 'npm run statechart',
  does: 'Writes the statecharts of Bully_FD, as printed and as run, to docs/statechart.',
})
const folder = new URL('../../docs/statechart/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const chart of [printed, asRun]) {
  writeFileSync(new URL(`${chart.name}.mmd`, folder), mermaid(chart))
  writeFileSync(new URL(`${chart.name}.svg`, folder), svg(chart))
}
