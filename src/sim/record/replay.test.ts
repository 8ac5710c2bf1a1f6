import { describe, expect, test } from 'vitest'
import { configurationOf } from '../../../test/support/random/random-configurations.ts'
import { algorithms, bully } from '../../algorithms/index.ts'
import { TraceError } from './trace.ts'
import { configure } from '../config.ts'
import type { Fault } from '../faults/fault-catalogue.ts'
import { replay } from './replay.ts'
import { recordRun, summarize, traceOf } from '../run.ts'
import { InputError } from '../settings/input-error.ts'
import { StepError } from '../stepper/stepper.ts'

const registry = { algorithms, detectors: [] }

function traceFrom(seed: number): { text: string; summary: ReturnType<typeof summarize> } {
  const config = configurationOf(seed)
  const { world, recording } = recordRun(config)
  return { text: traceOf(config, recording), summary: summarize(world) }
}

/** The trace of one run that does not depend on how configurations are drawn. */
function known(): string {
  const faults: Fault[] = [{ at: 100_000, kind: 'crash', node: 5 }]
  const config = configure({ algorithm: bully, members: 5, faults })
  return traceOf(config, recordRun(config).recording)
}

const STEPPED = [
  'bellwether trace 1',
  'mode stepped',
  'algorithm bully',
  'nodes 3',
  'start settled',
  '----',
  'crash 3',
  'down 2 3',
  'timeout 2 answer',
  'deliver 2→1 coordinator{term=2}',
  'down 1 3',
].join('\n')

describe('a replay', () => {
  test('of a timed trace is the same trace, with the same end', () => {
    for (let seed = 0; seed < 40; seed++) {
      const { text, summary } = traceFrom(seed)
      const played = replay(text, registry)
      expect(played).toMatchObject({ mode: 'timed', difference: null, members: summary.members })
      expect(played.text).toBe(text)
    }
  })

  test('finds the changed line of a timed trace', () => {
    const text = known()
    const lines = text.trimEnd().split('\n')
    const rule = lines.indexOf('----')
    for (const place of [rule + 1, Math.floor((rule + lines.length) / 2), lines.length - 1]) {
      const tampered = lines.map((line, i) =>
        i !== place
          ? line
          : line.startsWith('  ')
            ? `${line}0`
            : line.replace(/\d+(?=m?s )|\d+$/u, (n) => n + '1'),
      )
      const { difference } = replay(tampered.join('\n'), registry)
      expect(difference).toEqual({ line: place + 1, read: tampered[place], computed: lines[place] })
    }
  })

  test('finds a line that is missing and one that is too much', () => {
    const text = known()
    const lines = text.trimEnd().split('\n')
    const shorter = replay(lines.slice(0, -1).join('\n'), registry).difference
    expect(shorter).toMatchObject({ read: '(nothing)', computed: lines.at(-1) })
    const longer = replay([...lines, '  9 term 1→2'].join('\n'), registry).difference
    expect(longer).toEqual({
      line: lines.length + 1,
      read: '  9 term 1→2',
      computed: '(nothing)',
    })
  })

  test('of steps without effects computes them, and of those compares them', () => {
    const played = replay(STEPPED, registry)
    expect([played.mode, played.difference]).toEqual(['stepped', null])
    expect(played.members.map(({ up, leader }) => [up, leader])).toEqual([
      [true, 2],
      [true, 2],
      [false, null],
    ])
    expect(played.text).toContain('\n  2→1 coordinator{term=2}\n')
    expect(replay(played.text, registry)).toMatchObject({ difference: null, text: played.text })
    const tampered = played.text.replace('2→1 coordinator{term=2}', '2→1 coordinator{term=3}')
    const line = played.text.split('\n').indexOf('  2→1 coordinator{term=2}') + 1
    expect(replay(tampered, registry).difference).toMatchObject({ line })
  })

  test('of a doubled message is a trace that can be replayed', () => {
    const steps = STEPPED.replace(
      'deliver 2→1',
      'duplicate 2→1 coordinator{term=2}\ndeliver 2→1 coordinator{term=2}\ndeliver 2→1',
    )
    const played = replay(steps, registry)
    expect(replay(played.text, registry)).toMatchObject({ difference: null, text: played.text })
  })

  test.each([
    ['mode stepped', 'mode slow', TraceError, 'the setting "mode" must be timed or stepped'],
    ['mode stepped\n', '', TraceError, 'not "(nothing)"'],
    ['bellwether trace 1', 'bellwether trace 9', TraceError, 'the only version known'],
    ['algorithm bully', 'algorithm sheep', InputError, '--algorithm sheep'],
    ['nodes 3', 'nodes many', InputError, '--nodes many'],
    ['start settled', 'start asleep', InputError, '--start asleep: must be boot or settled'],
    ['start settled', 'colour red', InputError, '--colour red'],
    ['crash 3', 'crash 7', StepError, 'step 1 (crash 7) cannot happen'],
    ['timeout 2 answer', 'timeout 1 answer', StepError, 'step 3 (timeout 1 answer)'],
    ['crash 3', 'explode 3', TraceError, 'line 7: cannot read the step "explode 3"'],
  ])('with "%s" turned into "%s" is refused in a sentence', (part, other, kind, sentence) => {
    const attempt = () => replay(STEPPED.replace(part, other), registry)
    expect(attempt).toThrow(kind)
    expect(attempt).toThrow(sentence)
  })
})
