/** The README's first screen, and the tables that it links to. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { algorithms } from '../src/algorithms/index.ts'
import { everyCheck } from '../src/explore/all-checks.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const readme = read('README.md')

/** The cells of the rows of a page's tables, without heads. */
function rowsOf(page: string): string[][] {
  const lines = page.split('\n').filter((line) => line.startsWith('|'))
  return lines
    .filter((line, i) => ![line, lines[i + 1]].some((rule) => rule?.startsWith('| -')))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

test('the README opens with the two commands', () => {
  const [, first, second] = /```sh\n(.*)\n(.*)\n```/u.exec(readme) ?? []
  expect(first).toMatch(/^npm ci && npm start\b/u)
  expect(second).toMatch(/^npm ci && npm test\b/u)
})

test('the first screen of the README shows the code and needs no document', () => {
  const screen = readme.split('\n').slice(0, 40).join('\n')
  expect(screen).toMatch(/```ts\n[\s\S]*election\.lead[\s\S]*\n```/u)
  expect(screen).not.toMatch(/\b00[0-4]\b|\bBully|\bPark\b|errata/u)
})

test('docs/algorithms.md lists every algorithm of the registry', () => {
  const listed = rowsOf(read('docs/algorithms.md'))
    .map(([name]) => name)
    .join(' ')
  expect(algorithms.filter(({ name }) => !listed.includes(`\`${name}\``))).toEqual([])
})

test('docs/checks.md has one row for each check of `check --all`, in order', () => {
  const listed = rowsOf(read('docs/checks.md')).map(([name, n]) => `${name} ${n}`)
  expect(listed).toEqual(
    everyCheck().map(({ algorithm, members }) => `${algorithm.name} ${members}`),
  )
})
