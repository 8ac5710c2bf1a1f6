/** Prints lines, JSON and aligned columns: results to standard output, remarks to standard error. */
import { printable } from '../../transports/printable.ts'

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value))
}

export function remark(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** `1 member`, `2 members`. */
export function counted(n: number, thing: string): string {
  return `${n.toLocaleString('en')} ${thing}${n === 1 ? '' : 's'}`
}

/** A value that another process sent, as a cell of a table. */
export function cellOf(value: unknown): string {
  return printable(String((value as string | number | null | undefined) ?? '-'), 64)
}

/** Each row as a line, with columns as wide as their widest cell. */
export function alignColumns(rows: readonly (readonly string[])[], gap = 2): string[] {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)))
  const pad = (cell: string, i: number): string => cell.padEnd(widths[i] + gap)
  return rows.map((row) => row.map(pad).join('').trimEnd())
}
