/**
 * The memory of one search, which its threads share: states, edges, the transitions of the current block, and the
 * words by which the threads agree on what to do next.
 */
import { BitVector } from '../tables/bit-vector.ts'
import { EdgeLists } from '../tables/edge-lists.ts'
import { GrowingMemory } from '../tables/growing-memory.ts'
import { StateTable } from '../tables/state-table.ts'

/**
 * A block has this many states for each thread; their transitions fit in the cache of a core. A slice is what one thread
 * expands at a time.
 */
export const BLOCK = 2 ** 12
export const SLICE = 2 ** 6
/** The parent of each state with a number that is a multiple of this one is kept. */
export const PARENT_STRIDE = 64

/** Words of `control`. */
export const Control = {
  /** The order (`Order`) that the helpers carry out, or wait for. */
  ORDER: 0,
  /** The next slice that no thread has taken. */
  NEXT_SLICE: 2,
  /** Helpers that have not finished the phase. */
  WORKING: 3,
  /** Helpers that have joined. */
  JOINED: 4,
  /** A helper failed where it must not. */
  BROKEN: 6,
  // The block:
  FROM: 7,
  TO: 8,
  SLICES: 9,
  /** Transitions that each thread has room for. */
  ROOM: 10,
  /** Set by a thread that needs wider fields, or more room. */
  TOO_NARROW: 11,
  TOO_SMALL: 12,
  // The table of states, and the codec:
  SIZE: 13,
  LENGTH: 14,
  SLOT_BITS: 15,
  MEMBER_BITS: 16,
  INBOX_BITS: 17,
  EDGES_END: 18,
  // What the handlers have shown so far (HandlerRunner); of the timers, what they had shown when the level began:
  SHORT_TIMERS_MET: 5,
  SHORT_TIMERS: 19,
  HANDLED: 20,
  RESIGNED: 21,
  CHANGED: 22,
} as const
const CONTROL_WORDS = 32

const PHASE_BITS = 3
const PARTY_BITS = 6

/**
 * What the first thread tells its helpers to do, in one word, which a helper reads once: a phase, how many helpers take
 * part in it, and a number that makes each order differ from the one before. A helper that is woken late, or for nothing,
 * sees the order that it has carried out.
 */
export const Order = {
  next: (before: number, phase: number, party: number): number =>
    (((before >>> (PHASE_BITS + PARTY_BITS)) + 1) << (PHASE_BITS + PARTY_BITS)) |
    (party << PHASE_BITS) |
    phase,
  phaseOf: (order: number): number => order & (2 ** PHASE_BITS - 1),
  partyOf: (order: number): number => (order >>> PHASE_BITS) & (2 ** PARTY_BITS - 1),
} as const

/** Words of a slice, in `slices`: those of `SliceWord`, then the observer's. */
export const SliceWord = {
  /** The place of its first transition, and how many there are. */
  PLACE: 0,
  COUNT: 1,
  FAILED: 2,
  BEYOND_MAX_TERM: 3,
  BEYOND_ROOM: 4,
  SKIPPED_IDLE: 5,
  /** How many of its transitions lead to new states, and the number of the first of these. */
  NEW: 6,
  FIRST_NUMBER: 7,
  /** How the search ends in this slice (`SliceEnd`); what counts of it until then. */
  END: 8,
  TRANSITIONS: 9,
  STATES: 10,
  EXPANDED: 11,
} as const
const SLICE_WORDS = 12
/** Words that an observer has for each slice. */
const OBSERVER_WORDS = 52
export const SLICE_STRIDE = SLICE_WORDS + OBSERVER_WORDS
export const OBSERVER_AT = SLICE_WORDS

export const SliceEnd = { NONE: 0, VIOLATION: 1, STATES: 2 } as const

const PARTS = [
  'control',
  'records',
  'slots',
  'first',
  'edgeBytes',
  'parents',
  'goalBits',
  'truncatedBits',
  'mayStayBits',
  'found',
  'slices',
  'log',
] as const
type Part = (typeof PARTS)[number]

/** The memory of a search, for another thread. */
export type SharedMemory = Readonly<Record<Part, SharedArrayBuffer>>

export class SearchMemory {
  readonly parts: Readonly<Record<Part, GrowingMemory>>
  readonly table: StateTable
  /** Fair transitions to other states. */
  readonly edges: EdgeLists
  /** The states in which all up members agree on the leader that is promised. */
  readonly goals: BitVector
  /** The states of which a bound left transitions out. */
  readonly truncated: BitVector
  /** The states in which a fair run may stay: all fair actions that leave them are also idle answers. */
  readonly mayStay: BitVector

  constructor(shared?: SharedMemory) {
    const memory = (part: Part): GrowingMemory => new GrowingMemory(shared?.[part])
    this.parts = Object.fromEntries(PARTS.map((part) => [part, memory(part)])) as typeof this.parts
    const { records, slots, first, edgeBytes, goalBits, truncatedBits, mayStayBits } = this.parts
    this.table = new StateTable(1, records, slots)
    this.edges = new EdgeLists(first, edgeBytes)
    this.goals = new BitVector(goalBits)
    this.truncated = new BitVector(truncatedBits)
    this.mayStay = new BitVector(mayStayBits)
    if (shared !== undefined) return
    this.parts.control.reserveWords(CONTROL_WORDS)
    this.control[Control.EDGES_END] = 1
  }

  get control(): Int32Array {
    return this.parts.control.words
  }

  get slices(): Int32Array {
    return this.parts.slices.words
  }

  /** The transitions that the threads have found in the block (`FoundTransitions`). */
  get found(): Int32Array {
    return this.parts.found.words
  }

  get bytes(): number {
    const { table } = this
    const bits = (3 * table.size) / 8
    const perState = 4 + 4 / PARENT_STRIDE
    return table.bytes + table.size * perState + bits + (this.control[Control.EDGES_END] >>> 0)
  }

  share(): SharedMemory {
    return Object.fromEntries(PARTS.map((part) => [part, this.parts[part].share()])) as SharedMemory
  }

  refresh(): void {
    for (const part of PARTS) this.parts[part].refresh()
  }

  /** Makes room for what a block with this many transitions may add. */
  reserve(transitions: number, maxEdgeBytes: number): void {
    const { table, parts, control } = this
    const states = table.size + transitions
    parts.first.reserveWords(table.size)
    parts.edgeBytes.reserve((control[Control.EDGES_END] >>> 0) + maxEdgeBytes)
    parts.parents.reserveWords(Math.ceil(states / PARENT_STRIDE) + 1)
    this.goals.reserve(states)
    this.truncated.reserve(states)
    this.mayStay.reserve(states)
  }
}
