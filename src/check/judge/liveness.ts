/**
 * Judges "eventually, for ever" on the graph of fair transitions (no further fault), and returns a component in which
 * a fair run breaks it. A run that breaks it stays for ever in one strongly connected component that has a state
 * outside the goal, and is fair: an action that is always enabled is taken, and a timer that stays armed fires or is
 * set again. A component without a way out always has such a run. If the algorithm draws, only those components count:
 * a run leaves the others with probability one.
 */
import { nodesTo } from '../../core/node-id.ts'
import type { BreadthFirstSearch } from '../search/breadth-first.ts'
import { timeoutActions } from '../transitions/fair-actions.ts'
import { Successors } from '../transitions/successors.ts'
import { stronglyConnectedComponents, type Graph } from './strongly-connected-components.ts'

export interface LivenessViolation {
  readonly component: Int32Array
  /** Its state outside the goal that is nearest to the initial state. */
  readonly state: number
}

/** The violation whose state is nearest to the initial state, or null. */
export function findLivenessViolation(search: BreadthFirstSearch): LivenessViolation | null {
  const { edges, goals, truncated, mayStay } = search.memory
  const { draws } = search.model.localStates
  let worst: LivenessViolation | null = null
  const graph = {
    size: search.states,
    first: (i: number) => edges.firstOf(i),
    target: (i: number, edge: number) => edges.targetAt(i, edge),
    after: (edge: number) => edges.after(edge),
  }
  stronglyConnectedComponents(graph, (component) => {
    let state = -1
    for (const member of component) {
      if (!goals.has(member) && (state < 0 || member < state)) state = member
    }
    if (state < 0 || (worst !== null && worst.state < state)) return
    // If a bound left transitions out, it is unknown whether a run would stay.
    if (component.some((member) => truncated.has(member))) return
    const isFinal = hasNoWayOut(graph, component)
    if (!isFinal && (draws || (component.length === 1 && !mayStay.has(state)))) return
    if (isFinal || hasFairRun(search, component)) worst = { state, component: component.slice() }
  })
  return worst
}

function hasNoWayOut(graph: Graph, component: Int32Array): boolean {
  const inside = component.length === 1 ? null : new Set(component)
  return component.every((member) => {
    for (let edge = graph.first(member); ; edge = graph.after(edge)) {
      const target = graph.target(member, edge)
      if (target < 0) return true
      if (inside === null || !inside.has(target)) return false
    }
  })
}

/**
 * Whether a fair run visits all states of a component for ever: each action that is enabled in all of them
 * is taken in one of them. A timer counts as enabled while it is armed, and as taken also where it is set
 * again; an answer counts as taken wherever an idle one is possible.
 */
function hasFairRun(search: BreadthFirstSearch, component: Int32Array): boolean {
  const inside = new Set(component)
  const taken = new Set<number>()
  let enabled = new Set<number>()
  const successors = new Successors(search.model, search.actions, (action) => {
    if (action < 0) return
    enabled.add(action)
    if (!inside.has(search.find())) return
    taken.add(action)
    const { node } = successors.transition
    for (const timer of timeoutActions(node, search.actions.timersSet)) taken.add(timer)
  })
  const enabledIn = new Map<number, number>()
  for (const member of component) {
    search.load(member)
    enabled = new Set(armedTimers(search))
    successors.expand()
    for (const action of successors.idleActions) taken.add(action)
    for (const action of enabled) enabledIn.set(action, (enabledIn.get(action) ?? 0) + 1)
  }
  return [...enabledIn].every(([action, states]) => states < component.length || taken.has(action))
}

/** The actions of the armed timers of the state that is expanded, whether they may fire or not. */
function armedTimers({ model, actions }: BreadthFirstSearch): number[] {
  return nodesTo(model.n).flatMap((node) =>
    timeoutActions(node, model.local(actions.base, node).timers),
  )
}
