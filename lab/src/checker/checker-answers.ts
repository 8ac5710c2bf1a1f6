/** What the worker that checks answers: a check with its progress, a walk through the states, their graph. */
import { Checker, type CheckOptions, type CheckResult } from '../../../src/check/index.ts'
import { everyCheck } from '../../../src/explore/all-checks.ts'
import { parseCheck, settingsOfCheck } from '../../../src/explore/check-settings.ts'
import { budgetOf, remarksOf, verdictOf } from '../../../src/explore/check-report.ts'
import { counterexampleTrace } from '../../../src/explore/counterexample.ts'
import { StateGraph } from '../../../src/explore/state-graph.ts'
import { walk } from '../../../src/explore/walk.ts'
import type { SettingsRegistry } from '../../../src/sim/index.ts'
import type { Answers } from '../simulation/worker-client.ts'
import type { Settings } from '../simulation/worker-protocol.ts'
import type { CheckerQuestions, CheckOutcome, GraphView } from './checker-protocol.ts'

/** What a page may spend: a browser ends one that takes more. */
const MAX_BYTES = 2 ** 30
const PROGRESS_MS = 100
/** Enough to know whether the algorithm's ids can be renamed. */
const FIRST_STATES = 300

export function checkerAnswers(registry: SettingsRegistry): Answers<CheckerQuestions> {
  let graph: { key: string; graph: StateGraph } | null = null
  const graphOf = (settings: Settings): StateGraph => {
    const key = JSON.stringify(settings)
    if (graph?.key !== key) {
      graph = { key, graph: StateGraph.of(parseCheck(settings, registry), FIRST_STATES) }
    }
    return graph.graph
  }
  return {
    checks: () =>
      everyCheck().map((options) => ({
        title: `${options.algorithm.name}, ${options.members} members: ${budgetOf(new Checker(options))}`,
        settings: settingsOfCheck(options),
      })),
    check: (settings, onProgress) => run(parseCheck(settings, registry), onProgress),
    walk: ({ settings, path }) => walk(graphOf(settings), path),
    graph: ({ settings, states }) => {
      const found = graphOf(settings)
      found.explore(states)
      return graphView(found)
    },
    shortest: ({ settings, state }) => graphOf(settings).pathTo(state),
  }
}

function run(
  options: CheckOptions,
  onProgress: (progress: CheckerQuestions['check']['progress']) => void,
): CheckOutcome {
  const started = performance.now()
  const checker = new Checker({ ...options, maxBytes: MAX_BYTES })
  let told = started
  while (!checker.done) {
    checker.advance()
    const now = performance.now()
    if (now - told < PROGRESS_MS) continue
    told = now
    onProgress({ ...checker.progress, ms: now - started })
  }
  return outcomeOf(options, checker.result(), performance.now() - started)
}

function outcomeOf(options: CheckOptions, result: CheckResult, ms: number): CheckOutcome {
  const { ok, complete, states, transitions, depth, properties, counterexample, config } = result
  return {
    ok,
    complete,
    verdict: verdictOf(result),
    remarks: remarksOf(result),
    states,
    transitions,
    depth,
    ms,
    properties,
    counterexample: counterexample && {
      property: counterexample.property,
      sentence: counterexample.sentence,
      trace: counterexampleTrace(config, counterexample),
      steps: counterexample.steps.length,
      loop: counterexample.loop.length,
      path: StateGraph.of(options, 1).placesOf(counterexample.steps),
    },
  }
}

function graphView(graph: StateGraph): GraphView {
  const { states, complete } = graph
  return {
    complete,
    depths: states.map(({ depth }) => depth),
    broken: states.map(({ breaks }) => breaks.length > 0),
    goals: states.map(({ isGoal }) => isGoal),
    targets: states.map(({ edges }) => [...new Set((edges ?? []).map(({ to }) => to))]),
    firstBroken: graph.firstBroken(),
  }
}
