/**
 * Finds and runs benchmarks, judges their values by bounds, and prints them as a table or JSON. A benchmark is a file `bench/NAME.bench.ts` whose default export is an
 * `Entry`; `npm run bench` finds it by its file name, and `npm test` runs it once at the scale `tiny`.
 */
import { readdir } from 'node:fs/promises'

export type Scale = 'tiny' | 'quick' | 'full'

export interface Row {
  readonly metric: string
  readonly value: number
  readonly unit: string
  /** What the value must reach (`min`) or must not exceed (`max`). */
  readonly bound?: { readonly min?: number; readonly max?: number }
  readonly note?: string
}

type Judgement = Pick<Row, 'bound' | 'note'>

export function row(metric: string, value: number, unit: string, more: Judgement = {}): Row {
  return { metric, value, unit, ...more }
}

export interface Entry {
  readonly name: string
  /** One line for `--list`. */
  readonly describe: string
  /**
   * `tiny` only shows that the entry works, in milliseconds; `full` measures, `quick` less exactly. `base`: a folder
   * with a build to compare with, for an entry that measures one.
   */
  run(scale: Scale, progress?: (text: string) => void, base?: string): Promise<Row[]> | Row[]
}

export interface Report {
  readonly name: string
  readonly rows: readonly Row[]
}

export async function loadEntries(folder = new URL('.', import.meta.url)): Promise<Entry[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.bench.ts')).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const module = (await import(new URL(file, folder).href)) as { default: Entry }
      return module.default
    }),
  )
}

/** Whether a row keeps its bound; a row without one is only reported. */
export function verdict({ value, bound }: Row): 'pass' | 'falls short' | '' {
  if (bound === undefined) return ''
  const { min = -Infinity, max = Infinity } = bound
  return value >= min && value <= max ? 'pass' : 'falls short'
}

/** Rows as text in aligned columns, numbers to the right. */
export function table(reports: readonly Report[]): string {
  const head = ['benchmark', 'metric', 'value', 'unit', 'bound', 'verdict', 'note']
  const body = reports.flatMap(({ name, rows }) =>
    rows.map((row) => [
      name,
      row.metric,
      number(row.value),
      row.unit,
      boundText(row),
      verdict(row),
      row.note ?? '',
    ]),
  )
  const widths = head.map((title, k) =>
    Math.max(title.length, ...body.map((cells) => cells[k].length)),
  )
  const line = (cells: string[]) =>
    cells
      .map((cell, k) => (k === 2 ? cell.padStart(widths[k]) : cell.padEnd(widths[k])))
      .join('  ')
      .trimEnd()
  return [head, ...body].map(line).join('\n')
}

/** Runs the benchmarks one after the other; `progress` reports which one runs. */
export async function runAll(
  entries: readonly Entry[],
  scale: Scale,
  progress: (text: string) => void,
  base?: string,
): Promise<Report[]> {
  const reports: Report[] = []
  for (const entry of entries) {
    progress(`${entry.name} …\n`)
    reports.push({ name: entry.name, rows: await entry.run(scale, progress, base) })
  }
  return reports
}

export function json(reports: readonly Report[]): string {
  const judged = reports.map(({ name, rows }) => ({
    name,
    rows: rows.map((row) => ({ ...row, ...(row.bound && { verdict: verdict(row) }) })),
  }))
  return JSON.stringify(judged, null, 2)
}

/** Whether every bounded row keeps its bound. */
export function areKept(reports: readonly Report[]): boolean {
  return reports.every(({ rows }) => rows.every((row) => verdict(row) !== 'falls short'))
}

function boundText({ bound }: Row): string {
  return [
    bound?.min === undefined ? '' : `≥ ${number(bound.min)}`,
    bound?.max === undefined ? '' : `≤ ${number(bound.max)}`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}

/** Four significant digits, or all of a whole number above a thousand: 0.8213 and 3,120,000. */
function number(value: number): string {
  const precision =
    Math.abs(value) >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 }
  return value.toLocaleString('en-US', precision)
}
