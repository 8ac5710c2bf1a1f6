/**
 * Runs the breadth-first search: visits every reachable state once, in the order of its distance from the initial
 * state, so that the first violation has a shortest path. Keeps the edges of fair transitions.
 *
 * The search takes the states in blocks, and each block in phases (docs/decisions/0014-threads-share-a-table.md): expand the states, look up
 * what they lead to, number what is new, judge it. Threads share the work of a phase. The numbers of states, and all
 * that follows from them, do not depend on how many threads there are.
 */
import { assert } from '../../core/assert.ts'
import type { CheckConfig } from '../options.ts'
import { MAX_EDGE_BYTES } from '../tables/edge-lists.ts'
import { MemoryFull } from '../tables/growing-memory.ts'
import { MAX_RECORDS } from '../tables/state-table.ts'
import type { Actions } from '../transitions/actions.ts'
import type { Model } from '../transitions/model.ts'
import { FOUND_HEADER } from './expansion.ts'
import type { Helpers } from './helper.ts'
import type { Observed, Observer } from './judging.ts'
import {
  BLOCK,
  Control,
  OBSERVER_AT,
  Order,
  SearchMemory,
  SLICE,
  SLICE_STRIDE,
  SliceEnd,
  SliceWord,
} from './search-memory.ts'
import { Phase, SearchThread } from './search-thread.ts'

export type Ending = 'complete' | 'states' | 'memory' | 'violation' | 'interrupted'

export interface Progress {
  readonly states: number
  readonly transitions: number
  readonly depth: number
  readonly frontier: number
  readonly bytes: number
}

/** In a smaller block the threads would wait longer for each other than they work. */
const SLICES_TO_SHARE = 8
const WAIT_MS = 1000
const MAX_WAITS = 600
/** Judging liveness needs so much memory for each state (strongly-connected-components.ts). */
const LIVENESS_BYTES = 24

export class BreadthFirstSearch<O extends Observer = Observer> {
  readonly config: CheckConfig
  readonly model: Model
  readonly actions: Actions
  readonly memory = new SearchMemory()
  /** The number of transitions beyond `maxTerm`, and beyond the room of a link, which are not followed. */
  beyondMaxTerm = 0
  beyondRoom = 0
  skippedIdleAnswers = false
  states = 0
  transitions = 0
  depth = 0
  ending: Ending | null = null
  /** Adds up what the observers of the threads have counted. */
  readonly observer: O
  private readonly thread: SearchThread
  private helpers: Helpers | null
  private isShared = false
  /** The helpers that take part in the current block. */
  private party = 0
  private current = 0
  private levelEnd = 1

  constructor(
    config: CheckConfig,
    exactIds: boolean,
    observe: (observed: Observed) => O,
    helpers: Helpers | null = null,
  ) {
    this.config = config
    this.thread = new SearchThread(config, exactIds, this.memory, observe)
    this.model = this.thread.model
    this.actions = this.thread.actions
    this.observer = observe(this.thread.observed)
    // Ids that are kept as they are have numbers of their own in each thread.
    this.helpers = exactIds ? null : helpers
    this.memory.table.length = this.model.codec.length
    this.memory.control[Control.ROOM] = 2 ** 10
  }

  get progress(): Progress {
    const { states, transitions, depth, bytes } = this
    return { states, transitions, depth, frontier: states - this.current, bytes }
  }

  get bytes(): number {
    const { model, actions, memory } = this
    const components = model.members.bytes + model.inboxes.bytes + (actions.obsolete?.bytes ?? 0)
    return memory.bytes + (1 + this.party) * components
  }

  begin(): void {
    this.actions.initialize()
    this.pack()
    this.memory.table.add(this.model.codec.words)
    this.memory.reserve(1, 0)
    this.states = 1
    this.learn()
    this.adoptShortTimers()
    if (this.observer.state(0)) this.ending = 'violation'
  }

  /** Expands a block of states. The search is over when `ending` is set. */
  advance(): void {
    const { config } = this
    if (this.ending !== null) return
    if (this.current === this.states) this.ending = 'complete'
    else if (this.states >= config.maxStates) this.ending = 'states'
    else this.expandBlock()
    if (this.ending === null && this.bytes + LIVENESS_BYTES * this.states > config.maxBytes) {
      this.ending = 'memory'
    }
    if (this.ending !== null) this.stop()
  }

  /** Ends the threads that help. */
  stop(): void {
    if (this.isShared) {
      this.order(Phase.STOP, 0)
      this.thread.log.detach()
    }
    this.helpers = null
    this.isShared = false
    this.party = 0
  }

  load(number: number): void {
    const { codec } = this.model
    this.memory.table.read(number, codec.words)
    codec.unpack(this.actions.base)
  }

  /** The number of `actions.next`, a state that was visited before. */
  find(): number {
    this.pack()
    return this.memory.table.find(this.model.codec.words)
  }

  private expandBlock(): void {
    if (this.current === this.levelEnd) {
      this.depth += 1
      this.levelEnd = this.states
      this.adoptShortTimers()
    }
    if (!this.isShared && this.states >= (this.helpers?.fromStates ?? Infinity)) this.share()
    this.party = this.isShared ? Atomics.load(this.memory.control, Control.JOINED) : 0
    try {
      this.findTransitions()
      const error = this.cutAtError()
      this.reserve()
      this.run(Phase.LOOK_UP)
      this.assignNumbers()
      this.run(Phase.NUMBER)
      this.run(Phase.JUDGE)
      this.addSlices()
      if (error !== undefined) throw error
    } catch (error) {
      if (!(error instanceof MemoryFull)) throw error
      this.ending = 'memory'
    }
  }

  /** The first phase, again after each time that a component or a transition found no room. */
  private findTransitions(): void {
    const { memory, current } = this
    const { control } = memory
    const to = Math.min(this.levelEnd, current + BLOCK * (1 + this.party))
    const slices = Math.ceil((to - current) / SLICE)
    control[Control.FROM] = current
    control[Control.TO] = to
    control[Control.SLICES] = slices
    memory.parts.slices.reserveWords(slices * SLICE_STRIDE)
    for (;;) {
      control[Control.TOO_NARROW] = 0
      control[Control.TOO_SMALL] = 0
      const room = control[Control.ROOM] * (FOUND_HEADER + memory.table.length)
      memory.parts.found.reserveWords(room * (1 + this.party))
      this.run(Phase.EXPAND)
      if (this.isShared) this.thread.log.catchUp()
      if (control[Control.TOO_NARROW] !== 0) this.widen()
      else if (control[Control.TOO_SMALL] !== 0) control[Control.ROOM] *= 2
      else if (this.hasForeignError()) this.party = 0
      else return
    }
  }

  /** Whether a slice failed in a helper: this thread expands the block again, for the error. */
  private hasForeignError(): boolean {
    const slice = this.firstFailed()
    return slice >= 0 && !this.thread.errors.has(slice)
  }

  /** If a slice could not be expanded to the end, the block ends there. Returns the error. */
  private cutAtError(): Error | undefined {
    const slice = this.firstFailed()
    if (slice < 0) return undefined
    this.memory.control[Control.SLICES] = slice + 1
    return this.thread.errors.get(slice)
  }

  private firstFailed(): number {
    const { control, slices } = this.memory
    for (let slice = 0; slice < control[Control.SLICES]; slice++) {
      if (slices[slice * SLICE_STRIDE + SliceWord.FAILED] !== 0) return slice
    }
    return -1
  }

  /** Makes room for what the block may add. */
  private reserve(): void {
    const { memory } = this
    const { table, control, slices } = memory
    let found = 0
    for (let slice = 0; slice < control[Control.SLICES]; slice++) {
      found += slices[slice * SLICE_STRIDE + SliceWord.COUNT]
    }
    const places = control[Control.ROOM] * (1 + this.party)
    if (table.size + places > MAX_RECORDS) throw new MemoryFull('too many states for the table')
    memory.reserve(found, (MAX_EDGE_BYTES + 1) * found)
    if (table.reserve(table.size + found)) this.fillSlots(table.size + found)
  }

  private assignNumbers(): void {
    const { table, control, slices } = this.memory
    let next = table.size
    for (let slice = 0; slice < control[Control.SLICES]; slice++) {
      const at = slice * SLICE_STRIDE
      slices[at + SliceWord.FIRST_NUMBER] = next
      next += slices[at + SliceWord.NEW]
    }
    table.size = next
  }

  /** Adds up what the slices have counted, to the place where the search ends. */
  private addSlices(): void {
    const { control, slices } = this.memory
    for (let slice = 0; slice < control[Control.SLICES]; slice++) {
      const at = slice * SLICE_STRIDE
      this.transitions += slices[at + SliceWord.TRANSITIONS]
      this.states = slices[at + SliceWord.STATES]
      this.beyondMaxTerm += slices[at + SliceWord.BEYOND_MAX_TERM]
      this.beyondRoom += slices[at + SliceWord.BEYOND_ROOM]
      if (slices[at + SliceWord.SKIPPED_IDLE] !== 0) this.skippedIdleAnswers = true
      this.observer.add(slices, at + OBSERVER_AT)
      const end = slices[at + SliceWord.END]
      if (end === SliceEnd.NONE) continue
      this.ending = end === SliceEnd.VIOLATION ? 'violation' : 'states'
      this.current = slices[at + SliceWord.EXPANDED]
      return
    }
    this.current = control[Control.TO]
  }

  private pack(): void {
    const { codec } = this.model
    if (codec.pack(this.actions.next)) return
    this.widen()
    codec.pack(this.actions.next)
  }

  /** Gives components wider fields, and packs all states again. */
  private widen(): void {
    const { codec } = this.model
    const { table } = this.memory
    const repack = codec.widen()
    table.rewrite(codec.length, codec.words, repack)
    this.fillSlots(table.size)
  }

  private fillSlots(count: number): void {
    this.memory.table.clearSlots(count)
    this.run(Phase.FILL_SLOTS)
  }

  /** Hands the memory to other threads, which join when they have started. */
  private share(): void {
    this.isShared = true
    this.thread.log.begin()
    this.helpers!.start({ config: this.config, memory: this.memory.share() })
  }

  /** Runs a phase in all threads. */
  private run(phase: number): void {
    const { memory, thread } = this
    const { control } = memory
    const isLarge = control[Control.SLICES] >= SLICES_TO_SHARE
    const party = isLarge ? this.party : 0
    control[Control.NEXT_SLICE] = 0
    if (party > 0) this.wake(phase, party)
    thread.perform(phase, 0, 1 + party)
    for (let waits = 0; ; waits++) {
      const working = Atomics.load(control, Control.WORKING)
      if (working === 0) break
      assert(waits < MAX_WAITS, 'a thread of the search does not answer')
      Atomics.wait(control, Control.WORKING, working, WAIT_MS)
    }
    assert(control[Control.BROKEN] === 0, 'a thread of the search has failed')
    if (phase === Phase.EXPAND) this.learn()
  }

  private wake(phase: number, party: number): void {
    const { control, table } = this.memory
    const { codec } = this.model
    control[Control.SIZE] = table.size
    control[Control.LENGTH] = table.length
    control[Control.SLOT_BITS] = table.slotBits
    control[Control.MEMBER_BITS] = codec.memberBits
    control[Control.INBOX_BITS] = codec.inboxBits
    Atomics.store(control, Control.WORKING, party)
    this.order(phase, party)
  }

  private order(phase: number, party: number): void {
    const { control } = this.memory
    const before = Atomics.load(control, Control.ORDER)
    Atomics.store(control, Control.ORDER, Order.next(before, phase, party))
    Atomics.notify(control, Control.ORDER)
  }

  /** Adopts what the handlers have shown in any thread. */
  private learn(): void {
    const { control } = this.memory
    const { runner } = this.model
    Atomics.or(control, Control.SHORT_TIMERS_MET, runner.shortTimersMet)
    runner.handledBits |= control[Control.HANDLED]
    if (control[Control.RESIGNED] !== 0) runner.resigned = true
    if (control[Control.CHANGED] !== 0) runner.changed = true
  }

  /**
   * At the end of a level, not of a block: how large blocks are, and how often they are expanded again, depends on the
   * number of threads.
   */
  private adoptShortTimers(): void {
    const { control } = this.memory
    control[Control.SHORT_TIMERS] = control[Control.SHORT_TIMERS_MET]
    this.model.runner.shortTimers = control[Control.SHORT_TIMERS]
  }
}
