import { afterEach, expect, test } from 'vitest'
import { GuardedCommand } from './guarded-command.ts'

const { execPath } = process
afterEach(() => {
  process.execPath = execPath
})

test('a guardian that cannot be started, as when there are too many processes, is the end of its work', async () => {
  process.execPath = '/nowhere/node'
  const guarded = new GuardedCommand(
    ['true'],
    {},
    { leaseMs: 100, drainMs: 0, leadsUntil: () => Infinity },
  )
  const term = { signal: new AbortController().signal, remainingMs: () => Infinity }
  expect(await guarded.pid).toBe(0)
  expect(await guarded.during(term as never)).toBeNull()
})
