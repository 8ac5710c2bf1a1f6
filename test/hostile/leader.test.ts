/** Tests that hostile traffic changes no leader: the short form of `npm run hostile`. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/campaigns/hostile.ts', import.meta.url))

interface Line {
  readonly count: number
  readonly sameLeader: boolean
}

test('malformed frames, a flood, slow handshakes and idle connections change no leader, and leave nothing behind', async () => {
  // Exits with 1, and so throws, if the leader is gone or its memory did not come back.
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    script,
    '0.01',
  ])
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  expect(lines).toHaveLength(4)
  for (const { count, sameLeader } of lines) expect([count > 0, sameLeader]).toEqual([true, true])
}, 60_000)
