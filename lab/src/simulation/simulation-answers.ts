/** What a worker that simulates answers: the catalogue, runs, traces, their text and SVG, and the simulator's speed. */
import { bully } from '../../../src/algorithms/bully.ts'
import { renderSvg } from '../../../src/diagram/svg/svg.ts'
import {
  configure,
  parseSettings,
  recordRun,
  traceOf,
  World,
  type Fault,
  type SettingsRegistry,
} from '../../../src/sim/index.ts'
import {
  algorithmInfo,
  runSettings,
  runTrace,
  type CompletedRun,
  type RunLimits,
} from './run-to-completion.ts'
import type { Answers } from './worker-client.ts'
import type * as protocol from './worker-protocol.ts'

const MOST_KEPT = 12

/** The last runs: the page may ask for their texts and diagrams. */
class CompletedRuns {
  private readonly completed = new Map<number, CompletedRun>()
  private runs = 0

  keep(make: (key: number) => CompletedRun): protocol.Run {
    const key = ++this.runs
    const made = make(key)
    this.completed.set(key, made)
    const [oldest] = this.completed.keys()
    if (this.completed.size > MOST_KEPT) this.completed.delete(oldest)
    return made.run
  }

  get(key: number): CompletedRun {
    const found = this.completed.get(key)
    if (found === undefined) throw new Error('the worker no longer has this run: run it again')
    return found
  }
}

/** Measures events per second, in a group whose leader crashes and recovers again and again. */
function speed(events: number, recorded: boolean): protocol.Speed {
  const members = 25
  const faults = Array.from({ length: 2000 }, (_, i): Fault => {
    return { at: 200_000 * (i + 1), kind: i % 2 === 0 ? 'crash' : 'recover', node: members }
  })
  const config = configure({ algorithm: bully, members, faults, untilUs: 400_000_000 })
  const started = performance.now()
  if (recorded) {
    const untilUs = Math.ceil(events / 12) * 1000
    const { world, recording } = recordRun({ ...config, untilUs })
    traceOf(config, recording)
    return { events: world.steps, ms: performance.now() - started }
  }
  const world = new World(config)
  while (world.steps < events && world.step());
  return { events: world.steps, ms: performance.now() - started }
}

/** `onEachStep` is told of each step of a run or a trace, after its handler has run. */
export function simulationAnswers(
  { algorithms, detectors }: SettingsRegistry,
  onEachStep?: RunLimits['onEachStep'],
): Answers<protocol.WorkerQuestions> {
  const registry = { algorithms, detectors }
  const runs = new CompletedRuns()
  return {
    catalogue: () => ({
      algorithms: algorithms.map(algorithmInfo),
      detectors: ['perfect', ...detectors.map(({ name }) => name)],
    }),
    run: ({ settings, mostSteps }, onSteps) => {
      const limits = { mostSteps, onSteps, ...(onEachStep !== undefined && { onEachStep }) }
      return runs.keep((key) => runSettings(key, parseSettings(settings, registry), limits))
    },
    trace: (text) => runs.keep((key) => runTrace(key, text, registry, onEachStep)),
    text: (key) => runs.get(key).text,
    svg: (key) => renderSvg(runs.get(key).run.diagram),
    speed: ({ events, recorded }) => speed(events, recorded),
  }
}
