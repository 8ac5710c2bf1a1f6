/**
 * "In the end, for ever": decided on the steps of the system alone, that is, with no further fault. A run
 * that breaks it stays for ever in one strongly connected component that holds a state outside the goal,
 * and is fair: what can be done all the time is done some time, and a timer that stays armed fires or is
 * set again (clocks do not wait). A component that nothing leaves always has such a run. Where an
 * algorithm draws, only those count: a draw leaves the others with probability one.
 */
import { stronglyConnectedComponents } from './strongly-connected-components.ts'
import type { Bits } from '../tables/bit-vector.ts'
import type { Search } from '../search/breadth-first.ts'
import { Successors } from '../transitions/successors.ts'

export interface Unfulfilled {
  /** A state outside the goal to which a fair run comes back for ever: the nearest to the beginning. */
  readonly state: number
  /** The states among which the run stays. */
  readonly members: Int32Array
}

export function findUnfulfilled(search: Search, goals: Bits): Unfulfilled | null {
  const { first, edges, table } = search
  const draws = search.model.localStates.draws
  let worst: Unfulfilled | null = null
  const graph = {
    size: table.size,
    first: (i: number) => first.get(i) >>> 0,
    target: (edge: number) => edges.get(edge),
  }
  const consider = (members: Int32Array): void => {
    let state = -1
    for (const member of members) {
      if (!goals.has(member) && (state < 0 || member < state)) state = member
    }
    if (state < 0 || (worst !== null && worst.state < state)) return
    // Where a bound cut steps off, nobody knows whether a run would stay.
    if (members.some((member) => search.truncated.has(member))) return
    const final = isFinal(graph, members)
    if (!final && (draws || (members.length === 1 && !search.mayStay.has(state)))) return
    if (final || hasFairRun(search, members)) {
      worst = { state, members: members.slice() }
    }
  }
  stronglyConnectedComponents(graph, consider)
  return worst
}

function isFinal(
  graph: { first(i: number): number; target(edge: number): number },
  members: Int32Array,
): boolean {
  const inside = members.length === 1 ? null : new Set(members)
  return members.every((member) => {
    for (let edge = graph.first(member); edge < graph.first(member + 1); edge++) {
      if (inside === null || !inside.has(graph.target(edge))) return false
    }
    return true
  })
}

/**
 * Is there a fair run that visits all of a component for ever? Its actions are found again by expanding
 * its states. What is enabled in all of them must be taken somewhere among them; a timer counts as
 * enabled while it is armed, and as taken also where it is set again; an answer as taken wherever an idle
 * one could be.
 */
function hasFairRun(search: Search, members: Int32Array): boolean {
  const { model } = search
  const inside = new Set(members)
  const taken = new Set<number>()
  let enabled = new Set<number>()
  const successors = new Successors(model, (action) => {
    if (action < 0) return
    enabled.add(action)
    if (!inside.has(search.find())) return
    taken.add(action)
    for (const timer of successors.timersSet()) taken.add(timer)
  })
  const always = new Map<number, number>()
  for (const member of members) {
    search.load(member)
    model.load()
    enabled = new Set(successors.timersArmed())
    successors.expand()
    for (const action of successors.idleActions) taken.add(action)
    for (const action of enabled) always.set(action, (always.get(action) ?? 0) + 1)
  }
  return [...always].every(([action, states]) => states < members.length || taken.has(action))
}
