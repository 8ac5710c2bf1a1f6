/**
 * The graph of the states of a check, expanded on demand, so that a person can walk through it: what each state
 * allows, where it leads, and what is broken there. It has every transition: no reduction applies.
 */
import { completeOptions, type CheckConfig, type CheckOptions } from '../check/options.ts'
import { Properties } from '../check/judge/properties.ts'
import { IdReuseError } from '../check/reduction/id-freshness.ts'
import { BitVector } from '../check/tables/bit-vector.ts'
import { GrowingMemory } from '../check/tables/growing-memory.ts'
import { StateTable } from '../check/tables/state-table.ts'
import { Actions } from '../check/transitions/actions.ts'
import { Model } from '../check/transitions/model.ts'
import { Successors, type Transition } from '../check/transitions/successors.ts'
import { assert } from '../core/assert.ts'

export interface Edge {
  readonly to: number
  readonly transition: Transition
  /** The judged properties that the transition itself breaks. */
  readonly breaks: readonly string[]
}

export interface StateInfo {
  /** The number of transitions on a shortest path from the initial state, of those found so far. */
  depth: number
  /** The state from which it was reached first; −1: the initial state. */
  parent: number
  /** The judged properties that are broken here. */
  readonly breaks: readonly string[]
  /** Whether all up members agree on the leader that is promised. */
  readonly isGoal: boolean
  edges: readonly Edge[] | null
}

export class StateGraph {
  readonly config: CheckConfig
  readonly states: StateInfo[] = []
  private readonly model: Model
  private readonly actions: Actions
  private readonly successors: Successors
  private readonly properties: Properties
  private readonly table: StateTable
  private readonly goals = new BitVector(new GrowingMemory())
  private found: Edge[] = []
  private current = 0
  /** The states below this number have been expanded by `explore`. */
  private explored = 0

  private constructor(options: CheckOptions, exactIds: boolean) {
    this.config = completeOptions({ ...options, reduction: false })
    this.model = new Model(this.config, exactIds)
    const { model, goals, config } = this
    this.actions = new Actions(model)
    this.properties = new Properties({ config, model, actions: this.actions, goals })
    this.successors = new Successors(model, this.actions, () => this.visit())
    this.table = new StateTable(model.codec.length)
    this.actions.initialize()
    this.learn()
    this.include(-1)
  }

  /** Explores up to so many states at once, which shows whether ids can be renamed (id-freshness.ts). */
  static of(options: CheckOptions, states: number): StateGraph {
    try {
      const graph = new StateGraph(options, false)
      graph.explore(states)
      return graph
    } catch (error) {
      if (!(error instanceof IdReuseError)) throw error
      const graph = new StateGraph(options, true)
      graph.explore(states)
      return graph
    }
  }

  get complete(): boolean {
    return this.explored === this.states.length
  }

  /** Expands states in the order of their distance, until there are this many. */
  explore(states: number): void {
    while (!this.complete && this.states.length < states) this.edgesOf(this.explored++)
  }

  /** The first state in which a judged property is broken, or after a transition that breaks one; −1: none so far. */
  firstBroken(): number {
    const { states } = this
    for (let state = 0; state < states.length; state++) {
      if (states[state].breaks.length > 0) return state
      const edge = states[state].edges?.find(({ breaks }) => breaks.length > 0)
      if (edge !== undefined) return edge.to
    }
    return -1
  }

  edgesOf(state: number): readonly Edge[] {
    const info = this.states[state]
    if (info.edges !== null) return info.edges
    const { model, actions, table, successors } = this
    table.read(state, model.codec.words)
    model.codec.unpack(actions.base)
    this.found = []
    this.current = state
    successors.expand()
    this.learn()
    return (info.edges = this.found)
  }

  /** The places of edges on a shortest path to a state, among what has been explored. */
  pathTo(state: number): number[] {
    const path: number[] = []
    for (let at = state; at > 0;) {
      const { parent } = this.states[at]
      const to = at
      path.push(this.edgesOf(parent).findIndex((edge) => edge.to === to))
      at = parent
    }
    return path.reverse()
  }

  /** The places of the edges that take these transitions, one after the other; those of a reduced search are all there. */
  placesOf(transitions: readonly Transition[]): number[] {
    let state = 0
    return transitions.map((wanted) => {
      const edges = this.edgesOf(state)
      const place = edges.findIndex(({ transition }) => isSame(transition, wanted))
      assert(place >= 0, `the state does not allow ${wanted.kind} ${wanted.node} ${wanted.peer}`)
      state = edges[place].to
      return place
    })
  }

  private visit(): void {
    const { actions, properties, current } = this
    const to = this.number(current)
    if (to < 0) return
    const before = counts(properties)
    if (actions.broken !== 0) properties.transition(current, to)
    const { node, kind, peer, detail, crashes, idleAnswers } = this.successors.transition
    const transition = { node, kind, peer, detail, crashes, idleAnswers, ...this.drawName() }
    this.found.push({ to, transition, breaks: brokenSince(properties, before) })
  }

  private drawName(): { name?: string } {
    const { model, actions, successors } = this
    const { kind, node } = successors.transition
    if (kind !== 'drawn') return {}
    return { name: model.localStates.get(model.members.word(actions.base[node], 0)).draws[0].name }
  }

  /** The number of `actions.next`, which may be new; −1: a bound of the check leaves it out. */
  private number(parent: number): number {
    const { model, table } = this
    this.pack()
    const { maxTerm } = this.config
    if (maxTerm !== null && model.canonical.spread > maxTerm) return -1
    const known = table.find(model.codec.words)
    if (known < 0) return this.include(parent)
    const depth = this.states[parent].depth + 1
    if (depth < this.states[known].depth) Object.assign(this.states[known], { depth, parent })
    return known
  }

  private include(parent: number): number {
    const { table, model, properties, goals, states } = this
    this.pack()
    const state = table.add(model.codec.words)
    goals.reserve(state + 1)
    const before = counts(properties)
    properties.state(state)
    states.push({
      depth: parent < 0 ? 0 : states[parent].depth + 1,
      parent,
      breaks: brokenSince(properties, before),
      isGoal: goals.has(state),
      edges: null,
    })
    return state
  }

  private pack(): void {
    const { codec } = this.model
    if (codec.pack(this.actions.next)) return
    const repack = codec.widen()
    this.table.rewrite(codec.length, codec.words, repack)
    this.table.fillSlots(0, 1)
    codec.pack(this.actions.next)
  }

  /** Adopts what the handlers have shown of their timers. */
  private learn(): void {
    const { runner } = this.model
    runner.shortTimers |= runner.shortTimersMet
  }
}

function isSame(a: Transition, b: Transition): boolean {
  return (
    a.kind === b.kind &&
    a.node === b.node &&
    a.peer === b.peer &&
    a.detail === b.detail &&
    a.crashes === b.crashes
  )
}

function counts({ violations }: Properties): number[] {
  return violations.map(({ count }) => count)
}

function brokenSince({ violations }: Properties, before: readonly number[]): string[] {
  return violations
    .filter(({ property, count }, i) => property.judged && count > before[i])
    .map(({ property }) => property.name)
}
