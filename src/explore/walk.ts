/** A walk through the states of a check: where a path of choices leads, its trace, and what is enabled there. */
import type { Transition } from '../check/index.ts'
import { writeStep, writeTrace, type TraceStep } from '../sim/record/trace.ts'
import type { Stepper } from '../sim/stepper/stepper.ts'
import { play, settingsOf, stepperOf, stepsOf } from './transition-trace.ts'
import type { Edge, StateGraph } from './state-graph.ts'

export interface Choice {
  /** Its place among those that the state allows. */
  readonly place: number
  readonly kind: Transition['kind']
  /** The member that takes it; 0: the network. */
  readonly node: number
  /** The other member; 0: none. */
  readonly peer: number
  /** The type of the message, the name of the timer or of the draw; '': none. */
  readonly event: string
  /** The step as a trace says it. */
  readonly text: string
  readonly to: number
  readonly depth: number
  /** The judged properties that it breaks, or that are broken where it leads. */
  readonly breaks: readonly string[]
  readonly isGoal: boolean
}

export interface WalkView {
  readonly path: readonly number[]
  /** The numbers of the states on the way, the initial one first. */
  readonly states: readonly number[]
  readonly breaks: readonly string[]
  readonly isGoal: boolean
  readonly depth: number
  /** The walk so far, as a trace without a clock. */
  readonly trace: string
  readonly choices: readonly Choice[]
}

/** Throws RangeError if the path does not exist. */
export function walk(graph: StateGraph, path: readonly number[]): WalkView {
  const { config } = graph
  const stepper = stepperOf(config)
  const states = [0]
  let last: Edge | null = null
  for (const place of path) {
    const edge: Edge | undefined = graph.edgesOf(states.at(-1)!)[place]
    if (edge === undefined)
      throw new RangeError(`step ${states.length} of the walk is not possible`)
    play([edge.transition], config, stepper)
    states.push(edge.to)
    last = edge
  }
  const here = states.at(-1)!
  const { breaks, isGoal, depth } = graph.states[here]
  const choices = graph.edgesOf(here).map((edge, place) => choiceOf(graph, edge, place, stepper))
  const entries = stepper.recording.trace(false)
  const all = [...new Set([...(last?.breaks ?? []), ...breaks])]
  const remark = all.length > 0 ? `# ${all.join(', ')} breaks here\n` : ''
  const trace = `${writeTrace({ settings: settingsOf(config), entries })}${remark}`
  return { path, states, breaks: all, isGoal, depth, trace, choices }
}

function choiceOf(graph: StateGraph, edge: Edge, place: number, stepper: Stepper): Choice {
  const { transition, to } = edge
  const { kind, node, peer } = transition
  const { depth, breaks, isGoal } = graph.states[to]
  const [step] = stepsOf(transition, graph.config, stepper)
  const text = step === undefined ? kind : writeStep(step)
  const suffix = transition.crashes ? `, ${node} crashes before it sends` : ''
  const all = [...new Set([...edge.breaks, ...breaks])]
  const event = eventOf(step)
  return {
    place,
    kind,
    node,
    peer,
    event,
    text: `${text}${suffix}`,
    to,
    depth,
    breaks: all,
    isGoal,
  }
}

function eventOf(step: TraceStep | undefined): string {
  if (step === undefined) return ''
  if ('message' in step) return /^[^{\s]+/u.exec(step.message)?.[0] ?? ''
  if (step.verb === 'timeout') return step.timer
  return step.verb === 'drawn' ? step.name : ''
}
