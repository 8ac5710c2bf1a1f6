import { describe, expect, test } from 'vitest'
import { bully } from '../../algorithms/bully.ts'
import { bullyFd } from '../../algorithms/bully-fd.ts'
import { recordRun, traceOf } from '../run.ts'
import { parseSettings, showSettings, type Settings } from '../settings/settings.ts'
import { replay } from '../record/replay.ts'

const registry = { algorithms: [bully, bullyFd], detectors: [] }
const base: Settings = [
  ['algorithm', 'bully'],
  ['nodes', '3'],
  ['seed', '1'],
  ['latency', '4ms'],
]

/** Deliveries and losses from 3 to 1, with their times in ms. */
function ends(...faults: Settings): string[] {
  const { recording } = recordRun(parseSettings([...base, ...faults], registry))
  return recording.entries.flatMap(({ at, step }) =>
    (step.kind === 'deliver' || step.kind === 'lose') &&
    step.from === 3 &&
    step.node === 1 &&
    at < 60_000
      ? [`${at / 1000} ${step.kind} ${step.message.type}`]
      : [],
  )
}

describe('a message in flight', () => {
  test('arrives where nothing happens to it', () => {
    expect(ends()).toEqual(['4 deliver coordinator', '8 deliver ok', '8 deliver coordinator'])
  })

  test('is lost by discard: the next to arrive, or the one that is named', () => {
    expect(ends(['discard', '3>1@1ms'])).toEqual(['1 lose coordinator', ...ends().slice(1)])
    expect(ends(['discard', '3>1#2@5ms'])[1]).toBe('5 lose coordinator')
    expect(ends(['discard', '3>1@5ms'])[1]).toBe('5 lose ok')
    expect(ends(['discard', '3>1#2@1ms'])).toEqual(ends())
  })

  test('is held up by delay, and so are those behind it', () => {
    expect(ends(['delay', '3>1+20ms@1ms'])).toEqual(ends().map((end) => end.replace(/^\d+/u, '24')))
  })

  test('arrives twice by repeat', () => {
    expect(ends(['repeat', '3>1@1ms'])).toEqual([
      '4 deliver coordinator',
      '5 deliver coordinator',
      '8 deliver ok',
      '8 deliver coordinator',
    ])
  })

  test('is not there: the fault is recorded and changes nothing', () => {
    expect(ends(['discard', '1>3@50ms'])).toEqual(ends())
  })
})

const script: Settings = [
  ['algorithm', 'bully-fd'],
  ['nodes', '5'],
  ['discard', '5>1@1ms'],
  ['delay', '5>2#1+7ms@1ms'],
  ['repeat', '5>3@1ms'],
  ['cut', '1,2|3@40ms'],
  ['heal', '1>3@60ms'],
  ['heal', '2|3@80ms'],
]

test('the settings of such a run are read back, and its trace replays', () => {
  const config = parseSettings(script, registry)
  expect(parseSettings(showSettings(config), registry)).toEqual(config)
  const text = traceOf(config, recordRun(config).recording)
  expect(text).toContain('discard 5→1 1')
  expect(text).toContain('heal 2→3')
  expect(replay(text, registry).difference).toBeNull()
})

test('a heal of some links leaves the others cut', () => {
  const { world } = recordRun(parseSettings([...script, ['until', '500ms']], registry))
  const cutStill = (
    world as unknown as { outbox: { network: { isCut(a: number, b: number): boolean } } }
  ).outbox
  expect([cutStill.network.isCut(1, 3), cutStill.network.isCut(3, 1)]).toEqual([false, true])
})
