/** Writes the measurements of docs/detectors.md: `npm run detectors`. Same code, same table. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { detectors, heartbeatDetector, pingDetector } from '../src/detectors/index.ts'
import { measure, type Effort, type Measured, type Measurement } from './detector-measure.ts'

const FILE = fileURLToPath(new URL('../docs/detectors.md', import.meta.url))
const BEGIN = '<!-- measured: begin -->'
const END = '<!-- measured: end -->'

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
  return markdown([head, ...lines])
}

/** At what cost, and how often wrongly. */
function costTable(rows: readonly Measurement[], losses: readonly number[]): string {
  const heads = losses.map((loss) => `false, ${100 * loss} % lost`)
  const lines = rows.map(({ name, starRate, meshRate, falseAlarms }) => [
    `\`${name}\``,
    ...[starRate, meshRate].map((rate) => rate.toFixed(2)),
    ...falseAlarms.map(brief),
  ])
  return markdown([['detector', 'star, msg/s', 'mesh, msg/s', ...heads], ...lines])
}

/** Two digits are enough. */
function brief(x: number): string {
  return x >= 10 ? x.toFixed(0) : String(Number(x.toPrecision(2)))
}

/** A table as the formatter would write it. */
function markdown(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, i) => Math.max(3, ...rows.map((row) => row[i].length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(rows[0]), line(rule), ...rows.slice(1).map(line)].join('\n')
}

function replaceMeasured(text: string, written: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${FILE} lacks ${BEGIN} … ${END}`)
  return `${text.slice(0, begin + BEGIN.length)}\n\n${written}\n\n${text.slice(end)}`
}

const rows = measured.map((detector) => measure(detector, EFFORT))
const written = `${timeTable(rows)}\n\n${costTable(rows, EFFORT.losses)}`
writeFileSync(FILE, replaceMeasured(readFileSync(FILE, 'utf8'), written))
process.stdout.write(`${written}\n`)
