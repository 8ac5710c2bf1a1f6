/** The short forms of `npm run zombies` and `npm run soak:engines`, and the checker of the latter. */
import { describe, expect, test } from 'vitest'
import { soakEngine, violationsOf } from '../../scripts/campaigns/soak-engines.ts'
import { zombies } from '../../scripts/campaigns/zombies.ts'
import { has, installed, SERVER_NAMES } from '../../scripts/support/servers.ts'

/** Real processes and four servers on a machine that may be busy. */
const LIMIT_MS = 240_000

describe.skipIf(installed().length < SERVER_NAMES.length)('zombies', () => {
  test(
    'a leader that was stopped before its write is refused by every checker when it goes on',
    async () => {
      const report = await zombies({ times: 8, groups: 4 })
      expect(report.violations).toEqual([])
      expect(report.rejected).toBe(report.zombies)
      expect(report.zombies).toBeGreaterThanOrEqual(8)
    },
    LIMIT_MS,
  )
})

describe.skipIf(!has('etcd'))('through random faults on members and engine', () => {
  test(
    'tokens rise in the log of the resource, and no stale write is accepted',
    async () => {
      const report = await soakEngine({ engine: 'etcd', seconds: 8, members: 3, seed: 3 })
      expect(report.violations).toEqual([])
      expect(report.terms).toBeGreaterThan(1)
    },
    LIMIT_MS,
  )
})

describe('the checker of the soak', () => {
  const log = (...entries: readonly (readonly [number, string])[]): string[] =>
    violationsOf(entries.map(([token, writer]) => ({ token, writer })))

  test('accepts a history in which tokens rise and each has one writer', () => {
    expect(log([1, 'a'], [1, 'a'], [3, 'b'], [7, 'a'])).toEqual([])
  })

  test('finds a stale write', () => {
    expect(log([1, 'a'], [3, 'b'], [1, 'a'])).toEqual([
      'a stale write was accepted: token 1 after 3',
    ])
  })

  test('finds two writers with one token', () => {
    expect(log([2, 'a'], [2, 'b'])).toEqual(['a and b both wrote with token 2'])
  })
})
