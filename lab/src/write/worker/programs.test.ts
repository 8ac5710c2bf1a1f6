/** Tests that the text of each shipped algorithm, as a program, is what ships: the same runs, the same checks; and what programs with mistakes are told. */
import { describe, expect, test } from 'vitest'
import { algorithms } from '../../../../src/algorithms/index.ts'
import { bully } from '../../../../src/algorithms/bully.ts'
import { check } from '../../../../src/check/index.ts'
import type { Algorithm } from '../../../../src/core/algorithm.ts'
import { parseSettings } from '../../../../src/sim/index.ts'
import { runSettings } from '../../simulation/run-to-completion.ts'
import { parseCheck } from '../../../../src/explore/check-settings.ts'
import { ALGORITHM_FILES, algorithmSource } from '../../sources/algorithm-sources.ts'
import { brokenText, EXERCISES } from '../exercises.ts'
import { problemOf, type Problem } from '../program-problem.ts'
import { compile } from './compile.ts'
import { algorithmIn, contractProblems } from './contract.ts'
import { PAGE_MODULES } from './page-modules.ts'
import { LineLog, watched } from './watched-algorithm.ts'

const TEXTS = new Map(
  await Promise.all(
    ALGORITHM_FILES.map(async (path) => [path, await algorithmSource(path)] as const),
  ),
)
const textOf = (path: string): string => TEXTS.get(path)!
const BULLY = textOf('bully')

function programOf(text: string, log = new LineLog()): Algorithm {
  return watched(algorithmIn(compile(text, PAGE_MODULES)), log)
}

function run(algorithm: Algorithm, log?: LineLog) {
  const settings = [
    ['algorithm', algorithm.name],
    ['nodes', '4'],
    ['seed', '7'],
    ['until', '400ms'],
    ...(algorithm.assumes.crashes ? [['crash', '4@70ms'] as const] : []),
  ] as const
  const config = parseSettings(settings, { algorithms: [algorithm], detectors: [] })
  return runSettings(1, config, {
    mostSteps: 5000,
    ...(log !== undefined && { onEachStep: () => log.endStep() }),
  }).run
}

/** What is wrong with a program, when it is loaded or in a short run. */
function problemsOf(text: string): readonly Problem[] {
  try {
    const own = algorithmIn(compile(text, PAGE_MODULES))
    const problems = contractProblems(own, text)
    if (problems.length > 0) return problems
    run(watched(own, new LineLog()))
    return []
  } catch (error) {
    return [problemOf(error)]
  }
}

/** The line, from 1, in which a text occurs first. */
function lineOf(text: string, part: string): number {
  return text.slice(0, text.indexOf(part)).split('\n').length
}

describe('the text of a shipped algorithm', () => {
  const files = ALGORITHM_FILES.filter((path) => !/^(?:index|helpers\/)/u.test(path))

  test('is there for each algorithm', () => {
    const names = files.map((path) => algorithmIn(compile(textOf(path), PAGE_MODULES)).name)
    expect(names.toSorted()).toEqual(algorithms.map(({ name }) => name).toSorted())
  })

  test.each(files)('%s keeps the contract, and runs as it does when it is shipped', (path) => {
    const text = textOf(path)
    const own = programOf(text)
    const shipped = algorithms.find(({ name }) => name === own.name)!
    expect(contractProblems(algorithmIn(compile(text, PAGE_MODULES)), text)).toEqual([])
    expect(run(own).hash).toBe(run(shipped).hash)
  })

  test('is checked with the states of the shipped one', () => {
    const budget = { members: 3, crashes: 1, recoveries: 1 }
    const [own, shipped] = [programOf(BULLY), bully].map((algorithm) =>
      check({ algorithm, ...budget }),
    )
    expect([own.ok, own.states, own.transitions]).toEqual([
      true,
      shipped.states,
      shipped.transitions,
    ])
  })
})

describe('a run knows the lines that each step ran:', () => {
  const log = new LineLog()
  const own = programOf(BULLY, log)
  log.begin()
  const { steps } = run(own, log)

  test('one list for each step', () => expect(log.steps.length).toBe(steps.length))

  test('a step that sends a claim ran the line that sends it', () => {
    const claims = steps.findIndex(({ sendings }) =>
      sendings.some(({ type }) => type === 'coordinator'),
    )
    const { sent: _, ...step } = steps[claims]
    expect(step.changes.some(({ field }) => field === 'leader')).toBe(true)
    expect(log.steps[claims].leader).toBe(lineOf(BULLY, 's.leader = out.me'))
    expect(log.steps[claims].lines).toContain(lineOf(BULLY, 'out.send(peer, claim)'))
  })

  test('and none for a step without a handler', () => {
    const crash = steps.findIndex(({ kind }) => kind === 'fault')
    expect(log.steps[crash].lines).toEqual([])
  })
})

describe('a mistake is told at its line:', () => {
  const cases: readonly (readonly [
    what: string,
    from: string,
    to: string,
    kind: string,
    at: string,
  ])[] = [
    ['syntax', 'function start(s: State', 'function start s: State', 'syntax', 'function start s'],
    [
      'a name that is declared twice',
      'const OK: ',
      'const ELECTION = 1\nconst OK: ',
      'syntax',
      'const ELECTION = 1',
    ],
    [
      'an import that there is not',
      "'../core/node-id.ts'",
      "'../core/nodes.ts'",
      'import',
      '../core/nodes.ts',
    ],
    ['no algorithm', 'export const bully', 'const bully', 'noAlgorithm', ''],
    ['a state without a leader', '  leader: node,\n', '', 'field', 'const state = record('],
    [
      'a promise that is none',
      "agreement: 'eventually'",
      "agreement: 'often'",
      'promise',
      "agreement: 'often'",
    ],
    [
      'a handler that is missing',
      'return { start, message,',
      'return { start,',
      'handlerMissing',
      'return { start,',
    ],
    [
      'a handler of another name',
      ' up, down, settled }',
      ' up, downs: down, settled }',
      'handlerUnknown',
      'downs: down',
    ],
    [
      'a message that is not declared',
      "{ type: 'ok' }",
      "{ type: 'okay' }",
      'messageUnknown',
      'out.send(from, OK)',
    ],
    [
      'a message without its field',
      'term: s.term }\n    for',
      'terms: s.term }\n    for',
      'messageField',
      'out.send(peer, claim)',
    ],
    [
      'a timer that is not declared',
      "out.set('answer'",
      "out.set('anser'",
      'timerUnknown',
      "out.set('anser'",
    ],
    [
      'a field that is not declared',
      's.leader = out.me',
      's.leading = out.me',
      'fieldUnknown',
      's.leading = out.me',
    ],
    [
      'a value that does not fit',
      "s.status = 'Elec'",
      "s.status = 'Election'",
      'value',
      "s.status = 'Election'",
    ],
    [
      'a member that is none',
      'out.send(from, OK)',
      'out.send(NONE, OK)',
      'member',
      'out.send(NONE, OK)',
    ],
    ['an exception', 's.term += 1\n', 's.term += s.no.term\n', 'thrown', 's.term += s.no.term'],
  ]
  test.each(cases)('%s', (_, from, to, kind, at) => {
    const text = BULLY.replace(from, () => to)
    expect(text).not.toBe(BULLY)
    const [problem] = problemsOf(text)
    expect(problem?.kind).toBe(kind)
    expect(problem.line).toBe(at === '' ? null : lineOf(text, at))
  })
})

describe('an exercise', () => {
  test.each(EXERCISES.map((exercise) => [exercise.id, exercise] as const))(
    '%s breaks one line, and the checker then finds what it says, but nothing in the shipped text',
    (_, exercise) => {
      const text = textOf(exercise.file)
      expect(text.split(exercise.from).length).toBe(2)
      const [broken, shipped] = [brokenText(exercise, text), text].map((one) => {
        const own = programOf(one)
        const settings = [['algorithm', own.name] as const, ...exercise.budget]
        return check(parseCheck(settings, { algorithms: [own], detectors: [] }))
      })
      expect(broken.counterexample?.property).toBe(exercise.finds)
      expect([shipped.ok, shipped.counterexample]).toEqual([true, null])
    },
  )
})
