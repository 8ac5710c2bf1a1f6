/**
 * Runs the breadth-first search: visits every reachable state once, in the order of its distance from the initial
 * state, so that the first violation has a shortest path. Keeps the parent of each state, and the edges of fair
 * transitions.
 */
import type { CheckConfig } from '../options.ts'
import { BitVector, IntColumn } from '../tables/int-column.ts'
import { StateTable } from '../tables/state-table.ts'
import { Actions } from '../transitions/actions.ts'
import { Model } from '../transitions/model.ts'
import { Successors } from '../transitions/successors.ts'

/** Judges states and transitions as the search finds them. Returns true to end the search. */
export interface Observer {
  /** A new state: `actions.next`, with its number. */
  state(number: number): boolean
  /** A transition that breaks a property by itself, whatever the state that it leads to. */
  transition(from: number, to: number): boolean
}

export type Ending = 'complete' | 'states' | 'memory' | 'violation' | 'interrupted'

export interface Progress {
  readonly states: number
  readonly transitions: number
  readonly depth: number
  readonly frontier: number
  readonly bytes: number
}

const BATCH = 4096

export class BreadthFirstSearch {
  readonly config: CheckConfig
  readonly model: Model
  readonly actions: Actions
  readonly successors: Successors
  readonly table: StateTable
  readonly parents = new IntColumn()
  /** Fair transitions to other states: those of state i are edges[first[i]] … edges[first[i + 1] − 1]. */
  readonly edges = new IntColumn()
  readonly first = new IntColumn()
  /** The number of transitions beyond `maxTerm`, which are not followed. */
  beyondMaxTerm = 0
  readonly truncated = new BitVector()
  /** The states in which a fair run may stay: all fair actions that leave them are also idle answers. */
  readonly mayStay = new BitVector()
  skippedIdleAnswers = false
  transitions = 0
  depth = 0
  ending: Ending | null = null
  private readonly observer: Observer
  /** The fair actions that leave the current state: the first so many of the array. */
  private readonly leaving: number[] = []
  private leavingCount = 0
  private current = 0
  private levelEnd = 1

  constructor(
    config: CheckConfig,
    exactIds: boolean,
    observe: (search: BreadthFirstSearch) => Observer,
  ) {
    this.config = config
    this.model = new Model(config, exactIds)
    this.actions = new Actions(this.model)
    this.table = new StateTable(this.model.codec.length)
    this.successors = new Successors(this.model, this.actions, (action) => this.visit(action))
    this.observer = observe(this)
  }

  get progress(): Progress {
    const { transitions, depth } = this
    const states = this.table.size
    return { states, transitions, depth, frontier: states - this.current, bytes: this.bytes }
  }

  get bytes(): number {
    const { table, parents, edges, first, model, actions } = this
    const components = model.members.bytes + model.inboxes.bytes + (actions.obsolete?.bytes ?? 0)
    return table.bytes + parents.bytes + edges.bytes + first.bytes + components
  }

  begin(): void {
    this.actions.initialize()
    this.pack()
    this.table.add(this.model.codec.words)
    this.parents.push(-1)
    if (this.observer.state(0)) this.ending = 'violation'
  }

  /** Expands a batch of states. The search is over when `ending` is set. */
  advance(): void {
    const { table, config } = this
    for (let i = 0; i < BATCH && this.ending === null; i++) {
      if (this.current === table.size) this.ending = 'complete'
      else if (table.size >= config.maxStates) this.ending = 'states'
      else this.expand()
    }
    if (this.ending === null && this.bytes > config.maxBytes) this.ending = 'memory'
    if (this.ending === 'complete') this.first.push(this.edges.length)
  }

  load(number: number): void {
    const { codec } = this.model
    this.table.read(number, codec.words)
    codec.unpack(this.actions.base)
  }

  /** The number of `actions.next`, a state that was visited before. */
  find(): number {
    this.pack()
    return this.table.find(this.model.codec.words)
  }

  private expand(): void {
    const { successors } = this
    if (this.current === this.levelEnd) {
      this.depth += 1
      this.levelEnd = this.table.size
    }
    this.first.push(this.edges.length)
    this.load(this.current)
    const leftOut = this.beyondMaxTerm + successors.overflows
    this.leavingCount = 0
    successors.expand()
    if (successors.idleActions.length > 0) this.noteIdleAnswers()
    if (this.beyondMaxTerm + successors.overflows > leftOut) this.truncated.set(this.current)
    this.current += 1
  }

  private pack(): void {
    const { codec } = this.model
    if (codec.pack(this.actions.next)) return
    const repack = codec.widen()
    this.table.rewrite(codec.length, codec.words, repack)
    codec.pack(this.actions.next)
  }

  private noteIdleAnswers(): void {
    const { idleActions } = this.successors
    this.skippedIdleAnswers = true
    const leaving = this.leaving.slice(0, this.leavingCount)
    if (leaving.every((action) => idleActions.includes(action))) this.mayStay.set(this.current)
  }

  private visit(action: number): void {
    if (this.ending !== null) return
    const { model, table, actions, config } = this
    this.pack()
    if (config.maxTerm !== null && model.canonical.spread > config.maxTerm) {
      this.beyondMaxTerm += 1
      return
    }
    this.transitions += 1
    const number = table.add(model.codec.words)
    if (action >= 0 && number !== this.current) {
      this.edges.push(number)
      this.leaving[this.leavingCount++] = action
    }
    if (table.added) {
      this.parents.push(this.current)
      if (this.observer.state(number)) this.ending = 'violation'
    }
    if (actions.breaksProperty) {
      if (this.observer.transition(this.current, number)) this.ending = 'violation'
    }
  }
}
