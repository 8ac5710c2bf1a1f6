import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  parseTrace,
  TraceError,
  writeStep,
  writeTrace,
  type Trace,
  type TraceStep,
} from './trace.ts'

const label = fc.integer({ min: 1, max: 2_000_000 })
const labels = fc.array(label, { minLength: 1, maxLength: 5 })
const message = fc.constantFrom(
  'election',
  'coordinator{term=3}',
  'Norm?{elid=1}',
  'detector.ping{round=1}',
  'ring{list={1,2} votes=[1:2] leader=-}',
)
const us = fc.oneof(fc.nat(5_000_000), fc.maxSafeNat())

const step: fc.Arbitrary<TraceStep> = fc.oneof(
  fc.record({
    verb: fc.constantFrom('start', 'crash', 'recover', 'pause', 'resume'),
    node: label,
  }),
  fc.record({ verb: fc.constant('settled'), node: label, leader: fc.nat(9) }),
  fc.record({
    verb: fc.constantFrom('deliver', 'lose', 'duplicate'),
    from: label,
    to: label,
    message,
  }),
  fc.record({
    verb: fc.constant('timeout'),
    node: label,
    timer: fc.constantFrom('answer', 'detector.beat'),
    peer: fc.nat(9),
  }),
  fc.record({ verb: fc.constantFrom('up', 'down'), node: label, peer: label }),
  fc.record({
    verb: fc.constant('drawn'),
    node: label,
    name: fc.constant('wheel'),
    k: fc.maxSafeNat(),
  }),
  fc.record({ verb: fc.constant('resign'), node: label, successor: fc.nat(9) }),
  fc.record({ verb: fc.constant('slow'), node: label, us }),
  fc.record({ verb: fc.constant('cut'), from: labels, to: labels }),
  fc.constant<TraceStep>({ verb: 'heal' }),
  fc.record({ verb: fc.constant('heal'), from: labels, to: labels }),
  fc.record({ verb: fc.constant('drop'), from: label, to: label }),
  fc.record({ verb: fc.constantFrom('discard', 'repeat'), from: label, to: label, place: label }),
  fc.record({ verb: fc.constant('delay'), from: label, to: label, place: label, us }),
)

const effect = fc.constantFrom(
  '3 status Elec→Norm',
  '3→1 coordinator{term=1}',
  '3→1 election (1 is down)',
  '! agreement: 1 follows 2, 2 follows nobody',
)

const trace: fc.Arbitrary<Trace> = fc.record({
  settings: fc.array(
    fc.tuple(
      fc.constantFrom('mode', 'crash', 'option', 'cut'),
      fc.constantFrom('timed', '5@100ms', 'form=000', '1,2|3@1s', ''),
    ),
  ),
  entries: fc.array(
    fc.record({
      at: fc.option(us),
      step,
      note: fc.constantFrom('', '5 is down', 'the link is cut'),
      effects: fc.array(effect, { maxLength: 3 }),
    }),
  ),
})

const HEAD = ['bellwether trace 1', 'mode stepped', '----']

describe('a trace', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(trace, (written) => {
        expect(parseTrace(writeTrace(written))).toEqual(written)
      }),
    )
  })

  test('may have remarks, empty lines, arrows in ASCII and line ends of either kind', () => {
    const text = [
      HEAD[0],
      '# what it is about',
      ...HEAD.slice(1),
      '',
      '# then',
      'deliver 1->2 ok',
      '  2 status Elec→Norm',
      'cut 1,2->3',
      '',
    ].join('\r\n')
    expect(parseTrace(text)).toEqual({
      settings: [['mode', 'stepped']],
      entries: [
        {
          at: null,
          step: { verb: 'deliver', from: 1, to: 2, message: 'ok' },
          note: '',
          effects: ['2 status Elec→Norm'],
        },
        { at: null, step: { verb: 'cut', from: [1, 2], to: [3] }, note: '', effects: [] },
      ],
    })
  })

  test.each([
    'nonsense',
    ' crash 1',
    '\tcrash 1',
    'Crash 1',
    'crash',
    'crash x',
    'crash -1',
    'crash 1.5',
    'crash 1 2',
    'start 1 now',
    '5 crash 1',
    '5m crash 1',
    '5ms',
    '5ms 6ms crash 1',
    'settled 1',
    'settled 1 2 3',
    'deliver 1→2',
    'deliver 1 ok',
    'deliver 1→ ok',
    'deliver 1→2→3 ok',
    'deliver 1→x ok',
    'timeout 1',
    'timeout x answer',
    'timeout 1 answer x',
    'timeout 1 answer 2 3',
    'up 1',
    'down 1 2 3',
    'drawn 1 wheel',
    'drawn 1 wheel x',
    'drawn 1 wheel 1 2',
    'slow 1',
    'slow 1 5',
    'slow 1 5ms 6ms',
    'cut 1',
    'cut →1',
    'cut 1→',
    'cut 1,→2',
    'cut 1→2→3',
    'cut 1→2 3',
    'heal 1',
    'drop 1',
    'drop 1→2 ok',
    'drop 1→2→3',
  ])('"%s" is no step, and the complaint names its line', (line) => {
    const text = [...HEAD, 'crash 3', line, ''].join('\n')
    expect(() => parseTrace(text)).toThrow(TraceError)
    expect(() => parseTrace(text)).toThrow(/^line 5: cannot read the step /u)
  })

  test('an effect before any step is refused by its line', () => {
    expect(() => parseTrace([...HEAD, '  3 status Elec→Norm'].join('\n'))).toThrow(
      'line 4: an effect before any step',
    )
  })

  test.each(['bellwether trace 2', 'bellwether trace', '', 'nodes 3', ' bellwether trace 1'])(
    'the first line "%s" is of no version that is known',
    (first) => {
      const text = [first, ...HEAD.slice(1)].join('\n')
      expect(() => parseTrace(text)).toThrow(TraceError)
      expect(() => parseTrace(text)).toThrow('line 1 must read "bellwether trace 1"')
    },
  )

  test('a long first line is not repeated in full', () => {
    expect(() => parseTrace('x'.repeat(1e6))).toThrow(/^.{1,200}$/u)
  })

  test('without the rule there are no steps', () => {
    expect(() => parseTrace(HEAD.slice(0, 2).join('\n'))).toThrow('there is no line "----"')
  })

  test('whatever the text, it is read or refused with a TraceError', () => {
    const line = fc.oneof(
      fc.string(),
      step.map(writeStep),
      fc.tuple(step, fc.string()).map(([s, more]) => writeStep(s) + more),
    )
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        try {
          parseTrace([...HEAD, ...lines].join('\n'))
        } catch (error) {
          if (!(error instanceof TraceError)) throw error
        }
      }),
    )
  })
})
