/** Runs settings or a trace in the simulator to its end, or to the largest number of steps, and converts the completed run and its algorithm to the page's types. */
import type { Algorithm } from '../../../src/core/algorithm.ts'
import { Group, type Labels } from '../../../src/core/group.ts'
import { hashText } from '../../../src/core/hash.ts'
import { NONE, type NodeId } from '../../../src/core/node-id.ts'
import { majority } from '../../../src/core/quorum.ts'
import { showDuration } from '../../../src/core/time.ts'
import { parseTrace, writeStep } from '../../../src/sim/record/trace.ts'
import { buildDiagram, diagramOf } from '../../../src/diagram/diagram.ts'
import {
  finish,
  hasRegister,
  leadersResign,
  parseSettings,
  Recording,
  replay,
  showFault,
  showSettings,
  summarize,
  traceOf,
  World,
  type RecordedStep,
  type SettingsRegistry,
  type Sending,
  type SimConfig,
  type Step,
  type Stepper,
} from '../../../src/sim/index.ts'
import type { ArrowPurpose } from '../../../src/diagram/model.ts'
import { groupBy } from '../../../src/sim/record/group-by.ts'
import { explainStep } from '../../../src/sim/record/explain.ts'
import { MOST_STEPS } from './run-limits.ts'
import type { AlgorithmInfo, Run, RunStep, Waits } from './worker-protocol.ts'

/** A run, and the text of its trace. */
export interface CompletedRun {
  readonly run: Run
  readonly text: string
}

export function algorithmInfo(algorithm: Algorithm): AlgorithmInfo {
  const { name, title, specimen, topology } = algorithm
  const { agreement, oneLeaderPerTerm, termsRise, leader } = algorithm.promises
  const { entries } = algorithm.state
  const status = entries.find((entry) => entry.name === 'status')?.field.shape
  return {
    name,
    title,
    specimen,
    topology,
    resigns: leadersResign(algorithm),
    changes: hasRegister(algorithm),
    promises: {
      agreement,
      termsRise,
      leader,
      ...(oneLeaderPerTerm !== undefined && { oneLeaderPerTerm }),
    },
    statuses: status?.type === 'oneOf' ? status.names : [],
    fields: entries.map(({ name, field: { stable, role, stride, shape } }) => {
      return { name, stable, role, stride, type: shape.type }
    }),
  }
}

/** Records after each step what the acting member waits for. */
class WaitRecording extends Recording {
  readonly waits: (Waits | null)[] = []
  onStep: (steps: number) => void = () => undefined
  private readonly world: World

  constructor(world: World) {
    super(world.config)
    this.world = world
  }

  override done(state: Parameters<Recording['done']>[0]): void {
    super.done(state)
    const node = this.entries.at(-1)?.step.node ?? NONE
    this.waits.push(node === NONE ? null : this.waitsOf(node))
    this.onStep(this.waits.length)
  }

  private waitsOf(node: NodeId): Waits {
    const { config, effects, group } = this.world
    const { timers, requests, watches } = effects
    const armed = Object.keys(config.algorithm.timers).flatMap((name): [string, number][] => {
      const due = timers.dueOf(node, timers.indexOf(name))
      return due === null ? [] : [[name, due]]
    })
    // The page does not list this many, and the search would take too long.
    if (config.members > 64) return { timers: armed, requests: [] }
    const asked = [...group.everyone].filter(
      (peer) => requests.serialOf(node, peer) > 0 || watches.has(node, peer),
    )
    return { timers: armed, requests: asked.map((peer) => config.labels.of(peer)) }
  }
}

export interface RunLimits {
  readonly mostSteps: number
  /** Is told from time to time how many steps there are. */
  readonly onSteps?: (steps: number) => void
  /** Is told of each step, after its handler has run. */
  readonly onEachStep?: () => void
}

/** Ends a run that has as many steps as were asked for. */
class EnoughSteps extends Error {}

/** Returns whether the run was ended by its number of steps. */
function runWithin(world: World, recording: WaitRecording, limits: RunLimits): boolean {
  recording.onStep = (steps) => {
    limits.onEachStep?.()
    if (steps >= limits.mostSteps) throw new EnoughSteps()
    if (steps % 4000 === 0) limits.onSteps?.(steps)
  }
  try {
    finish(world)
  } catch (error) {
    if (!(error instanceof EnoughSteps)) throw error
    return true
  }
  return false
}

export function runSettings(
  key: number,
  config: SimConfig,
  limits: RunLimits = { mostSteps: MOST_STEPS },
): CompletedRun {
  const world = new World(config)
  const initial = statesOf(config, (id) => world.states[id])
  const recording = new WaitRecording(world)
  world.recorder = recording
  const truncated = runWithin(world, recording, limits)
  const text = traceOf(config, recording)
  const diagram = diagramOf(world, recording)
  const steps = stepsOf(config, recording, recording.waits)
  const run: Run = {
    key,
    mode: 'timed',
    settings: showSettings(config),
    ...worldOf(config),
    initial,
    boots: config.initiators === null,
    steps,
    diagram,
    summary: summarize(world),
    hash: hashText(text),
    stop: steps.findIndex(({ violations }) => violations.length > 0),
    remark: '',
    undecided: truncated ? `the page shows the first ${steps.length} steps` : whyUndecided(world),
    truncated,
    difference: null,
  }
  return { run, text }
}

export function runTrace(
  key: number,
  given: string,
  registry: SettingsRegistry,
  onEachStep: () => void = () => undefined,
): CompletedRun {
  const trace = parseTrace(given)
  const settings = trace.settings.filter(([name]) => name !== 'mode' && name !== 'start')
  const config = parseSettings(settings, registry)
  if (trace.settings.some(([name, value]) => name === 'mode' && value === 'timed')) {
    const { run, text } = runSettings(key, config, { mostSteps: MOST_STEPS, onEachStep })
    const { difference } = replay(given, registry)
    return { run: { ...run, difference }, text }
  }
  let initial: Run['initial'] = []
  const waits: (Waits | null)[] = []
  const { text, recording, violations, difference } = replay(given, registry, (stepper) => {
    if (stepper.steps === 0) initial = statesOf(config, (id) => stepper.stateOf(id))
    else {
      waits.push(stepWaits(config, stepper))
      onEachStep()
    }
  })
  const steps = stepsOf(config, recording, waits)
  const settled = trace.settings.some(([name, value]) => name === 'start' && value === 'settled')
  const diagram = buildDiagram({
    config: { ...config, initiators: settled ? [] : null },
    recording,
    endUs: steps.length,
    violations,
    clock: false,
  })
  const { stop, remark } = markOf(given)
  const run: Run = {
    key,
    mode: 'stepped',
    settings: trace.settings.filter(([name]) => name !== 'mode'),
    ...worldOf(config),
    initial,
    boots: !settled,
    steps,
    diagram,
    summary: null,
    hash: hashText(text),
    stop: stop >= 0 ? stop : steps.findIndex((step) => step.violations.length > 0),
    remark,
    undecided: remark.startsWith('broken') ? '' : 'the trace ends before the run does',
    truncated: false,
    difference,
  }
  return { run, text }
}

function whyUndecided({ monitors, config, now }: World): string {
  if (monitors.judged) return monitors.upCount > 0 ? '' : 'no member is up'
  return config.algorithm.assumes.majority === true && monitors.upCount < majority(config.members)
    ? 'fewer than a majority of the members are up'
    : `the run is cut at ${showDuration(now)}, while the election goes on`
}

type WorldPart = Pick<
  Run,
  'algorithm' | 'members' | 'termStride' | 'labels' | 'ring' | 'down' | 'configuration'
>

function worldOf(config: SimConfig): WorldPart {
  const { algorithm, members, labels, timing, ring, down } = config
  const group = new Group(members, timing, ring, config)
  const listed = (ids: Iterable<NodeId>): number[] => labelsOf(ids, labels)
  const info = algorithmInfo(algorithm)
  const order: number[] = []
  for (let node = group.strongest, i = 0; i < members; i++) {
    order.push(labels.of(node))
    node = group.successor(node, 1)
  }
  return {
    algorithm: info,
    configuration: info.changes
      ? { voters: listed(group.voters), observers: listed(group.observers) }
      : null,
    members,
    termStride: algorithm.state.fields['term'].stride,
    labels: Array.from({ length: members + 1 }, (_, id) => labels.of(id)),
    ring: order,
    down: down.map((id) => labels.of(id)),
  }
}

function labelsOf(ids: Iterable<NodeId>, labels: Labels): number[] {
  return [...ids].map((id) => labels.of(id)).sort((a, b) => a - b)
}

function statesOf(
  { algorithm, labels }: SimConfig,
  stateOf: (id: NodeId) => Parameters<Algorithm['state']['show']>[0],
): Record<string, string>[] {
  return Array.from({ length: labels.members }, (_, i) => {
    const shown = algorithm.state.show(stateOf(labels.of(i + 1)), (id) => labels.of(id))
    return Object.fromEntries(
      shown.split(' ').map((pair) => {
        const sign = pair.indexOf('=')
        return [pair.slice(0, sign), pair.slice(sign + 1)]
      }),
    )
  })
}

function stepWaits({ algorithm, labels }: SimConfig, stepper: Stepper): Waits | null {
  const node = stepper.recording.entries.at(-1)?.step.node ?? NONE
  if (node === NONE) return null
  const timers = Object.keys(algorithm.timers).filter((name) => stepper.isArmed(node, name))
  const asked = [...stepper.group.everyone].filter((peer) => stepper.asks(node, peer))
  return { timers: timers.map((name) => [name, -1]), requests: asked.map((id) => labels.of(id)) }
}

function stepsOf(
  { algorithm, labels }: SimConfig,
  recording: Recording,
  waits: readonly (Waits | null)[],
): RunStep[] {
  const trace = recording.trace(false)
  const purposeOf = ({ message, part }: Sending): ArrowPurpose =>
    part === 'detector' ? part : (algorithm.purposes[message.type] ?? 'election')
  return recording.entries.map((entry, i) => ({
    at: entry.at,
    kind: entry.step.kind,
    node: entry.step.node === NONE ? 0 : labels.of(entry.step.node),
    peer: peerOf(entry.step, labels),
    event: eventOf(entry.step),
    fault: entry.step.kind === 'fault' ? showFault(entry.step.fault, labels) : null,
    text: writeStep(trace[i].step),
    why: explainStep(entry, labels, recording),
    changes: entry.changes,
    sent: entry.sendings.map(purposeOf),
    sendings: sendingsOf(entry, labels),
    violations: entry.violations,
    waits: waits[i] ?? null,
  }))
}

function sendingsOf({ sendings }: RecordedStep, labels: Labels): RunStep['sendings'] {
  const groups = groupBy(sendings, ({ message }) => message.type)
  return [...groups].map(([type, sent]) => ({ type, to: sent.map(({ to }) => labels.of(to)) }))
}

function peerOf(step: Step, labels: Labels): number {
  const peer = 'from' in step ? step.from : 'peer' in step ? step.peer : NONE
  return peer === NONE ? 0 : labels.of(peer)
}

function eventOf(step: RecordedStep['step']): string {
  if ('message' in step) return step.message.type
  if (step.kind === 'timeout') return step.timer
  if (step.kind === 'drawn') return step.name
  return step.kind === 'fault' ? step.fault.kind : step.kind
}

/** Finds the comment that a checker writes behind the step that breaks a property. */
function markOf(text: string): { stop: number; remark: string } {
  const lines = text.split(/\r?\n/u)
  const below = lines.slice(lines.indexOf('----') + 1)
  const at = below.findIndex((line) => /^# .*(?:breaks here|broken)\b/u.test(line))
  if (at < 0) return { stop: -1, remark: '' }
  const steps = below
    .slice(0, at)
    .filter((line) => line.trim() !== '' && !/^(?: {2}|#)/u.test(line))
  return { stop: steps.length - 1, remark: below[at].slice(2) }
}
