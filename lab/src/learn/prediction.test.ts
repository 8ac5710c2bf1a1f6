/** Tests the questions about the next step on the runs of every lesson. */
import { expect, test } from 'vitest'
import { algorithms } from '../../../src/algorithms/index.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { parseSettings } from '../../../src/sim/index.ts'
import { effectsOf } from '../inspector/step-caption.ts'
import { runSettings, runTrace } from '../simulation/run-to-completion.ts'
import { withNames } from './documents.ts'
import { LESSON_RUNS, LESSONS } from './lessons.ts'
import { questionAbout } from './prediction.ts'

const registry = { algorithms, detectors }

test.each(LESSON_RUNS.map((run) => [run.id, run] as const))(
  'the questions about %s have one right answer, what the step does, among different ones',
  (_, { settings = [], trace }) => {
    const { run } =
      trace === undefined
        ? runSettings(1, parseSettings(settings, registry))
        : runTrace(1, trace, registry)
    const questions = run.steps.slice(0, 60).flatMap((step) => {
      const question = questionAbout(run, step, String)
      return question === null ? [] : [{ step, question }]
    })
    for (const { step, question } of questions) {
      expect(new Set(question.answers).size).toBe(question.answers.length)
      expect(question.answers.length).toBeGreaterThan(1)
      const answer = question.answers[question.right]
      expect(answer).toBe(effectsOf(step, String) || 'nothing that others see')
    }
    expect(questions.length).toBeGreaterThan(0)
    expect(
      run.steps
        .filter(({ kind }) => kind === 'fault')
        .map((step) => questionAbout(run, step, String)),
    ).not.toContainEqual(expect.anything())
  },
)

test('documents are named by author and year, and numbers stay numbers', () => {
  expect(withNames('000 §2.2, 001 and 004; 100,000 or 1000')).toBe(
    'Park 2008 §2.2, Park 2004 and Hirata; 100,000 or 1000',
  )
  expect(JSON.stringify(LESSONS.map(({ parts, source }) => [parts, source]))).not.toMatch(
    /(?<![\w,.])00[0-4] (?:as|§|and|says)/u,
  )
})
