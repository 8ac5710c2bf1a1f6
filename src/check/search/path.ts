/** How a state is reached: the steps, found again by expanding the states on the way. */
import { Mode } from '../state/local-states.ts'
import type { Search } from './breadth-first.ts'
import { Successors, type Transition } from '../transitions/successors.ts'

/** The numbers of the states from the first to this one, along a shortest path. */
export function ancestors(search: Search, state: number): number[] {
  const path: number[] = []
  for (let at = state; at >= 0; at = search.parents.get(at)) path.push(at)
  return path.reverse()
}

/** The steps along a row of states, each of which follows from the one before. */
export function stepsAlong(search: Search, states: readonly number[]): Transition[] {
  const steps: Transition[] = []
  for (let i = 1; i < states.length; i++) steps.push(...stepsTo(search, states[i - 1], states[i]))
  return steps
}

/**
 * A step from one state to another, behind the idle answers that it needs, before the arrival of what is
 * dead since then; where a property of steps is at stake, one that breaks it.
 */
export function stepsTo(search: Search, from: number, to: number, breaking = false): Transition[] {
  const found: { step: Transition; arrivals: Transition[] }[] = []
  visitFrom(search, from, (next, step) => {
    if (next !== to || (breaking && !search.model.termFell && !search.model.outdated)) return
    found.push({ step: { ...step, ...drawnName(search, step) }, arrivals: arrivals(search) })
  })
  const [{ step, arrivals: dead }] = found.toSorted(
    (a, b) => a.step.idleAnswers.length - b.step.idleAnswers.length,
  )
  const idle = step.idleAnswers.map(({ node, peer, verdict }): Transition => ({
    kind: verdict,
    node,
    peer,
    detail: 0,
    idleAnswers: [],
  }))
  return [...idle, step, ...dead]
}

/** Dead letters that the current step left: nothing comes of them, and nothing else waits for them. */
function arrivals({ model }: Search): Transition[] {
  const { next } = model
  return model.removed!.map(({ from, to, place }): Transition => {
    const lost = model.local(next, to).mode !== Mode.UP || model.isCut(next, from, to)
    const kind = lost ? 'lose' : 'deliver'
    return { kind, node: to, peer: from, detail: place, idleAnswers: [] }
  })
}

function drawnName({ model }: Search, { kind, node }: Transition): { name?: string } {
  return kind === 'drawn'
    ? { name: model.localStates.drawName(model.members.wordsOf(model.base[node])[0]) }
    : {}
}

/** A shortest way round among some states that begins and ends with one of them. */
export function roundTrip(search: Search, members: Int32Array, state: number): number[] {
  const inside = new Set(members)
  const before = new Map<number, number>()
  const queue = [state]
  for (const at of queue) {
    const { first, edges } = search
    for (let edge = first.get(at) >>> 0; edge < first.get(at + 1) >>> 0; edge++) {
      const next = edges.get(edge)
      if (next === state) {
        const round = [state]
        for (let back = at; back !== state; back = before.get(back)!) round.push(back)
        return [...round, state].reverse()
      }
      if (!inside.has(next) || before.has(next)) continue
      before.set(next, at)
      queue.push(next)
    }
  }
  return [state]
}

function visitFrom(
  search: Search,
  state: number,
  visit: (to: number, step: Transition) => void,
): void {
  const { model } = search
  const successors = new Successors(model, () => visit(search.find(), successors.transition))
  search.load(state)
  model.load()
  model.removed = []
  successors.expand()
  model.removed = null
}
