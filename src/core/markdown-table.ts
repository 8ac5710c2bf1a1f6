/** Writes rows of text as an aligned Markdown table. */

/** The first row is the head. With `right`, all columns but the first are aligned to the right, as numbers are. */
export function markdownTable(
  rows: readonly (readonly string[])[],
  align: 'left' | 'right' = 'left',
): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = cells[0].map((_, i) => Math.max(3, ...cells.map((row) => lengthOf(row[i]))))
  const isRight = (i: number): boolean => align === 'right' && i > 0
  const pad = (cell: string, i: number): string => {
    const space = ' '.repeat(widths[i] - lengthOf(cell))
    return isRight(i) ? space + cell : cell + space
  }
  const line = (row: readonly string[]): string => `| ${row.map(pad).join(' | ')} |`
  const rule = widths.map((width, i) => '-'.repeat(width - 1) + (isRight(i) ? ':' : '-'))
  return [cells[0], rule, ...cells.slice(1)].map(line).join('\n')
}

function lengthOf(cell: string): number {
  return Array.from(cell).length
}
