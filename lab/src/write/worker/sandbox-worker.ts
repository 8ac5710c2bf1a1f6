/** The worker of the sandbox: compiles the viewer's program, and simulates and checks it as the page does the shipped algorithms. */
import { algorithms } from '../../../../src/algorithms/index.ts'
import { detectors } from '../../../../src/detectors/index.ts'
import { checkerAnswers } from '../../checker/checker-answers.ts'
import { algorithmInfo } from '../../simulation/run-to-completion.ts'
import { simulationAnswers } from '../../simulation/simulation-answers.ts'
import { serve, type Answers } from '../../simulation/worker-client.ts'
import type { Run } from '../../simulation/worker-protocol.ts'
import { problemOf } from '../program-problem.ts'
import { compile } from './compile.ts'
import { algorithmIn, contractProblems } from './contract.ts'
import { PAGE_MODULES } from './page-modules.ts'
import type { Loaded, SandboxQuestions } from './sandbox-protocol.ts'
import { LineLog, watched } from './watched-algorithm.ts'

const log = new LineLog()

function load(text: string): Loaded {
  try {
    const own = algorithmIn(compile(text, PAGE_MODULES))
    const problems = contractProblems(own, text)
    if (problems.length > 0) return { algorithm: null, problems }
    // The program's algorithm may have the name of a shipped one.
    const others = algorithms.filter(({ name }) => name !== own.name)
    answers = answersFor([watched(own, log), ...others])
    return { algorithm: algorithmInfo(own), problems: [] }
  } catch (error) {
    return { algorithm: null, problems: [problemOf(error)] }
  }
}

type Others = Omit<SandboxQuestions, 'load'>

function answersFor(known: typeof algorithms): Answers<Others> {
  const registry = { algorithms: known, detectors }
  return { ...simulationAnswers(registry, () => log.endStep()), ...checkerAnswers(registry) }
}

let answers = answersFor(algorithms)

/** A run with the lines of the program that each of its steps ran. */
function withLines(simulate: () => Run): Run {
  log.begin()
  try {
    const run = simulate()
    return { ...run, lines: log.steps.slice(0, run.steps.length) }
  } finally {
    log.enabled = false
  }
}

const topics = Object.keys(answers) as (keyof Others)[]
const forwarded = Object.fromEntries(
  topics.map((topic) => [
    topic,
    (ask: never, onProgress: never) =>
      (answers[topic] as (...given: never[]) => unknown)(ask, onProgress),
  ]),
) as unknown as Answers<Others>

serve<SandboxQuestions>(
  {
    ...forwarded,
    load,
    run: (ask, onSteps) => withLines(() => answers.run(ask, onSteps)),
    trace: (ask, onProgress) => withLines(() => answers.trace(ask, onProgress)),
  },
  problemOf,
)
postMessage('ready')
