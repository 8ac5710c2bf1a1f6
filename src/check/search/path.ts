/**
 * Finds paths and cycles through the searched states, and recovers their transitions by expanding the states on the
 * way again.
 */
import { Mode } from '../state/local-states.ts'
import { Successors, type Transition } from '../transitions/successors.ts'
import type { BreadthFirstSearch } from './breadth-first.ts'

export function pathTo(search: BreadthFirstSearch, state: number): number[] {
  const path: number[] = []
  for (let at = state; at >= 0; at = search.parents.get(at)) path.push(at)
  return path.reverse()
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
    if (search.find() !== to || (violating && !actions.breaksProperty)) return
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
    return { kind: verdict, node, peer, detail: 0, idleAnswers: [] }
  })
  return [...before, transition, ...after]
}

/** The arrival of the obsolete messages that the current transition removed: it has no effect. */
function arrivals({ model, actions }: BreadthFirstSearch): Transition[] {
  const { next } = actions
  return actions.removed!.map(({ from, to, place }): Transition => {
    const isLost = model.local(next, to).mode !== Mode.UP || model.isCut(next, from, to)
    const kind = isLost ? 'lose' : 'deliver'
    return { kind, node: to, peer: from, detail: place, idleAnswers: [] }
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
  { first, edges }: BreadthFirstSearch,
  states: Int32Array,
  state: number,
): number[] {
  const inside = new Set(states)
  const previous = new Map<number, number>()
  const queue = [state]
  for (const at of queue) {
    for (let edge = first.get(at) >>> 0; edge < first.get(at + 1) >>> 0; edge++) {
      const next = edges.get(edge)
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
