/** Tests that the page of each claim lists the settings on which its runs depend, and no other: each parameter is changed, and the claims whose cases change are compared with those that list it. */
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Experiment } from './harness/claim.ts'
import { PARAMETERS, type ParameterName } from './harness/parameters.ts'
import { experiments } from './harness/registry.ts'
import { setupOf } from './harness/setup.ts'

const MODULE = './harness/parameters.ts'

/** Other values of the parameters that experiments read; the rest describes what an algorithm or a host has by default. */
const OTHER: Partial<Record<ParameterName, number | readonly number[]>> = {
  bound: 5,
  tp: 0.2,
  handling: [0, 0.1, 0.5, 2],
  handled: [0.1, 0.5, 2],
  sizes000: [6, 10, 20, 30],
  signalSizes: [6, 10, 20, 30],
  listed: [0, 0.25, 0.5, 1],
  signal: [0.001, 0.01, 0.1, 3],
  superiors: 11,
  knownDead: [1, 2, 4, 9],
  bounds000: [2, 4, 8, 16, 24],
  churnEvery: [8, 4, 2, 1.5],
  churnTo: 80,
  churnSeconds: 100,
  watchers: [9, 100],
  askedAfter: [6, 20],
  period: 80,
  jitter: [3, 0.6],
  sizes001: [4, 7, 10, 16, 20],
  known001: [0, 0.25, 0.5, 1],
  groups001: [6, 10, 12, 16],
  ranks001: [2, 3, 4, 5],
  listed001: [0, 1, 2],
  timeOuts001: [20, 40, 70],
  bounds001: [8, 16, 24],
  churnSizes: [8, 16, 32, 48, 64],
  outOfBound: [1, 5, 15],
  backAfter: [20, 500],
  sizes002: [3, 4, 5, 8, 12, 16, 20, 24, 32, 48, 64],
  sizes004: [4, 8, 16, 32, 64, 100, 128],
  actionSizes: [3, 4, 5, 6, 7],
  actionTimeOuts: [1, 3],
  answers002: 2.6,
  answersMs: 30,
  otherAnswers: [10.1, 40],
  detectionMs: 30,
  otherDrawers: [2, 5],
  firstMs: 2,
  windows: [1, 2, 5, 10, 13.5, 20, 40],
  detections: [0, 20, 50, 90],
  slowMessages: [5, 40],
  larger: [5, 9, 17, 25, 33],
  largerLatency: [5, 0.8],
  raftTimeout: [2, 4, 7, 12, 20],
  rings: 600,
}

/** Claims that were measured in a setting, and came out the same in another. */
const SAME: Partial<Record<ParameterName, readonly string[]>> = {
  watchers: ['000-heartbeat-messages', '000-down-list', '000-fd-up-to-date'],
  period: ['000-down-list', '000-fd-up-to-date'],
  answers002: ['002-failure-during-run'],
}

/** Of each claim the cases of its runs. */
function casesOf(those: readonly Experiment[]): Map<string, string> {
  const setup = setupOf({ seed: 1, effort: 0.02 })
  return new Map(
    those.flatMap((one) =>
      Object.entries(one.measure(setup).outcomes).map(([id, { runs }]): [string, string] => [
        id,
        JSON.stringify(runs.map(({ cases }) => cases)),
      ]),
    ),
  )
}

const measured = new Map<string, Map<string, string>>()

function before(one: Experiment): Map<string, string> {
  const found = measured.get(one.name) ?? casesOf([one])
  measured.set(one.name, found)
  return found
}

afterAll(() => {
  vi.doUnmock(MODULE)
  vi.resetModules()
})

describe('the parameters of a claim', () => {
  test.each(Object.entries(OTHER) as [ParameterName, number | readonly number[]][])(
    '%s: it is listed where it changes a case, and nowhere else',
    async (name, value) => {
      const those = experiments.filter(({ claims }) =>
        claims.some(({ parameters = [] }) => parameters.includes(name)),
      )
      vi.resetModules()
      vi.doMock(MODULE, async (original) => {
        const actual = await original<object>()
        return { ...actual, PARAMETERS: { ...PARAMETERS, [name]: { ...PARAMETERS[name], value } } }
      })
      const other = await import('./harness/registry.ts')
      const names = new Set(those.map((one) => one.name))
      const after = casesOf(other.experiments.filter((one) => names.has(one.name)))
      const isChanged = (one: Experiment, id: string): boolean =>
        before(one).get(id) !== after.get(id)
      const changed = those.flatMap((one) =>
        one.claims.map(({ id }) => id).filter((id) => isChanged(one, id)),
      )
      const listed = those.flatMap(({ claims }) =>
        claims.filter(({ parameters = [] }) => parameters.includes(name)).map(({ id }) => id),
      )
      const expected = listed.filter((id) => SAME[name]?.includes(id) !== true)
      expect({ name, changed }).toEqual({ name, changed: expected })
    },
    120_000,
  )
})
