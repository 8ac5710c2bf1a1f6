/**
 * Parts of a global state: a member with the values of its ids and counters, what is under way to it with
 * theirs. There are far fewer of them than states, so each distinct one is numbered, and a state is a row
 * of numbers. What the canonical form needs to know of a part is found out once, and so is what becomes
 * of it when its ids are renamed or its counters lowered.
 */
import { PairTable } from '../tables/pair-table.ts'
import { WordTable } from '../tables/word-table.ts'

/** What a word of a part is. A ghost is a term plus one, 0 for none, that nobody sees. */
export const Role = { PLAIN: 0, ID: 1, COUNTER: 2, COUNTER_OR_NONE: 3, HISTORY: 4 } as const

/** What the canonical form asks of every part of every state, so many words each. */
export const SUMMARY_WORDS = 5
export const Summary = {
  /** Its ids are as the canonical form has them where 1 to `FLOOR` are met before. */
  IDS_BEFORE: 0,
  /** The largest id. */
  MAX_ID: 1,
  /** By how much its counters could be lowered, and the largest of them. */
  MIN_COUNTER: 2,
  MAX_COUNTER: 3,
  /** Its ids, see below; -1: there are too many, or too large ones. */
  SIGNATURE: 4,
} as const

/** The least counter of a part without any. */
export const NO_COUNTER = 2 ** 30
/** An id that is new has a label from here on until the state is packed. */
export const FRESH_LABEL = 2 ** 12
/** A signature is the ids of a part, each once, in the order in which they are met, in so many bits each. */
export const ID_BITS = 5
/** In a signature labels are below this, and those of new ids follow. */
export const FRESH_IN_SIGNATURE = 2 ** (ID_BITS - 1)
const MOST_IN_SIGNATURE = 6
const MAX_WORDS = 254

export abstract class Components {
  /** The facts of all parts. */
  summaries: Int32Array = new Int32Array(SUMMARY_WORDS << 8)
  private readonly table = new WordTable()
  private readonly key = new Int32Array(MAX_WORDS + 1)
  private readonly renamedCache = new PairTable()
  private readonly shiftedCache = new PairTable()

  get size(): number {
    return this.table.size
  }

  get bytes(): number {
    const { summaries, table, renamedCache, shiftedCache } = this
    return 4 * summaries.length + table.bytes + renamedCache.bytes + shiftedCache.bytes
  }

  /** The number of the part words[0..length). */
  number(words: Int32Array, length: number): number {
    const { key } = this
    key[0] = length + 1
    for (let i = 0; i < length; i++) key[i + 1] = words[i]
    const number = this.table.add(key, length + 1)
    if (this.table.added) this.summarize(number, words.subarray(0, length))
    return number
  }

  wordsOf(number: number): Int32Array {
    return this.table.get(number).subarray(1)
  }

  /** The ids of a part, each once, in the order in which they are met. */
  idsOf(number: number): Int32Array {
    const words = this.wordsOf(number)
    return idsOf(words, this.rolesOf(words))
  }

  /** A part with its ids renamed. `signature`: what it will have, or -1. */
  withIds(number: number, labels: Int32Array, signature: number): number {
    const known = signature < 0 ? -1 : this.renamedCache.get(number, signature)
    if (known >= 0) return known
    const words = this.wordsOf(number)
    const roles = this.rolesOf(words)
    const then = words.map((id, i) => (roles[i] === Role.ID && id !== 0 ? labels[id] : id))
    const renamed = this.number(then, then.length)
    if (signature >= 0) this.renamedCache.set(number, signature, renamed)
    return renamed
  }

  /** A part with its counters lowered. */
  shifted(number: number, shift: number): number {
    const known = this.shiftedCache.get(number, shift)
    if (known >= 0) return known
    const words = this.wordsOf(number)
    const roles = this.rolesOf(words)
    const then = words.map((word, i) => shiftWord(word, roles[i], shift))
    const lowered = this.number(then, then.length)
    this.shiftedCache.set(number, shift, lowered)
    return lowered
  }

  /** The role of each word of a part. */
  protected abstract rolesOf(words: Int32Array): ArrayLike<number>

  /** A part is met for the first time. */
  protected abstract added(words: Int32Array): void

  private summarize(number: number, words: Int32Array): void {
    this.added(words)
    const at = SUMMARY_WORDS * number
    if (at === this.summaries.length) this.summaries = doubled(this.summaries)
    const roles = this.rolesOf(words)
    const ids = idsOf(words, roles)
    this.summaries.set([...spanOfIds(ids), ...spanOfCounters(words, roles), signatureOf(ids)], at)
  }
}

/** An array of twice the length that begins the same. */
export function doubled(old: Int32Array): Int32Array {
  const array = new Int32Array(2 * old.length)
  array.set(old)
  return array
}

function shiftWord(word: number, role: number, shift: number): number {
  if (role === Role.COUNTER) return word - shift
  if (role === Role.COUNTER_OR_NONE) return word === 0 ? 0 : word - shift
  // Below everything that lives a ghost can meet nobody any more.
  if (role === Role.HISTORY) return word <= shift ? 0 : word - shift
  return word
}

function idsOf(words: Int32Array, roles: ArrayLike<number>): Int32Array {
  return Int32Array.from(new Set(words.filter((id, i) => roles[i] === Role.ID && id !== 0)))
}

/** `FLOOR` and `TOP`. */
function spanOfIds(ids: Int32Array): [number, number] {
  let floor = 0
  let top = 0
  for (const id of ids) {
    if (id > top + 1 && id - 1 > floor) floor = id - 1
    if (id > top) top = id
  }
  return [floor, top]
}

/** `LEAST` and `MOST`. */
function spanOfCounters(words: Int32Array, roles: ArrayLike<number>): [number, number] {
  let least = NO_COUNTER
  let most = -1
  words.forEach((word, i) => {
    const orNone = roles[i] === Role.COUNTER_OR_NONE
    if ((roles[i] !== Role.COUNTER && !orNone) || (orNone && word === 0)) return
    // One that is not none must not become it.
    least = Math.min(least, orNone ? word - 1 : word)
    most = Math.max(most, word)
  })
  return [least, most]
}

function signatureOf(ids: Int32Array): number {
  if (ids.length > MOST_IN_SIGNATURE) return -1
  let signature = 0
  for (let i = 0; i < ids.length; i++) {
    const fresh = ids[i] >= FRESH_LABEL
    const place = fresh ? ids[i] - FRESH_LABEL : ids[i]
    if (place >= FRESH_IN_SIGNATURE) return -1
    signature |= (fresh ? place + FRESH_IN_SIGNATURE : place) << (ID_BITS * i)
  }
  return signature
}
