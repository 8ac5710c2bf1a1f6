/** `npm run report`: measures everything, writes docs/report, and the tables of experiments/…/README.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { claimTable, publish, reproduce } from '../../dist/experiments/index.js'

const root = new URL('../../', import.meta.url)
const report = await reproduce({ only: [], seed: 1, effort: 1, elections: 500, finished: shown })
await publish(report, fileURLToPath(new URL('docs/report', root)))
for (const { source, parts } of report.chapters) {
  const file = new URL(`experiments/${source}/README.md`, root)
  const [begin, end] = ['<!-- measured: begin -->', '<!-- measured: end -->']
  const text = readFileSync(file, 'utf8')
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)]
  const table = claimTable(parts.flatMap((part) => part.claims))
  writeFileSync(file, `${text.slice(0, from)}\n\n${table}\n\n${text.slice(to)}`)
}

/** @param {string} name @param {number} seconds */
function shown(name, seconds) {
  process.stderr.write(`${name} ${seconds.toFixed(1)} s\n`)
}
