/** The short form of `npm run hostile`. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/campaigns/hostile.ts', import.meta.url))

interface Line {
  readonly attack: string
  readonly ok: boolean
  /** Of the attack on a shared port. */
  readonly frames?: number
  readonly leadersApart?: readonly string[]
}

/** Throws if one of the attacks achieved something: then the campaign exits with 1. */
async function attack(campaign: string): Promise<Line[]> {
  const args = ['--import', 'tsx', script, '0.01', '--only', campaign]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const lines = stdout.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Line)
}

test('strangers, a malicious member and floods change nothing that lasts, and leave nothing behind', async () => {
  const lines: Line[] = []
  for (const campaign of ['strangers', 'member', 'leader']) lines.push(...(await attack(campaign)))
  expect(lines).toHaveLength(12 + 1 + 4)
  expect(lines.filter(({ ok }) => !ok)).toEqual([])
}, 120_000)

test('a malicious process of a shared port ends no process, and changes nothing in a group that it is no member of', async () => {
  const lines = await attack('port')
  expect(lines).toMatchObject([{ ok: true, deaths: 0, overlaps: [] }])
  expect(lines[0].leadersApart).toHaveLength(1)
  expect(lines[0].frames).toBeGreaterThanOrEqual(1000)
}, 120_000)
