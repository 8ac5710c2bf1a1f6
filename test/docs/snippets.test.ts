/** Every TypeScript block of the README, the guide and the recipes compiles. */
import { expect, test } from 'vitest'
import { blocksOf, pages, type Block } from './markdown.ts'
import { compile } from './snippets.ts'

const shown = pages()
  .filter(({ path }) => /^(?:README|docs\/(?:guide\/.*|recipes))\.md$/u.test(path))
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'ts')
const block = (where: string, text: string): Block => ({ where, language: 'ts', text })
const missing = block('missing', "await join({ group: 'a', id: 'a', members: {} })")
const wrong = block(
  'wrong',
  "import { join } from 'bellwether'\nawait join({ group: 'a', id: 'a', members: {}, safe: 'quorum' })",
)
const errors = compile([...shown, missing, wrong])
const isOurs = (error: string): boolean => /^(?:missing|wrong),/u.test(error)

test('snippets compile against the published types', () => {
  expect(shown.length).toBeGreaterThan(5)
  expect(errors.filter((error) => !isOurs(error))).toEqual([])
})

test('a snippet with a missing import or an unknown option does not compile', () => {
  const [first, second, ...others] = errors.filter(isOurs)
  expect(first).toContain("'join'")
  expect(second).toContain("'safe'")
  expect(others).toEqual([])
})
