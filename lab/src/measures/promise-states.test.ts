/** Compares what the chips say of every lesson, preset and counterexample with the verdict of the simulator. */
import { expect, test } from 'vitest'
import { algorithms } from '../../../src/algorithms/index.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { parseSettings } from '../../../src/sim/index.ts'
import { LESSON_RUNS } from '../learn/lessons.ts'
import { PRESETS } from '../run/presets.ts'
import { runSettings, runTrace } from '../simulation/run-to-completion.ts'
import type { Run } from '../simulation/worker-protocol.ts'
import { promiseStates } from './promise-states.ts'

const registry = { algorithms, detectors }
const SHOWN = [
  ...PRESETS.map((preset) => ({ ...preset, id: `preset ${preset.id}` })),
  ...LESSON_RUNS.map((run) => ({ ...run, id: `lesson ${run.id}` })),
]

function play({ settings, trace }: (typeof SHOWN)[number]): Run {
  if (trace !== undefined) return runTrace(1, trace, registry).run
  return runSettings(1, parseSettings(settings ?? [], registry)).run
}

function chips(run: Run): Readonly<Record<string, string>> {
  const states = promiseStates(run, run.steps.length - 1, true)
  return Object.fromEntries(states.map(({ name, state }) => [name, state]))
}

const END = ['agreement in the end', 'the strongest leads']

/** What the chips must say at the end of a run with a clock, by the summary and the monitors of the simulator. */
function verdicts({ algorithm, summary, steps, labels, undecided }: Run): Record<string, string> {
  const { promises } = algorithm
  const { members, agreed, leader } = summary!
  const broken = new Set(
    steps.flatMap((step) => step.violations.map((text) => text.slice(0, text.indexOf(':')))),
  )
  const always = (property: string): string => (broken.has(property) ? 'broken' : 'kept')
  const inTheEnd = (holds: boolean): string =>
    undecided !== '' ? 'undecided' : holds ? 'kept' : 'broken'
  const strongest = labels.findLast((label) => members[label - 1]?.up)
  const agreement = {
    always: ['agreement, always', always('agreement')],
    eventually: ['agreement in the end', inTheEnd(agreed)],
    'in groups': ['agreement in groups', inTheEnd(!broken.has('agreement'))],
  }
  return Object.fromEntries([
    agreement[promises.agreement],
    ...(promises.oneLeaderPerTerm ? [['one leader per term', always('one leader per term')]] : []),
    ...(promises.termsRise ? [['terms rise', always('terms rise')]] : []),
    ...(promises.leader === 'highest'
      ? [['the strongest leads', inTheEnd(agreed && leader === strongest)]]
      : []),
  ])
}

test.each(
  SHOWN.filter(({ trace }) => trace === undefined).map((shown) => [shown.id, shown] as const),
)('the chips of %s say what the simulator found', (_, shown) => {
  const run = play(shown)
  expect(chips(run)).toEqual(verdicts(run))
  // What the monitors report at the end is never undecided.
  const judged = run.steps.some(({ violations }) =>
    violations.some((text) => text.includes('after quiet')),
  )
  expect(judged && run.undecided !== '').toBe(false)
})

test.each(
  SHOWN.filter(({ trace }) => trace !== undefined).map((shown) => [shown.id, shown] as const),
)(
  'the chips of the trace %s show a broken promise where it stops, and none of the end as kept unless the run ends there',
  (_, shown) => {
    const run = play(shown)
    const said = chips(run)
    expect(Object.values(said).includes('broken')).toBe(run.stop >= 0)
    const ends = run.remark.startsWith('broken')
    expect(ends ? [] : END.filter((name) => said[name] === 'kept')).toEqual([])
  },
)

test.each(['lesson ring-orphan', 'lesson cr-orphan'])(
  '%s ends with no leader, and no promise about the end is shown as kept',
  (id) => {
    const said = chips(play(SHOWN.find((shown) => shown.id === id)!))
    expect([said['agreement in the end'], said['the strongest leads']]).toEqual([
      'undecided',
      'undecided',
    ])
  },
)

test('past the step that breaks a counterexample of Bully, the strongest does not lead', () => {
  const run = play(SHOWN.find(({ id }) => id === 'preset bully-as-printed-000')!)
  const past = promiseStates(run, run.stop, true).find(({ name }) => name === 'the strongest leads')
  expect(past).toMatchObject({ state: 'broken', place: run.stop, detail: run.remark })
})
