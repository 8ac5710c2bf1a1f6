import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { algorithms } from '../src/algorithms/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the README lists every algorithm of the registry', () => {
  const table = readme.split('\n').filter((line) => line.startsWith('|'))
  const missing = algorithms.filter(
    ({ name }) => !table.some((line) => line.includes(`\`${name}\``)),
  )
  expect(missing.map(({ name }) => name)).toEqual([])
})

test('the README opens with the two commands', () => {
  const [, first, second] = /```sh\n(.*)\n(.*)\n```/u.exec(readme) ?? []
  expect(first).toMatch(/^npm ci && npm start\b/u)
  expect(second).toMatch(/^npm ci && npm test\b/u)
})

test('every file that the README points to is there', () => {
  const targets = [...readme.matchAll(/\]\(([^)#:]+)\)/gu)].map(([, target]) => target)
  const missing = targets.filter((target) => !existsSync(new URL(`../${target}`, import.meta.url)))
  expect(missing).toEqual([])
})
