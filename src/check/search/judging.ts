/**
 * The last phase of a block: a thread writes the edges of a slice, judges its new states and its transitions in the
 * order in which a search of one thread would, and notes where that search would end.
 */
import type { CheckConfig } from '../options.ts'
import type { BitVector } from '../tables/bit-vector.ts'
import { MAX_EDGE_BYTES, writeEdge } from '../tables/edge-lists.ts'
import type { Actions } from '../transitions/actions.ts'
import type { Model } from '../transitions/model.ts'
import { BROKEN_SHIFT, Found, FOUND_HEADER, FoundFlag, sourceOf } from './expansion.ts'
import {
  Control,
  OBSERVER_AT,
  SLICE,
  SLICE_STRIDE,
  SliceEnd,
  SliceWord,
  type SearchMemory,
} from './search-memory.ts'

/** What an observer sees of a search. */
export interface Observed {
  readonly config: CheckConfig
  readonly model: Model
  readonly actions: Actions
  /** The states in which all up members agree on the leader that is promised. */
  readonly goals: BitVector
}

/** Judges states and transitions as the search finds them. Returns true to end the search. */
export interface Observer {
  /** A new state: `actions.next`, with its number. */
  state(number: number): boolean
  /** A transition that breaks a property by itself, whatever the state that it leads to: `actions.broken`. */
  transition(from: number, to: number): boolean
  /** Forgets what it has counted. */
  clear(): void
  /** Writes what it has counted, and adds what an observer has written about later states. */
  write(words: Int32Array, at: number): void
  add(words: Int32Array, at: number): void
}

export class Judging {
  private readonly memory: SearchMemory
  private readonly model: Model
  private readonly actions: Actions
  private readonly observer: Observer
  private readonly maxStates: number
  /** The edges of the slice, and where those of each state begin; -1: it has none. */
  private bytes = new Uint8Array(1 << 10)
  private readonly starts = new Int32Array(SLICE)
  private used = 0

  constructor(memory: SearchMemory, { config, model, actions }: Observed, observer: Observer) {
    this.memory = memory
    this.model = model
    this.actions = actions
    this.observer = observer
    this.maxStates = config.maxStates
  }

  judge(slice: number): void {
    const { slices } = this.memory
    const at = slice * SLICE_STRIDE
    this.observer.clear()
    this.writeEdges(slice)
    this.judgeTransitions(slice, at)
    this.observer.write(slices, at + OBSERVER_AT)
  }

  private judgeTransitions(slice: number, at: number): void {
    const { slices, found, table, control } = this.memory
    const stride = FOUND_HEADER + table.length
    const from = control[Control.FROM]
    const count = slices[at + SliceWord.COUNT]
    const first = slices[at + SliceWord.PLACE] * stride
    let states = slices[at + SliceWord.FIRST_NUMBER]
    let source = from + slice * SLICE - 1
    let end: number = SliceEnd.NONE
    let i = 0
    for (let entry = first; i < count; entry += stride) {
      const info = found[entry + Found.INFO]
      if (from + sourceOf(info) !== source) {
        if (states >= this.maxStates) {
          end = SliceEnd.STATES
          source += 1
          break
        }
        source = from + sourceOf(info)
      }
      i += 1
      const isNew = (info & FoundFlag.NEW) !== 0
      if (isNew) states += 1
      const judged = (info >>> BROKEN_SHIFT) & 31
      if (!isNew && judged === 0) continue
      if (this.judgeOne(entry, info, source)) {
        end = SliceEnd.VIOLATION
        break
      }
    }
    slices[at + SliceWord.END] = end
    slices[at + SliceWord.TRANSITIONS] = i
    slices[at + SliceWord.STATES] = states
    slices[at + SliceWord.EXPANDED] = source
  }

  private judgeOne(entry: number, info: number, source: number): boolean {
    const { observer, actions, model, memory } = this
    const { codec } = model
    const target = this.targetOf(entry, info, source)
    let ends = false
    if ((info & FoundFlag.NEW) !== 0) {
      memory.table.read(target, codec.words)
      codec.unpack(actions.next)
      ends = observer.state(target)
    }
    actions.broken = (info >>> BROKEN_SHIFT) & 31
    if (actions.broken !== 0 && observer.transition(source, target)) ends = true
    return ends
  }

  private targetOf(entry: number, info: number, source: number): number {
    if ((info & FoundFlag.SELF) !== 0) return source
    const { found, table } = this.memory
    const result = found[entry + Found.RESULT]
    if (result >= 0) return result
    return found[(-1 - result) * (FOUND_HEADER + table.length) + Found.RESULT]
  }

  private writeEdges(slice: number): void {
    const { memory, starts } = this
    const { control, parts } = memory
    const from = control[Control.FROM] + slice * SLICE
    const states = Math.min(SLICE, control[Control.TO] - from)
    this.encodeEdges(slice)
    const base = Atomics.add(control, Control.EDGES_END, this.used) >>> 0
    parts.edgeBytes.bytes.set(this.bytes.subarray(0, this.used), base)
    const first = parts.first.words
    for (let i = 0; i < states; i++) first[from + i] = starts[i] < 0 ? 0 : base + starts[i]
  }

  private encodeEdges(slice: number): void {
    const { memory, starts } = this
    const { control, slices, found, table } = memory
    const at = slice * SLICE_STRIDE
    const count = slices[at + SliceWord.COUNT]
    const stride = FOUND_HEADER + table.length
    const from = control[Control.FROM]
    const room = (MAX_EDGE_BYTES + 1) * count
    if (this.bytes.length < room) this.bytes = new Uint8Array(2 * room)
    const { bytes } = this
    let used = 0
    let source = -1
    starts.fill(-1)
    let entry = slices[at + SliceWord.PLACE] * stride
    for (let i = 0; i < count; i++, entry += stride) {
      const info = found[entry + Found.INFO]
      if ((info & (FoundFlag.FAIR | FoundFlag.SELF)) !== FoundFlag.FAIR) continue
      const state = sourceOf(info)
      if (state !== source) {
        if (source >= 0) bytes[used++] = 0
        source = state
        starts[state - slice * SLICE] = used
      }
      used = writeEdge(bytes, used, from + state, this.targetOf(entry, info, from + state))
    }
    if (source >= 0) bytes[used++] = 0
    this.used = used
  }
}
