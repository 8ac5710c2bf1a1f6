/** `npm run detectors`: measures every detector and writes the tables of times, costs and mistakes in docs/detectors.md. Same code, same table. */
import { markdownTable } from '../../src/core/markdown-table.ts'
import { detectors, heartbeatDetector, pingDetector } from '../../src/detectors/index.ts'
import { writeBetween } from '../support/markdown-section.ts'
import { commandLine } from '../support/command-line.ts'
import { measure, type Effort, type Measured, type Measurement } from './detector-measure.ts'

commandLine({
  run: 'npm run detectors',
  does: 'Measures every detector and writes the tables of docs/detectors.md: some minutes.',
})

const EFFORT: Effort = {
  members: 10,
  crashes: 100,
  steadySeconds: 20,
  hostileSeconds: 300,
  losses: [0, 0.01, 0.05, 0.2],
}

const measured: readonly Measured[] = [
  'perfect',
  ...detectors,
  pingDetector({ tries: 3 }),
  heartbeatDetector({ misses: 3 }),
]

/** How soon. */
function timeTable(rows: readonly Measurement[]): string {
  const head = ['detector', 'crash, mean', 'p99', 'max', 'with jitter, mean', '`up`', '`down`']
  const lines = rows.map(({ name, detection, jittered, upMs, downMs }) => [
    `\`${name}\``,
    ...[detection.meanMs, detection.p99Ms, detection.maxMs, jittered.meanMs, upMs, downMs].map(
      (ms) => `${ms.toFixed(1)} ms`,
    ),
  ])
  return markdownTable([head, ...lines], 'right')
}

/** At what cost, and how often wrongly. */
function costTable(rows: readonly Measurement[], losses: readonly number[]): string {
  const heads = losses.map((loss) => `false, ${100 * loss} % lost`)
  const lines = rows.map(({ name, starRate, meshRate, falseAlarms }) => [
    `\`${name}\``,
    ...[starRate, meshRate].map((rate) => rate.toFixed(2)),
    ...falseAlarms.map(brief),
  ])
  return markdownTable([['detector', 'star, msg/s', 'mesh, msg/s', ...heads], ...lines], 'right')
}

/** Two digits are enough. */
function brief(x: number): string {
  return x >= 10 ? x.toFixed(0) : String(Number(x.toPrecision(2)))
}

const rows = measured.map((detector) => measure(detector, EFFORT))
const written = `${timeTable(rows)}\n\n${costTable(rows, EFFORT.losses)}`
writeBetween('docs/detectors.md', 'measured', written)
process.stdout.write(`${written}\n`)
