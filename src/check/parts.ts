/**
 * Parts of a global state: a member with the values of its ids and counters, the messages of a link with
 * theirs. There are far fewer of them than states, so each distinct one is numbered, and a state is a row
 * of numbers. What the canonical form needs to know of a part is found out once, and so is what becomes
 * of it when its ids are renamed or its counters lowered.
 */
import { PairTable } from './pair-table.ts'
import { WordTable } from './word-table.ts'

/** What a word of a part is. A ghost is a term plus one, 0 for none, that nobody sees. */
export const Role = { PLAIN: 0, ID: 1, COUNTER: 2, COUNTER_OR_NONE: 3, GHOST: 4 } as const

/** Of a part without counters. */
export const NO_COUNTER = 2 ** 30
/** A signature is the labels of a part in the order in which they are met, in so many bits each. */
export const LABEL_BITS = 4
export const MOST_LABEL = 2 ** LABEL_BITS - 1
export const MOST_LABELS = 7
const MAX_WORDS = 254

interface Part {
  readonly words: Int32Array
  readonly roles: Uint8Array
  /** Its ids, each once, in the order in which they are met. */
  readonly ids: Int32Array
}

/** What the canonical form asks of every part of every state, so many words each. */
export const FACTS = 5
export const Fact = {
  /** Its ids are as the canonical form has them where 1 to `FLOOR` are met before. */
  FLOOR: 0,
  /** The largest id. */
  TOP: 1,
  /** By how much its counters could be lowered, and the largest of them. */
  LEAST: 2,
  MOST: 3,
  /** Its ids; -1: there are too many, or too large ones. */
  SIGNATURE: 4,
} as const

export abstract class Parts {
  readonly all: Part[] = []
  /** The facts of all parts. */
  facts = new Int32Array(FACTS << 8)
  private readonly table = new WordTable()
  private readonly key = new Int32Array(MAX_WORDS + 1)
  private readonly scratch = new Int32Array(MAX_WORDS)
  private readonly renamings = new PairTable()
  private readonly lowerings = new PairTable()

  /** A part is met for the first time. Returns the role of each of its words. */
  protected abstract met(words: Int32Array): Uint8Array

  /** The number of the part words[0..length). */
  number(words: Int32Array, length: number): number {
    const { key } = this
    key[0] = length + 1
    for (let i = 0; i < length; i++) key[i + 1] = words[i]
    const number = this.table.add(key, length + 1)
    if (this.table.added) this.enter(words.slice(0, length))
    return number
  }

  /** A part with its ids renamed; `signature`: the new one, or -1. */
  renamed(number: number, labels: Int32Array, signature: number): number {
    if (signature < 0) return this.rename(number, labels)
    const known = this.renamings.get(number, signature)
    if (known >= 0) return known
    const renamed = this.rename(number, labels)
    this.renamings.set(number, signature, renamed)
    return renamed
  }

  /** A part with its counters lowered. */
  lowered(number: number, shift: number): number {
    const known = this.lowerings.get(number, shift)
    if (known >= 0) return known
    const { words, roles } = this.all[number]
    const lowered = this.map(words, (word, i) => lower(word, roles[i], shift))
    this.lowerings.set(number, shift, lowered)
    return lowered
  }

  private rename(number: number, labels: Int32Array): number {
    const { words, roles } = this.all[number]
    return this.map(words, (word, i) => (roles[i] === Role.ID && word !== 0 ? labels[word] : word))
  }

  private map(words: Int32Array, change: (word: number, i: number) => number): number {
    for (let i = 0; i < words.length; i++) this.scratch[i] = change(words[i], i)
    return this.number(this.scratch, words.length)
  }

  private enter(words: Int32Array): void {
    const roles = this.met(words)
    const ids = Int32Array.from(new Set(words.filter((id, i) => roles[i] === Role.ID && id !== 0)))
    const at = FACTS * (this.all.push({ words, roles, ids }) - 1)
    if (at === this.facts.length) {
      const old = this.facts
      this.facts = new Int32Array(2 * old.length)
      this.facts.set(old)
    }
    const facts = [...spanOfIds(ids), ...spanOfCounters(words, roles), signatureOf(ids)]
    this.facts.set(facts, at)
  }
}

function lower(word: number, role: number, shift: number): number {
  if (role === Role.COUNTER) return word - shift
  if (role === Role.COUNTER_OR_NONE) return word === 0 ? 0 : word - shift
  // Below everything that lives a ghost can meet nobody any more.
  if (role === Role.GHOST) return word <= shift ? 0 : word - shift
  return word
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
function spanOfCounters(words: Int32Array, roles: Uint8Array): [number, number] {
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

function signatureOf(labels: Int32Array): number {
  if (labels.length > MOST_LABELS || labels.some((label) => label > MOST_LABEL)) return -1
  return labels.reduce((signature, label, i) => signature | (label << (LABEL_BITS * i)), 0)
}
