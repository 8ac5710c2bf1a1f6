import { describe, expect, test } from 'vitest'
import { bully } from '../../algorithms/bully.ts'
import { bullyFdQuorum } from '../../algorithms/bully-fd-quorum.ts'
import { rouletteMajority } from '../../algorithms/roulette-majority.ts'
import { NONE } from '../../core/node-id.ts'
import { configure, SimConfigError, type SimOptions } from '../config.ts'
import type { Fault } from '../faults/fault-catalogue.ts'
import { replay } from '../record/replay.ts'
import { recordRun, summarize, traceOf } from '../run.ts'
import { parseSettings, showSettings } from '../settings/settings.ts'
import { World } from '../world/world.ts'

const registry = { algorithms: [bully, bullyFdQuorum, rouletteMajority], detectors: [] }
const SECOND = 1_000_000
const resign = { kind: 'resign', node: 5, at: 2 * SECOND } as const

function run(faults: readonly Fault[], more: Partial<SimOptions> = {}) {
  const config = configure({
    algorithm: bullyFdQuorum,
    members: 5,
    untilUs: 4 * SECOND,
    faults,
    ...more,
  })
  const { world, recording } = recordRun(config)
  const resigned = recording.entries.filter(({ step }) => step.kind === 'resign')
  return { config, world, recording, resigned }
}

const leaderAfter = (faults: readonly Fault[]): number => run(faults).world.monitors.agreed

describe('a leader that is to resign', () => {
  test('takes a step of its own: it leads no longer and tells all others', () => {
    const { resigned, world } = run([resign])
    expect(resigned.map(({ at, step }) => [at, step])).toEqual([
      [2 * SECOND, { kind: 'resign', node: 5, successor: NONE }],
    ])
    const [{ changes, sendings }] = resigned
    expect(changes).toContainEqual({ field: 'leader', before: '5', after: '-' })
    expect(sendings.map(({ to, message }) => [to, message.type])).toEqual(
      [1, 2, 3, 4].map((to) => [to, 'resign']),
    )
    expect(world.monitors.violations).toEqual([])
  })

  test('is followed by whom it names, else by the strongest of the others', () => {
    expect(leaderAfter([])).toBe(5)
    expect(leaderAfter([resign])).toBe(4)
    expect(leaderAfter([{ ...resign, successor: NONE }])).toBe(4)
    expect(leaderAfter([{ ...resign, successor: 3 }])).toBe(3)
  })

  test('may be one that draws lots, whose successor the lots decide', () => {
    const { resigned, world } = run(
      [1, 2, 3, 4, 5].map((node) => ({ ...resign, node })),
      {
        algorithm: rouletteMajority,
        untilUs: 10 * SECOND,
      },
    )
    expect(resigned.length).toBeGreaterThan(0)
    expect(world.monitors.agreed).not.toBe(NONE)
  })

  test('is replaced much sooner than one that crashes', () => {
    const electedMs = (fault: Fault): number => summarize(run([fault]).world).electedMs!
    expect(electedMs(resign)).toBeLessThan(electedMs({ ...resign, kind: 'crash' }) / 4)
  })
})

describe('nothing happens, and nothing is recorded, where a member that is to resign', () => {
  test.each<[string, Fault[]]>([
    ['follows another', [{ ...resign, node: 3 }]],
    ['has not started yet', [{ ...resign, at: 0 }]],
    ['is down', [{ kind: 'crash', node: 5, at: SECOND }, resign]],
    [
      'has recovered and is still silent',
      [
        { kind: 'crash', node: 5, at: SECOND },
        { kind: 'recover', node: 5, at: 2 * SECOND - 1 },
        resign,
      ],
    ],
  ])('%s', (_, faults) => {
    const { resigned, recording } = run(faults)
    expect(resigned).toEqual([])
    const without = run(faults.filter(({ kind }) => kind !== 'resign'))
    expect(recording.entries).toEqual(without.recording.entries)
  })
})

describe('a paused leader that is to resign', () => {
  const pause = (kind: 'pause' | 'resume' | 'crash', us: number): Fault => ({
    kind,
    node: 5,
    at: 2 * SECOND + us,
  })

  test('does so when it resumes', () => {
    const { resigned } = run([pause('pause', -1000), resign, pause('resume', 20_000)])
    expect(resigned.map(({ at }) => at)).toEqual([2 * SECOND + 20_000])
  })

  test('does not where its lease ran out before the request, or where it has crashed', () => {
    expect(run([pause('pause', -SECOND), resign, pause('resume', SECOND)]).resigned).toEqual([])
    expect(run([pause('pause', -1000), resign, pause('crash', 20_000)]).resigned).toEqual([])
  })
})

test('an algorithm that does not support resigning refuses it, and names the setting', () => {
  const options = { algorithm: bully, members: 5, faults: [resign] }
  expect(() => configure(options)).toThrow(SimConfigError)
  expect(() => configure(options)).toThrow(
    'a leader cannot resign: bully does not support resigning',
  )
  const world = new World(configure({ ...options, faults: [] }))
  expect(() => world.inject(resign)).toThrow('bully does not support resigning')
  const settings = [
    ['algorithm', 'bully'],
    ['resign', '5@2s'],
  ] as const
  expect(() => parseSettings(settings, registry)).toThrow(
    '--resign 5@2s: a leader cannot resign: bully does not',
  )
})

test('a leader cannot be its own successor', () => {
  const faults = [{ ...resign, successor: 5 }]
  expect(() => configure({ algorithm: bullyFdQuorum, members: 5, faults })).toThrow(
    'a leader cannot be its own successor',
  )
})

test('the settings of such a run are read back, and its trace replays', () => {
  const { config, recording } = run([resign, { ...resign, node: 4, successor: 2, at: 3 * SECOND }])
  const shown = showSettings(config).filter(([key]) => key === 'resign')
  expect(shown.map(([, value]) => value)).toEqual(['5@2s', '4>2@3s'])
  expect(parseSettings(showSettings(config), registry)).toEqual(config)
  const text = traceOf(config, recording)
  expect(text).toMatch(/^2s resign 5$/mu)
  expect(text).toMatch(/^3s resign 4 2$/mu)
  expect(replay(text, registry).difference).toBeNull()
})

test('members are named by their labels', () => {
  const settings = [
    ['algorithm', 'bully-fd-quorum'],
    ['strongest', 'lowest'],
    ['resign', '1>3@200ms'],
    ['until', '500ms'],
  ] as const
  const config = parseSettings(settings, registry)
  expect(config.faults).toEqual([{ at: 200_000, kind: 'resign', node: 5, successor: 3 }])
  const { world, recording } = recordRun(config)
  expect(traceOf(config, recording)).toMatch(/^200ms resign 1 3$/mu)
  expect(summarize(world).leader).toBe(3)
})
