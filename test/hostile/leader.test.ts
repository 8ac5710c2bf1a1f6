/** The short form of `npm run hostile`. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/campaigns/hostile.ts', import.meta.url))

interface Line {
  readonly attack: string
  readonly ok: boolean
}

test('strangers, a malicious member, a malicious process of a shared port and floods change nothing that lasts, and leave nothing behind', async () => {
  // Exits with 1, and so throws, if one of the attacks achieved something.
  const args = ['--import', 'tsx', script, '0.01']
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  expect(lines).toHaveLength(12 + 1 + 1 + 4)
  expect(lines.filter(({ ok }) => !ok)).toEqual([])
}, 120_000)
