/** Commands of `run` under faults that could let one outlive its term, one fault of each kind; `npm run endure -- run` has more. */
import { describe, expect, test } from 'vitest'
import { Namespaces } from '../../src/testing/index.ts'
import { runTrial } from '../../scripts/campaigns/endure/run-trial.ts'

const missing = Namespaces.whyUnavailable()

describe.skipIf(missing !== undefined)('a command never runs beside that of a later term', () => {
  test.concurrent.each([
    ['the runner is stopped as soon as its guardian exists', 'stopped-runner'],
    ['runner and guardian are stopped, and resumed later', 'frozen'],
    ['the runner is cut off, and the command ignores SIGTERM', 'lost-lease'],
    ['the runner fails, and the command has left its process group', 'left-group'],
    ['the same, and it has cleared its environment too', 'cleared-environment'],
    ['the guardian is stopped and the runner is killed', 'stopped-guardian'],
  ] as const)('%s', { timeout: 90_000 }, async (_fault, name) => {
    expect(await runTrial(name, 1)).toMatchObject({ found: 0 })
  })
})
