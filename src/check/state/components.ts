/**
 * Stores numbered components of states (a local state with the values of its ids and counters, or an inbox), and
 * computes their summaries, renamings and shifts. There are far fewer components than states, so a state is a row of
 * component numbers. For each component the canonical form needs a summary, and the component with its ids renamed or
 * its counters shifted; these are computed once.
 */
import type { RecordLayout } from './record-layout.ts'
import { PairTable } from '../tables/pair-table.ts'
import { doubled, WordTable } from '../tables/word-table.ts'

/** What a word of a component is. A history variable is a term plus one, or 0 for none. */
export const Role = { PLAIN: 0, ID: 1, COUNTER: 2, COUNTER_OR_NONE: 3, HISTORY: 4 } as const

export const SUMMARY_WORDS = 5
export const Summary = {
  /** The ids are canonical if the ids 1 to this one occur in earlier components. */
  IDS_BEFORE: 0,
  MAX_ID: 1,
  /** By how much the counters can be lowered, and the largest counter. */
  MIN_COUNTER: 2,
  MAX_COUNTER: 3,
  /**
   * The distinct ids in order of occurrence, ID_BITS bits each; -1: they do not fit. Ids below
   * NEW_IN_SIGNATURE stand for themselves; the larger values are new ids, counted from there.
   */
  SIGNATURE: 4,
} as const

export const NO_COUNTER = 2 ** 30
/** Ids that a transition creates are numbered from here on until the state is packed. */
export const FIRST_NEW_ID = 2 ** 12
export const ID_BITS = 5
export const NEW_IN_SIGNATURE = 2 ** (ID_BITS - 1)
const MAX_IDS_IN_SIGNATURE = 6

export abstract class Components {
  summaries: Int32Array = new Int32Array(SUMMARY_WORDS << 8)
  readonly table = new WordTable((number) => this.include(number))
  private readonly renamedCache = new PairTable()
  private readonly shiftedCache = new PairTable()

  get size(): number {
    return this.table.size
  }

  get bytes(): number {
    const { summaries, table, renamedCache, shiftedCache } = this
    return 4 * summaries.length + table.bytes + renamedCache.bytes + shiftedCache.bytes
  }

  number(words: Int32Array, length: number): number {
    return this.table.add(words, length)
  }

  wordsOf(number: number): Int32Array {
    return this.table.get(number)
  }

  idsOf(number: number): Int32Array {
    const words = this.wordsOf(number)
    return distinctIds(words, this.rolesOf(words))
  }

  /** The component with each id replaced by newIds[id]. `signature`: that of the result, or -1. */
  renamed(number: number, newIds: Int32Array, signature: number): number {
    const known = signature < 0 ? -1 : this.renamedCache.get(number, signature)
    if (known >= 0) return known
    const renamed = this.map(number, (word, role) =>
      role === Role.ID && word !== 0 ? newIds[word] : word,
    )
    if (signature >= 0) this.renamedCache.set(number, signature, renamed)
    return renamed
  }

  shifted(number: number, shift: number): number {
    const known = this.shiftedCache.get(number, shift)
    if (known >= 0) return known
    const shifted = this.map(number, (word, role) => shiftWord(word, role, shift))
    this.shiftedCache.set(number, shift, shifted)
    return shifted
  }

  protected abstract rolesOf(words: Int32Array): ArrayLike<number>

  /** Called once for each new component. */
  protected abstract added(words: Int32Array): void

  private map(number: number, change: (word: number, role: number) => number): number {
    const words = this.wordsOf(number)
    const roles = this.rolesOf(words)
    const changed = words.map((word, i) => change(word, roles[i]))
    return this.number(changed, changed.length)
  }

  private include(number: number): void {
    const words = this.wordsOf(number)
    this.added(words)
    this.summarize(number, words)
  }

  private summarize(number: number, words: Int32Array): void {
    const at = SUMMARY_WORDS * number
    if (at === this.summaries.length) this.summaries = doubled(this.summaries)
    const roles = this.rolesOf(words)
    const ids = distinctIds(words, roles)
    const summary = [...rangeOfIds(ids), ...rangeOfCounters(words, roles), signatureOf(ids)]
    this.summaries.set(summary, at)
  }
}

/** The roles of a component that is a record: a number, then its ids and counters. */
export function recordRoles(layout: RecordLayout, exactIds: boolean, optional = false): number[] {
  return [
    Role.PLAIN,
    ...layout.ids.map(() => (exactIds ? Role.PLAIN : Role.ID)),
    ...layout.counters.map(({ orNone }) =>
      orNone || optional ? Role.COUNTER_OR_NONE : Role.COUNTER,
    ),
  ]
}

function shiftWord(word: number, role: number, shift: number): number {
  if (role === Role.COUNTER) return word - shift
  if (role === Role.COUNTER_OR_NONE) return word === 0 ? 0 : word - shift
  // A history variable below all counters can no longer equal any of them.
  if (role === Role.HISTORY) return word <= shift ? 0 : word - shift
  return word
}

function distinctIds(words: Int32Array, roles: ArrayLike<number>): Int32Array {
  return Int32Array.from(new Set(words.filter((id, i) => roles[i] === Role.ID && id !== 0)))
}

/** IDS_BEFORE and MAX_ID. */
function rangeOfIds(ids: Int32Array): [number, number] {
  let before = 0
  let max = 0
  for (const id of ids) {
    if (id > max + 1 && id - 1 > before) before = id - 1
    if (id > max) max = id
  }
  return [before, max]
}

/** MIN_COUNTER and MAX_COUNTER. */
function rangeOfCounters(words: Int32Array, roles: ArrayLike<number>): [number, number] {
  let min = NO_COUNTER
  let max = -1
  words.forEach((word, i) => {
    const orNone = roles[i] === Role.COUNTER_OR_NONE
    if ((roles[i] !== Role.COUNTER && !orNone) || (orNone && word === 0)) return
    // A counter that is not none must stay above 0, which means none.
    min = Math.min(min, orNone ? word - 1 : word)
    max = Math.max(max, word)
  })
  return [min, max]
}

function signatureOf(ids: Int32Array): number {
  if (ids.length > MAX_IDS_IN_SIGNATURE) return -1
  let signature = 0
  for (let i = 0; i < ids.length; i++) {
    const isNew = ids[i] >= FIRST_NEW_ID
    const place = isNew ? ids[i] - FIRST_NEW_ID : ids[i]
    if (place >= NEW_IN_SIGNATURE) return -1
    signature |= (isNew ? place + NEW_IN_SIGNATURE : place) << (ID_BITS * i)
  }
  return signature
}
