/** Tables that scripts write into documents, between markers. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A table as the formatter would write it: the first column to the left, numbers to the right. */
export function markdown(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, i) => Math.max(3, ...rows.map((row) => row[i].length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(rows[0]), line(rule), ...rows.slice(1).map(line)].join('\n')
}

/** Replaces what stands between `<!-- NAME: begin -->` and `<!-- NAME: end -->` in a file of the repository. */
export function writeBetween(file: string, name: string, text: string): void {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url))
  const before = readFileSync(path, 'utf8')
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
  const [from, to] = [before.indexOf(begin), before.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has no "${begin}" … "${end}"`)
  writeFileSync(path, `${before.slice(0, from + begin.length)}\n\n${text}\n\n${before.slice(to)}`)
}

/** A table of words: every column to the left. */
export function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const rows = [head, ...body]
  const widths = head.map((_, i) => Math.max(3, ...rows.map((row) => row[i].length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
