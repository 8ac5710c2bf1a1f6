/** The worker: the simulator that everything else uses, in the browser. */
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
import { bully } from '../../../src/algorithms/bully.ts'
import type {
  WorkerAnswer,
  WorkerQuestion,
  WorkerQuestions,
  Run,
  Speed,
  Topic,
} from './worker-protocol.ts'
import { algorithmInfo, runSettings, runTrace, type CompletedRun } from './run-to-completion.ts'

const registry = { algorithms, detectors }

/** The last runs, for what is asked about them later. */
const played = new Map<number, CompletedRun>()
const KEPT = 12
let runs = 0

function keep(make: (key: number) => CompletedRun): Run {
  const key = ++runs
  const one = make(key)
  played.set(key, one)
  const [oldest] = played.keys()
  if (played.size > KEPT) played.delete(oldest)
  return one.run
}

function playedAs(key: number): CompletedRun {
  const found = played.get(key)
  if (found === undefined) throw new Error('this run is no longer kept: run it again')
  return found
}

/** How many events a second: a cluster whose leader crashes and recovers for ever. */
function speed(events: number, recorded: boolean): Speed {
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

const answers: { [T in Topic]: (ask: WorkerQuestions[T]['ask']) => WorkerQuestions[T]['answer'] } =
  {
    catalogue: () => ({
      algorithms: algorithms.map(algorithmInfo),
      detectors: ['perfect', ...detectors.map(({ name }) => name)],
    }),
    run: (settings) => keep((key) => runSettings(key, parseSettings(settings, registry))),
    trace: (text) => keep((key) => runTrace(key, text, registry)),
    text: (key) => playedAs(key).text,
    svg: (key) => renderSvg(playedAs(key).run.diagram),
    speed: ({ events, recorded }) => speed(events, recorded),
  }

function answer<T extends Topic>({ id, topic, ask }: WorkerQuestion<T>): WorkerAnswer {
  try {
    return { id, answer: answers[topic](ask) }
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) }
  }
}

addEventListener('message', ({ data }: MessageEvent<WorkerQuestion>) => {
  postMessage(answer(data))
})
