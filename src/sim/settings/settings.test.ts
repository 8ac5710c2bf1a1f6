import { describe, expect, test } from 'vitest'
import { configurationOf } from '../../../test/support/random/random-configurations.ts'
import { tiny } from '../../../test/support/tiny-algorithms.ts'
import { algorithms, bully, bullyAsPrinted } from '../../algorithms/index.ts'
import { algorithm, choiceOption, numberOption } from '../../core/algorithm.ts'
import { FAULTS, type FaultKind } from '../faults/fault-catalogue.ts'
import { parseFault } from '../faults/fault-text.ts'
import { draw } from '../network/latency.ts'
import { InputError } from './input-error.ts'
import { parseLatency, showLatency } from './latency-text.ts'
import { parseSettings, showSettings } from './settings.ts'

const ringed = { ...tiny({}, {}, { topology: 'ring' }), name: 'ringed' }
const optioned = {
  ...algorithm({
    ...(tiny({}) as unknown as Parameters<typeof algorithm>[0]),
    options: { form: choiceOption('a', 'b'), share: numberOption(0.5, 0, 1) },
  }),
  name: 'optioned',
}
const registry = { algorithms: [...algorithms, ringed, optioned], detectors: [] }

type Setting = readonly [string, string]

const read = (...settings: Setting[]) =>
  parseSettings([['algorithm', 'bully'], ...settings], registry)
const readWith = (name: string, ...settings: Setting[]) =>
  parseSettings([['algorithm', name], ...settings], registry)

describe('settings', () => {
  test('are shown so that they are read as they were, for any configuration', () => {
    for (let seed = 0; seed < 300; seed++) {
      const config = configurationOf(seed)
      const shown = showSettings(config)
      const again = parseSettings(shown, registry)
      expect(again).toEqual(config)
      expect(showSettings(again)).toEqual(shown)
    }
  })

  test('have defaults', () => {
    const config = read()
    expect(config).toMatchObject({
      algorithm: bully,
      members: 5,
      seed: 1,
      detector: 'perfect',
      processingUs: 0,
      ring: null,
      initiators: null,
      down: [],
      faults: [],
      untilUs: null,
      network: { send: 'multicast', loss: 0, duplicate: 0, reorder: 0 },
    })
    expect(config.timing).toMatchObject({ messageMs: 5.001, detectionMs: 20, periodMs: 100 })
  })

  test('Tm is a microsecond more than a message can take, n − 1 times that where sending is sequential', () => {
    const latency: Setting = ['latency', '3ms']
    expect(read(latency).timing.messageMs).toBe(3.001)
    const five = read(latency, ['network', 'sequential'], ['nodes', '5'])
    expect(five.timing.messageMs).toBe(12.001)
    expect(read(latency, ['message-bound', '7ms']).timing.messageMs).toBe(7)
  })

  test('name members by their labels', () => {
    const config = read(
      ['strongest', 'lowest'],
      ['nodes', '4'],
      ['down', '1,2'],
      ['known-down', '2'],
      ['initiator', '4'],
      ['crash', '3@5ms'],
      ['cut', '1|2,3@7ms'],
      ['drop', '4>1@1ms'],
    )
    expect(config).toMatchObject({
      down: [4, 3],
      knownDown: [3],
      initiators: [1],
      faults: [
        { at: 1000, kind: 'drop', from: 1, to: 4 },
        { at: 5000, kind: 'crash', node: 2 },
        { at: 7000, kind: 'cut', from: [4], to: [3, 2] },
        { at: 7000, kind: 'cut', from: [3, 2], to: [4] },
      ],
    })
    expect(
      readWith('ringed', ['nodes', '3'], ['strongest', 'lowest'], ['ring', '3,1,2']).ring,
    ).toEqual([1, 3, 2])
  })

  test('take probabilities as fractions and in per cent', () => {
    for (const [text, value] of [
      ['0', 0],
      ['0.05', 0.05],
      ['5%', 0.05],
      ['99.5%', 0.995],
      ['1e-7', 1e-7],
    ] as const) {
      expect(read(['loss', text]).network.loss).toBe(value)
    }
  })

  test('take options of the algorithm', () => {
    const shown = readWith('bully-as-printed', ['option', 'form=004'])
    expect([shown.algorithm, shown.options]).toEqual([bullyAsPrinted, { form: '004' }])
    const both = readWith('optioned', ['option', 'share=0.25'], ['option', 'form=b'])
    expect(both.options).toEqual({ share: 0.25, form: 'b' })
  })
})

/** What each complaint must say besides the option and the given text. */
type Bad = readonly [name: string, setting: Setting, possible: string]
const BAD: readonly Bad[] = [
  ['bully', ['nodes', '0'], 'whole number from 1 to 2000000'],
  ['bully', ['nodes', '2000001'], 'whole number from 1 to 2000000'],
  ['bully', ['nodes', '-3'], 'whole number'],
  ['bully', ['nodes', '3.5'], 'whole number'],
  ['bully', ['nodes', '1e3'], 'whole number'],
  ['bully', ['nodes', 'x'], 'whole number'],
  ['bully', ['nodes', ''], 'whole number'],
  ['bully', ['seed', '-1'], 'whole number from 0 to 9007199254740991'],
  ['bully', ['seed', '9007199254740992'], 'whole number'],
  ['bully', ['strongest', 'tallest'], 'must be highest or lowest'],
  ['bully', ['detector', 'oracle'], 'there is no such detector; there are perfect'],
  ['bully', ['network', 'unicast'], 'must be multicast or sequential'],
  ...['loss', 'duplicate', 'reorder'].flatMap((key) =>
    ['1', '1.5', '-0.1', '100%', '-5%', 'x', '', ' ', '0x0', '%', '5 %', 'NaN'].map(
      (given): Bad => [
        'bully',
        [key, given],
        'must be a probability from 0 up to but not 1, such as 0.05 or 5%',
      ],
    ),
  ),
  ...['period', 'message-bound', 'processing'].flatMap((key) =>
    ['5', '-5ms', '5m', 'ms', '', '1ms..2ms'].map((given): Bad => [
      'bully',
      [key, given],
      'must be a duration with its unit us, ms or s',
    ]),
  ),
  ...['5', '', '20ms..', '..20ms', '20ms..junk', '30ms..10ms', '1ms..2ms..3ms', '-1ms'].map(
    (given): Bad => ['bully', ['detection', given], 'must be a duration or a range'],
  ),
  ...[
    '5',
    '',
    '5ms..',
    '5ms..1ms',
    '1ms..2ms..3ms',
    'exponential',
    'exponential:1ms',
    'exponential:1ms+2ms+3ms',
    'exponential:1ms+x',
    'exponential:1ms+2ms:3ms',
    'lognormal:3ms',
    'lognormal:3ms,0',
    'lognormal:3ms,-1',
    'lognormal:3ms,6',
    'lognormal:3ms,x',
    'lognormal:3ms,0.5,0.6',
    'lognormal:3ms,0x1',
    'normal:3ms',
    ':3ms',
  ].map((given): Bad => ['bully', ['latency', given], 'must be 3ms, 1ms..5ms']),
  ['bully', ['until', '5'], 'must be quiet or a duration'],
  ['bully', ['until', 'forever'], 'must be quiet or a duration'],
  ['bully', ['period', '20ms'], 'the detector'],
  ['bully', ['down', '6'], 'there is no member 6; members are 1 to 5'],
  ['bully', ['down', '0'], 'there is no member 0; members are 1 to 5'],
  ['bully', ['down', '1,'], 'there is no member (nothing); members are 1 to 5'],
  ['bully', ['down', ''], 'there is no member (nothing)'],
  ['bully', ['down', '1,1'], 'names a member twice'],
  ['bully', ['down', '1 2'], 'there is no member 1 2'],
  ['bully', ['known-down', '1'], '1 is not named in --down'],
  ['bully', ['initiator', '9'], 'there is no member 9'],
  ['bully', ['ring', '1,2,3,4,5'], 'bully does not run on a ring'],
  ['ringed', ['ring', '1,2,3'], 'must name each of the 5 members once'],
  ['ringed', ['ring', '1,2,3,4,4'], 'names a member twice'],
  ['bully', ['option', 'form=000'], 'bully has no option form; it has none'],
  ['bully-as-printed', ['option', 'form'], 'form must be one of 002, 000, 004'],
  ['bully-as-printed', ['option', 'form=003'], 'form must be one of 002, 000, 004'],
  ['bully-as-printed', ['option', 'form=000=002'], 'form must be one of 002, 000, 004'],
  ['bully-as-printed', ['option', ''], 'bully-as-printed has no option (nothing); it has form'],
  ['bully-as-printed', ['option', 'toString=1'], 'bully-as-printed has no option toString'],
  ['bully-as-printed', ['option', '__proto__=1'], 'bully-as-printed has no option __proto__'],
  ...['', '2', '-0.1', 'x', '0x1', ' '].map((value): Bad => [
    'optioned',
    ['option', `share=${value}`],
    'share must be a number from 0 to 1',
  ]),
  ['bully', ['colour', 'red'], 'there is no such setting; there are algorithm, nodes'],
  ['bully', ['toString', 'x'], 'there is no such setting'],
  ['', ['nodes', '3'], 'there is no such algorithm; there are bully'],
  ...(['crash', 'recover', 'pause', 'resume'] as const).flatMap((kind) =>
    ['5', '5@', '@5ms', '5@5', '6@5ms', 'x@5ms', '5@1ms@2ms', '1,2@5ms'].map((given): Bad => [
      'bully',
      [kind, given],
      given === '5' || given === '5@' || given === '5@5'
        ? `must be ${FAULTS[kind].form}`
        : 'there is no member',
    ]),
  ),
  ...['3@5ms', '3+20@5ms', '3+20ms', '3+20ms+5ms@1s', '+20ms@1s', '9+20ms@1s'].map((given): Bad => [
    'bully',
    ['slow', given],
    /^\+|^9/u.test(given) ? 'there is no member' : `must be ${FAULTS.slow.form}`,
  ]),
  ...['1,2@5ms', '1|2', '1|2|3@5ms', '1>2>3@5ms', '1|9@5ms', '|2@5ms', '1>@5ms'].map(
    (given): Bad => [
      'bully',
      ['cut', given],
      /9|^\||>@/u.test(given) ? 'there is no member' : `must be ${FAULTS.cut.form}`,
    ],
  ),
  ...['5@5ms', '@5', '', '5ms'].map((given): Bad => [
    'bully',
    ['heal', given],
    `must be ${FAULTS.heal.form}`,
  ]),
  ...['1@5ms', '1>2>3@5ms', '1|2@5ms', '1>2'].map((given): Bad => [
    'bully',
    ['drop', given],
    `must be ${FAULTS.drop.form}`,
  ]),
  ...['5', '5>3', '5>4>3@5ms', '5@5', ''].map((given): Bad => [
    'bully-fd-quorum',
    ['resign', given],
    `must be ${FAULTS.resign.form}`,
  ]),
  ...['9@5ms', '5>9@5ms', '5>@5ms', '>3@5ms', '5|3@5ms'].map((given): Bad => [
    'bully-fd-quorum',
    ['resign', given],
    'there is no member',
  ]),
  ['bully-fd-quorum', ['resign', '5>5@5ms'], 'a leader cannot be its own successor'],
  ['bully', ['resign', '5@5ms'], 'a leader cannot resign: bully does not support resigning'],
]

describe('bad input', () => {
  test.each(BAD)('%s with --%s is refused in a sentence', (name, [key, given], possible) => {
    const attempt = () => readWith(name, [key, given])
    expect(attempt).toThrow(InputError)
    const shown =
      name === '' ? '--algorithm (nothing): ' : `--${key} ${given === '' ? '(nothing)' : given}: `
    expect(attempt).toThrow(shown)
    expect(attempt).toThrow(possible)
  })

  test('a setting that can be given once is refused the second time', () => {
    expect(() => read(['nodes', '3'], ['nodes', '3'])).toThrow('--nodes 3: is given twice')
    expect(() =>
      readWith('bully-as-printed', ['option', 'form=000'], ['option', 'form=002']),
    ).toThrow('--option form=002: form is given twice')
  })

  test('an initiator that is down is refused', () => {
    expect(() => read(['down', '5'], ['initiator', '4,5'])).toThrow(
      '--initiator 4,5: 5 is down from the beginning',
    )
  })
})

describe('texts of faults and latencies', () => {
  test('every kind of fault has a form that is read', () => {
    const member = (text: string): number => Number(text)
    const examples: Record<FaultKind, string> = {
      crash: '5@100ms',
      recover: '5@300ms',
      forget: '5@200ms',
      pause: '5@100ms',
      resume: '5@300ms',
      resign: '5@2s',
      proof: '2>5@2s',
      add: '4@1s',
      promote: '4@2s',
      remove: '5@3s',
      reconfigure: '+200ms@4s',
      change: '3>4=observer@1s',
      'change-period': '3+200ms@1s',
      slow: '3+20ms@100ms',
      drift: '3*1.05@0ms',
      disk: '3+200ms@1s',
      'fail-write': '3@1s',
      leave: '3+50ms@1s',
      calm: '@2s',
      cut: '1,2|3,4,5@100ms',
      heal: '@2s',
      drop: '1>2@100ms',
      discard: '1>2@100ms',
      delay: '1>2+20ms@100ms',
      repeat: '1>2@100ms',
    }
    for (const [kind, example] of Object.entries(examples)) {
      expect(FAULTS[kind as FaultKind].form).toContain(example)
      const faults = parseFault(kind as FaultKind, example, member, () => new Error(example))
      expect(faults.map((fault) => fault.kind)).toEqual(kind === 'cut' ? [kind, kind] : [kind])
    }
  })

  test('every latency that is read can be drawn from', () => {
    for (const text of [
      '3ms',
      '0ms',
      '1ms..5ms',
      '5ms..5ms',
      'exponential:1ms+3ms',
      'lognormal:3ms,0.5',
    ]) {
      const latency = parseLatency(text)!
      expect(parseLatency(showLatency(latency))).toEqual(latency)
      expect(draw(latency, { below: () => 0, unit: () => 0 } as never)).toBeGreaterThanOrEqual(0)
    }
  })
})
