/**
 * The first phase of a block: a thread expands the states of a slice, and writes down each transition that it finds,
 * with the packed state that the transition leads to. Which of these states are new, the next phase says.
 */
import type { Actions } from '../transitions/actions.ts'
import type { Model } from '../transitions/model.ts'
import { Successors } from '../transitions/successors.ts'
import { hashWords } from '../tables/hash-words.ts'
import { Control, SLICE, SLICE_STRIDE, SliceWord, type SearchMemory } from './search-memory.ts'

/** The words of a transition that was found. */
export const Found = {
  /** Of the packed state. */
  HASH: 0,
  /** The place of the source in the block, and flags. */
  INFO: 1,
  /** The number of the state, or -1 minus the place of an earlier transition to it: the next phases find it. */
  RESULT: 2,
  /** The packed state. */
  RECORD: 3,
} as const
export const FOUND_HEADER = 3

export const FoundFlag = {
  FAIR: 1,
  /** The transition leads to the state that it leaves. */
  SELF: 2,
  /** The first transition to a new state. */
  NEW: 4,
} as const
/** The flags of the properties that the transition itself breaks (`Actions.broken`). */
export const BROKEN_SHIFT = 3
const FLAG_BITS = 8

export function sourceOf(info: number): number {
  return info >>> FLAG_BITS
}

export class Expansion {
  private readonly memory: SearchMemory
  private readonly model: Model
  private readonly actions: Actions
  private readonly successors: Successors
  private readonly source: Int32Array
  private readonly maxTerm: number
  /** The fair actions that leave the current state: the first so many of the array. */
  private readonly leaving: number[] = []
  private leavingCount = 0
  private beyondMaxTerm = 0
  private info = 0
  private found!: Int32Array
  /** Where the next transition is written, and where this thread's room ends. */
  private at = 0
  private limit = 0
  private length = 0
  private isSpoilt = false

  constructor(memory: SearchMemory, model: Model, actions: Actions) {
    this.memory = memory
    this.model = model
    this.actions = actions
    this.source = new Int32Array(actions.base.length)
    this.maxTerm = model.config.maxTerm ?? Infinity
    this.successors = new Successors(model, actions, (action) => this.visit(action))
  }

  /** `thread`: each has its own room for transitions. */
  begin(thread: number): void {
    const { control, found, table } = this.memory
    const room = control[Control.ROOM] * (FOUND_HEADER + table.length)
    this.found = found
    this.length = table.length
    this.at = thread * room
    this.limit = this.at + room
    this.isSpoilt = false
  }

  /** Expands the states of a slice. Returns false if the block must be expanded again. */
  expand(slice: number): boolean {
    const { control, slices } = this.memory
    const from = control[Control.FROM] + slice * SLICE
    const to = Math.min(from + SLICE, control[Control.TO])
    const at = slice * SLICE_STRIDE
    const place = this.at
    slices.fill(0, at, at + SLICE_STRIDE)
    const overflows = this.successors.overflows
    this.beyondMaxTerm = 0
    try {
      for (let state = from; state < to && !this.isSpoilt; state++) {
        if (this.expandState(state)) slices[at + SliceWord.SKIPPED_IDLE] = 1
      }
    } finally {
      const stride = FOUND_HEADER + this.length
      slices[at + SliceWord.PLACE] = place / stride
      slices[at + SliceWord.COUNT] = (this.at - place) / stride
      slices[at + SliceWord.BEYOND_MAX_TERM] = this.beyondMaxTerm
      slices[at + SliceWord.BEYOND_ROOM] = this.successors.overflows - overflows
    }
    return !this.isSpoilt
  }

  /** Returns whether an idle answer was left out. */
  private expandState(state: number): boolean {
    const { memory, model, actions, successors, source } = this
    const { codec } = model
    memory.table.read(state, codec.words)
    for (let i = 0; i < this.length; i++) source[i] = codec.words[i]
    codec.unpack(actions.base)
    const leftOut = this.beyondMaxTerm + successors.overflows
    this.leavingCount = 0
    this.info = (state - memory.control[Control.FROM]) << FLAG_BITS
    successors.expand()
    // The state is expanded again, and then it is known what leaves it.
    if (this.isSpoilt) return false
    if (this.beyondMaxTerm + successors.overflows > leftOut) memory.truncated.set(state)
    const { idleActions } = successors
    if (idleActions.length === 0) return false
    const leaving = this.leaving.slice(0, this.leavingCount)
    if (leaving.every((action) => idleActions.includes(action))) memory.mayStay.set(state)
    return true
  }

  private visit(action: number): void {
    const { model, source, found, at, length } = this
    const { codec, canonical } = model
    if (this.isSpoilt || !codec.pack(this.actions.next)) return this.spoil(Control.TOO_NARROW)
    if (canonical.spread > this.maxTerm) {
      this.beyondMaxTerm += 1
      return
    }
    const end = at + FOUND_HEADER + length
    if (end > this.limit) return this.spoil(Control.TOO_SMALL)
    const { words } = codec
    let isSelf = true
    for (let i = 0; i < length; i++) {
      const word = words[i]
      found[at + Found.RECORD + i] = word
      if (word !== source[i]) isSelf = false
    }
    let info = this.info | (this.actions.broken << BROKEN_SHIFT)
    if (isSelf) info |= FoundFlag.SELF
    if (action >= 0) {
      info |= FoundFlag.FAIR
      if (!isSelf) this.leaving[this.leavingCount++] = action
    }
    found[at + Found.HASH] = hashWords(words, 0, length)
    found[at + Found.INFO] = info
    this.at = end
  }

  private spoil(reason: number): void {
    if (!this.isSpoilt) Atomics.store(this.memory.control, reason, 1)
    this.isSpoilt = true
  }
}
