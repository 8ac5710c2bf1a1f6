/**
 * Breadth first: every reachable state once, in the order of its distance from the first, so that the
 * first violation met is a shortest one. Keeps each state's parent and the steps of the system.
 */
import { Bits } from '../tables/bit-vector.ts'
import { Column } from '../tables/int-column.ts'
import { Model } from '../transitions/model.ts'
import type { CheckConfig } from '../options.ts'
import { Successors } from '../transitions/successors.ts'
import { StateTable } from '../tables/state-table.ts'

/** What is looked at in each state and step as it is found. */
export interface Observer {
  /** A new state: `model.next`, with its number. Returns true to end the search. */
  state(number: number): boolean
  /** A step from `model.base` to `model.next`, the state of this number. Returns true to end the search. */
  step(from: number, to: number): boolean
}

/** Why a search ended: it saw everything, the budget was spent, or somebody asked it to. */
export type Ending = 'complete' | 'states' | 'memory' | 'violation' | 'interrupted'

export interface Progress {
  readonly states: number
  readonly transitions: number
  readonly depth: number
  /** States whose steps have not been taken. */
  readonly frontier: number
  readonly bytes: number
}

/** How many states are expanded between two looks at budget and clock. */
const BATCH = 4096

export class Search {
  readonly model: Model
  readonly successors: Successors
  readonly table: StateTable
  readonly parents = new Column()
  /** Steps of the system to other states: targets of state i are edges[first[i]] … edges[first[i + 1] − 1]. */
  readonly edges = new Column()
  readonly first = new Column()
  /** Steps that led beyond `maxTerm` and were not followed. */
  beyondMaxTerm = 0
  /** The states that have steps which a bound kept from being followed. */
  readonly truncated = new Bits()
  /** The states that nothing owed leaves but answers to questions that idle answers could close as well. */
  readonly mayStay = new Bits()
  /** Whether an idle answer was ever left out. */
  skippedIdleAnswers = false
  transitions = 0
  depth = 0
  ending: Ending | null = null
  readonly options: CheckConfig
  private readonly observer: (search: Search) => Observer
  private watcher!: Observer
  /** The actions that lead from the current state to others: the first so many of the array. */
  private readonly leaving: number[] = []
  private leavingCount = 0
  private current = 0
  private levelEnd = 1

  constructor(options: CheckConfig, exact: boolean, observer: (search: Search) => Observer) {
    this.options = options
    this.model = new Model(options, exact)
    this.table = new StateTable(this.model.codec.length)
    this.successors = new Successors(this.model, (action) => this.visit(action))
    this.observer = observer
  }

  /** Whether idle answers and dead letters may be left out. */
  get reduction(): boolean {
    return this.options.reduction
  }

  get progress(): Progress {
    const { transitions, depth } = this
    const states = this.table.size
    return { states, transitions, depth, frontier: states - this.current, bytes: this.bytes }
  }

  get bytes(): number {
    const { table, parents, edges, first, model } = this
    const { members, inboxes, obsolete } = model
    const parts = members.bytes + inboxes.bytes + (obsolete?.bytes ?? 0)
    return table.bytes + parents.bytes + edges.bytes + first.bytes + parts
  }

  begin(): void {
    this.watcher = this.observer(this)
    this.model.begin()
    this.pack()
    this.table.add(this.model.codec.words)
    this.parents.push(-1)
    if (this.watcher.state(0)) this.ending = 'violation'
  }

  /** Goes on for a while; `ending` says when it is over. */
  advance(): void {
    const { table, model, options } = this
    for (let i = 0; i < BATCH && this.ending === null; i++) {
      if (this.current === table.size) this.ending = 'complete'
      else if (table.size >= options.maxStates) this.ending = 'states'
      else {
        if (this.current === this.levelEnd) {
          this.depth += 1
          this.levelEnd = table.size
        }
        this.first.push(this.edges.length)
        this.load(this.current)
        model.load()
        const before = this.beyondMaxTerm + this.successors.overflows
        this.leavingCount = 0
        this.successors.expand()
        if (this.successors.idleActions.length > 0) this.noteIdle()
        if (this.beyondMaxTerm + this.successors.overflows > before)
          this.truncated.set(this.current)
        this.current += 1
      }
    }
    if (this.ending === null && this.bytes > options.maxBytes) this.ending = 'memory'
    if (this.ending === 'complete') this.first.push(this.edges.length)
  }

  /** Puts the packed form of a state into the codec. */
  load(number: number): void {
    this.table.read(number, this.model.codec.words)
  }

  /** The number of `model.next`, a state that was met before. */
  find(): number {
    this.pack()
    return this.table.find(this.model.codec.words)
  }

  /** Packs `model.next`. */
  private pack(): void {
    const { model, table } = this
    const { codec } = model
    if (codec.pack(model.next)) return
    const repack = codec.widen()
    table.rewrite(codec.length, codec.words, repack)
    codec.pack(model.next)
  }

  private noteIdle(): void {
    const { idleActions } = this.successors
    this.skippedIdleAnswers = true
    const leaving = this.leaving.slice(0, this.leavingCount)
    if (leaving.every((action) => idleActions.includes(action))) this.mayStay.set(this.current)
  }

  private visit(action: number): void {
    if (this.ending !== null) return
    const { model, table, options } = this
    const { codec } = model
    this.pack()
    if (options.maxTerm !== null && codec.spread > options.maxTerm) {
      this.beyondMaxTerm += 1
      return
    }
    this.transitions += 1
    const number = table.add(codec.words)
    if (action >= 0 && number !== this.current) {
      this.edges.push(number)
      this.leaving[this.leavingCount++] = action
    }
    if (table.added) {
      this.parents.push(this.current)
      if (this.watcher.state(number)) this.ending = 'violation'
    }
    if ((model.termFell || model.outdated) && this.watcher.step(this.current, number)) {
      this.ending = 'violation'
    }
  }
}
