/** The tables of faults and of changes name a test in each row, and each of these tests exists. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { manPage } from '../scripts/tables/man-page.ts'
import { EXIT, EXIT_MEANINGS } from '../src/cli/errors.ts'

const root = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const rowsOf = (page: string) =>
  read(page)
    .split('\n')
    .flatMap((line) => {
      const found = /\| `([\w./-]+\.test\.ts)`: (.+?) +\|$/u.exec(line)
      return found === null ? [] : [{ file: found[1], title: found[2] }]
    })

const faults = rowsOf('docs/guide/faults.md')
const changes = rowsOf('docs/guide/change.md')

test('every row of the table of faults names a test', () => {
  const lines = read('docs/guide/faults.md').split('\n')
  const body = lines.filter((line) => /^\| (?!fault\b|-)/u.test(line))
  expect(body.length).toBeGreaterThan(40)
  expect(faults).toHaveLength(body.length)
})

test('every row of the table of changes names a test', () => {
  const body = read('docs/guide/change.md')
    .split('\n')
    .filter((line) => line.endsWith('|') && /^\| (?!change +\||[-`])/u.test(line))
  expect(body.length).toBeGreaterThan(15)
  expect(changes).toHaveLength(body.length)
})

test.each([...faults, ...changes])('$file has "$title"', ({ file, title }) => {
  // A title may be broken over lines, or have its quotes escaped.
  expect(read(file).replaceAll(String.raw`\'`, "'")).toContain(title)
})

test('the page of errors explains each code, with a class that exists', () => {
  const codes = read('src/core/errors/error-code.ts').match(/(?<=\| ')[a-z-]+(?=')/gu) ?? []
  const lines = read('docs/guide/errors.md').match(/^\| `[a-z-]+` .*$/gmu) ?? []
  const explained = lines.map((line) => /^\| `([a-z-]+)`/u.exec(line)?.[1])
  expect(new Set(explained)).toEqual(new Set(codes))
  expect(explained).toHaveLength(codes.length)
  expect(codes.length).toBeGreaterThan(20)
})

test('errors.md, --help and the page of the manual have the same exit codes', async () => {
  const page = read('docs/guide/errors.md')
  const rows = [...page.matchAll(/^\| `(\d)` +\| (.+?) +\|$/gmu)].map(([, code, text]) => [
    code,
    text,
  ])
  const table = Object.entries(EXIT_MEANINGS)
  expect(rows).toEqual(table)
  expect(new Set(table.map(([code]) => Number(code)))).toEqual(new Set(Object.values(EXIT)))
  const manual = await manPage()
  for (const [code, text] of table) expect(manual).toContain(`.B ${code}\n${text}\n`)
})
