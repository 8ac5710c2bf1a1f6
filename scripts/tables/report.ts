/** `npm run report`: measures every claim, and writes docs/report and the tables of experiments/…/README.md. */
import { fileURLToPath } from 'node:url'
// Compiled: its worker threads run without a loader.
import { claimTable, publish, reproduce } from '../../dist/experiments/index.js'
import { commandLine } from '../support/command-line.ts'
import { writeBetween } from '../support/markdown-section.ts'

commandLine({
  run: 'npm run report',
  does: 'Measures every claim and writes docs/report and the tables of experiments/…/README.md: some minutes.',
})
const report = await reproduce({
  only: [],
  seed: 1,
  effort: 1,
  elections: 500,
  finished: (name, seconds) => process.stderr.write(`${name} ${seconds.toFixed(1)} s\n`),
})
await publish(report, fileURLToPath(new URL('../../docs/report', import.meta.url)))
for (const { source, parts } of report.chapters) {
  const table = claimTable(
    parts.flatMap((part) => part.claims),
    '../../docs/report/claims',
  )
  writeBetween(`experiments/${source}/README.md`, 'measured', table)
}
