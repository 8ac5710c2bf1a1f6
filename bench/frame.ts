/**
 * The frame of the benchmarks. An entry is a file `bench/NAME.bench.ts` whose default export is an
 * `Entry`; `npm run bench` finds it by its file name, and `npm test` runs it once at `tiny`.
 */
import { readdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'

export type Scale = 'tiny' | 'quick' | 'full'

export interface Row {
  readonly metric: string
  readonly value: number
  readonly unit: string
  /** What the value must reach (`min`) or must not exceed (`max`). */
  readonly bound?: { readonly min?: number; readonly max?: number }
  readonly note?: string
}

export interface Entry {
  readonly name: string
  /** One line for `--list`. */
  readonly describe: string
  /** `tiny` only shows that the entry works, in milliseconds; `full` measures, `quick` less exactly. */
  run(scale: Scale, progress?: (text: string) => void): Promise<Row[]> | Row[]
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

/** Does the row keep its bound? A row without one is only reported. */
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

const HELP = `Usage: npm run bench -- [NAME…] [--quick] [--json] [--list] [--help]

Runs the named benchmarks, or all of them, and compares each value with its bound.

  --quick  a fraction of the work, where a benchmark takes minutes: less exact
  --json   print JSON instead of a table
  --list   print the names and what each measures
  --help   print this text

Exit code: 0 all bounds kept, 1 a value falls short, 2 wrong usage.
`

export interface Output {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** The command line of the benchmarks; returns the exit code. */
export async function main(
  args: readonly string[],
  entries: readonly Entry[],
  { out, err }: Output,
  scale: Scale = 'full',
): Promise<number> {
  const usage = parse(args, entries)
  if ('mistake' in usage) {
    err(`${usage.mistake}\n`)
    return 2
  }
  if (usage.help) {
    out(HELP)
    return 0
  }
  if (usage.list) {
    out(usage.chosen.map(({ name, describe }) => `${name}  ${describe}\n`).join(''))
    return 0
  }
  const asked = usage.quick && scale === 'full' ? 'quick' : scale
  const reports = await runAll(usage.chosen, asked, usage.json ? () => {} : err)
  out(`${usage.json ? JSON.stringify(withVerdicts(reports), null, 2) : table(reports)}\n`)
  return reports.some(({ rows }) => rows.some((row) => verdict(row) === 'falls short')) ? 1 : 0
}

interface Usage {
  readonly help: boolean
  readonly list: boolean
  readonly json: boolean
  readonly quick: boolean
  readonly chosen: readonly Entry[]
}

const OPTIONS = {
  help: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
} as const

function parse(args: readonly string[], entries: readonly Entry[]): Usage | { mistake: string } {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const unknownOption = tokens.find((token) => token.kind === 'option' && !(token.name in OPTIONS))
  if (unknownOption?.kind === 'option') {
    return {
      mistake: `${unknownOption.rawName}: no such option; possible: --quick, --json, --list, --help.`,
    }
  }
  const names = entries.map(({ name }) => name)
  const unknown = positionals.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const possible = names.length === 0 ? 'there are none yet' : `possible: ${names.join(', ')}`
    return { mistake: `${unknown}: no such benchmark; ${possible}.` }
  }
  const chosen = entries.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  )
  const { help, list, json, quick } = values
  return { help: !!help, list: !!list, json: !!json, quick: !!quick, chosen }
}

async function runAll(
  entries: readonly Entry[],
  scale: Scale,
  progress: (text: string) => void,
): Promise<Report[]> {
  const reports: Report[] = []
  for (const entry of entries) {
    progress(`${entry.name} …\n`)
    reports.push({ name: entry.name, rows: await entry.run(scale, progress) })
  }
  return reports
}

function withVerdicts(reports: readonly Report[]): object[] {
  return reports.map(({ name, rows }) => ({
    name,
    rows: rows.map((row) => ({ ...row, ...(row.bound && { verdict: verdict(row) }) })),
  }))
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
