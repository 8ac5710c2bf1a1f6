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

const NAMES: Readonly<Record<string, readonly string[]>> = {
  agreement: ['agreement, always', 'agreement in the end'],
  'highest leads': ['the strongest leads'],
  'one leader per term': ['one leader per term'],
  'terms rise': ['terms rise'],
}

test.each(SHOWN.map((shown) => [shown.id, shown] as const))(
  'the chips of %s say what the simulator found',
  (_, shown) => {
    const run = play(shown)
    const said = chips(run)
    const { summary, remark, steps } = run
    const violations = steps.flatMap((step) => step.violations)
    const found = new Set(violations.map((text) => text.slice(0, text.indexOf(':'))))
    for (const property of found) {
      for (const name of NAMES[property])
        if (name in said) expect([name, said[name]]).toEqual([name, 'broken'])
    }
    const states = Object.values(said)
    expect(states.includes('broken')).toBe(found.size > 0 || remark !== '')
    expect(states).not.toContain('pending')
    if (summary === null) {
      // A counterexample shows no promise of the end as kept.
      for (const name of ['agreement in the end', 'the strongest leads']) {
        if (remark.startsWith('broken')) continue
        expect([undefined, 'undecided', 'broken']).toContain(said[name])
      }
      return
    }
    const { members, agreed, leader } = summary
    const strongest = run.labels.findLast((label) => members[label - 1]?.up)
    if (said['agreement in the end'] === 'kept') expect(agreed).toBe(true)
    if (said['the strongest leads'] === 'kept') expect([agreed, leader]).toEqual([true, strongest])
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
