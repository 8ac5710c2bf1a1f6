/**
 * Finds paths and cycles through the searched states, and recovers their transitions by expanding the states on the
 * way again.
 */
import { Mode } from '../state/local-states.ts'
import { Successors, type Transition } from '../transitions/successors.ts'
import type { BreadthFirstSearch } from './breadth-first.ts'
import { PARENT_STRIDE } from './search-memory.ts'

export function pathTo(search: BreadthFirstSearch, state: number): number[] {
  const path = [state]
  for (let at = state; at > 0;) path.push((at = parentOf(search, at)))
  return path.reverse()
}

/**
 * The state from which the search first reached a state. Parents rise with the numbers of their states, and the search
 * keeps those of some: from there on, the first state that leads to this one is its parent.
 */
function parentOf(search: BreadthFirstSearch, state: number): number {
  const { model, actions, memory } = search
  let parent = memory.parts.parents.words[Math.floor(state / PARENT_STRIDE)]
  let isFound = false
  const successors = new Successors(model, actions, () => {
    if (!isFound && search.find() === state) isFound = true
  })
  for (; ; parent++) {
    search.load(parent)
    successors.expand()
    if (isFound) return parent
  }
}

export function transitionsAlong(
  search: BreadthFirstSearch,
  path: readonly number[],
): Transition[] {
  return path.slice(1).flatMap((to, i) => transitionsBetween(search, path[i], to))
}

/** A transition, after the idle answers that it needs and before the arrival of the messages that it makes obsolete. */
export function transitionsBetween(
  search: BreadthFirstSearch,
  from: number,
  to: number,
  violating = false,
): Transition[] {
  const { model, actions } = search
  const found: { transition: Transition; arrivals: Transition[] }[] = []
  const successors = new Successors(model, actions, () => {
    if (search.find() !== to || (violating && actions.broken === 0)) return
    const transition = { ...successors.transition, ...drawName(search, successors.transition) }
    found.push({ transition, arrivals: arrivals(search) })
  })
  search.load(from)
  actions.removed = []
  successors.expand()
  actions.removed = null
  const [{ transition, arrivals: after }] = found.toSorted(
    (a, b) => a.transition.idleAnswers.length - b.transition.idleAnswers.length,
  )
  const before = transition.idleAnswers.map(({ node, peer, verdict }): Transition => {
    return { kind: verdict, node, peer, detail: 0, idleAnswers: [], crashes: false }
  })
  return [...before, transition, ...after]
}

/** The arrival of the obsolete messages that the current transition removed: it has no effect. */
function arrivals({ model, actions }: BreadthFirstSearch): Transition[] {
  const { next } = actions
  return actions.removed!.map(({ from, to, place }): Transition => {
    const isLost = model.local(next, to).mode !== Mode.UP || model.isCut(next, from, to)
    const kind = isLost ? 'lose' : 'deliver'
    return { kind, node: to, peer: from, detail: place, idleAnswers: [], crashes: false }
  })
}

function drawName(
  { model, actions }: BreadthFirstSearch,
  { kind, node }: Transition,
): { name?: string } {
  if (kind !== 'drawn') return {}
  return { name: model.localStates.get(model.members.word(actions.base[node], 0)).draws[0].name }
}

/** A shortest cycle through a state that stays among some states. */
export function cycleThrough(
  { memory }: BreadthFirstSearch,
  states: Int32Array,
  state: number,
): number[] {
  const inside = new Set(states)
  const previous = new Map<number, number>()
  const queue = [state]
  for (const at of queue) {
    for (const next of memory.edges.targetsOf(at)) {
      if (next === state) {
        const cycle = [state]
        for (let back = at; back !== state; back = previous.get(back)!) cycle.push(back)
        return [...cycle, state].reverse()
      }
      if (!inside.has(next) || previous.has(next)) continue
      previous.set(next, at)
      queue.push(next)
    }
  }
  return [state]
}
