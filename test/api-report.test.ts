/** The API report under review is that of the code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiReport } from '../scripts/tables/api-report.ts'
import { ROOT } from './tidy/repository.ts'

test('api/ has what `npx tsc -b && npm run api` writes', () => {
  const report = apiReport()
  const kept = new Map(
    readdirSync(join(ROOT, 'api')).map((file) => [
      `api/${file}`,
      readFileSync(join(ROOT, 'api', file), 'utf8'),
    ]),
  )
  expect(new Set(kept.keys())).toEqual(new Set(report.keys()))
  for (const [path, page] of report) expect(kept.get(path)).toBe(page)
  expect(report.get('api/bellwether.md')).toContain('export declare function join<')
  expect([...report.values()].join('')).not.toContain('private ')
})
