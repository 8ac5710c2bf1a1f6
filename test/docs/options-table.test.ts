import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { optionsTable } from '../../scripts/tables/options-reference.ts'

test('docs/guide/operations.md has the table of options that `npm run options` writes', () => {
  const file = new URL('../../docs/guide/operations.md', import.meta.url)
  expect(readFileSync(file, 'utf8')).toContain(optionsTable())
})
