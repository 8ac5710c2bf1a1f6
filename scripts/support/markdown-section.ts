/** Replaces a generated section of a Markdown file, between its markers. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Replaces what stands between `<!-- NAME: begin -->` and `<!-- NAME: end -->` in a file of the repository. */
export function writeBetween(file: string, name: string, text: string): void {
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url))
  const before = readFileSync(path, 'utf8')
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
  const [from, to] = [before.indexOf(begin), before.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has no "${begin}" … "${end}"`)
  writeFileSync(path, `${before.slice(0, from + begin.length)}\n\n${text}\n\n${before.slice(to)}`)
}
