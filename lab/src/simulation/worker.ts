/** The worker of the lab: answers the page's questions for the catalogue, runs, traces, their text and SVG, and the simulator's speed. */
import { bully } from '../../../src/algorithms/bully.ts'
import { algorithms } from '../../../src/algorithms/index.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { renderSvg } from '../../../src/diagram/svg/svg.ts'
import {
  configure,
  parseSettings,
  recordRun,
  traceOf,
  World,
  type Fault,
} from '../../../src/sim/index.ts'
import { algorithmInfo, runSettings, runTrace, type CompletedRun } from './run-to-completion.ts'
import { serve } from './worker-client.ts'
import type * as protocol from './worker-protocol.ts'

const registry = { algorithms, detectors }

/** The last runs: the page may ask for their texts and diagrams. */
const completed = new Map<number, CompletedRun>()
const MOST_KEPT = 12
let runs = 0

function keep(make: (key: number) => CompletedRun): protocol.Run {
  const key = ++runs
  const made = make(key)
  completed.set(key, made)
  const [oldest] = completed.keys()
  if (completed.size > MOST_KEPT) completed.delete(oldest)
  return made.run
}

function completedRun(key: number): CompletedRun {
  const found = completed.get(key)
  if (found === undefined) throw new Error('the worker no longer has this run: run it again')
  return found
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

serve<protocol.WorkerQuestions>({
  catalogue: () => ({
    algorithms: algorithms.map(algorithmInfo),
    detectors: ['perfect', ...detectors.map(({ name }) => name)],
  }),
  run: ({ settings, mostSteps }, onSteps) =>
    keep((key) => runSettings(key, parseSettings(settings, registry), { mostSteps, onSteps })),
  trace: (text) => keep((key) => runTrace(key, text, registry)),
  text: (key) => completedRun(key).text,
  svg: (key) => renderSvg(completedRun(key).run.diagram),
  speed: ({ events, recorded }) => speed(events, recorded),
})
