/**
 * The second and third phase of a block: find out which of the transitions that were found lead to new states, and
 * number these in the order in which a search of one thread would meet them.
 *
 * In the second phase each thread looks up the states of its parts of the table, in order. A new state gets a
 * provisional entry, which names the place of its first transition. In the third, when it is known how many new states
 * the slices before have, the states get their numbers.
 */
import { NUMBER_MASK } from '../tables/state-table.ts'
import { Found, FoundFlag, FOUND_HEADER, sourceOf } from './expansion.ts'
import {
  Control,
  PARENT_STRIDE,
  SLICE_STRIDE,
  SliceWord,
  type SearchMemory,
} from './search-memory.ts'

/** So many first slots are read before the look-ups begin: these reads of distant memory do not wait for each other. */
const READ_AHEAD = 256

/** Looks up the states that belong to the parts of this thread. */
export function lookUp(memory: SearchMemory, thread: number, threads: number): void {
  const { control, slices, found, table } = memory
  const { slotMask, partBits } = table
  const slots = table.slots.words
  const lookUpAt = lookUpIn(memory)
  const stride = FOUND_HEADER + table.length
  const places = new Int32Array(READ_AHEAD)
  const taken = new Int32Array(READ_AHEAD)
  for (let slice = 0; slice < control[Control.SLICES]; slice++) {
    const at = slice * SLICE_STRIDE
    let place = slices[at + SliceWord.PLACE]
    const end = place + slices[at + SliceWord.COUNT]
    let added = 0
    while (place < end) {
      let count = 0
      for (; place < end && count < READ_AHEAD; place++) {
        const entry = place * stride
        if ((found[entry + Found.INFO] & FoundFlag.SELF) !== 0) continue
        const slot = found[entry + Found.HASH] & slotMask
        if (threads > 1 && (slot >>> partBits) % threads !== thread) continue
        places[count] = place
        taken[count++] = slots[slot]
      }
      for (let i = 0; i < count; i++) if (lookUpAt(places[i], taken[i])) added += 1
    }
    if (added > 0) Atomics.add(slices, at + SliceWord.NEW, added)
  }
}

/**
 * A function that looks up the state of the transition at a place, and says whether the state is new. `ahead`: what the
 * first slot held a moment ago; 0: it was free. A slot that is taken stays as it is in this phase.
 */
function lookUpIn({ found, table }: SearchMemory): (place: number, ahead: number) => boolean {
  const { size, length, slotMask, partMask } = table
  const stride = FOUND_HEADER + length
  const slots = table.slots.words
  const records = table.records.words
  const isAt = (number: number, record: number): boolean => {
    const isStored = number < size
    const words = isStored ? records : found
    const at = isStored ? number * length : (number - size) * stride + Found.RECORD
    for (let i = 0; i < length; i++) if (words[at + i] !== found[record + i]) return false
    return true
  }
  return (place, ahead) => {
    const entry = place * stride
    const hash = found[entry + Found.HASH]
    const tag = hash & ~NUMBER_MASK
    let slot = hash & slotMask
    for (let taken = ahead || slots[slot]; taken !== 0; taken = slots[slot]) {
      const number = (taken & NUMBER_MASK) - 1
      if ((taken & ~NUMBER_MASK) === tag && isAt(number, entry + Found.RECORD)) {
        found[entry + Found.RESULT] = number < size ? number : size - number - 1
        return false
      }
      slot = (slot & ~partMask) | ((slot + 1) & partMask)
    }
    slots[slot] = tag | (size + place + 1)
    found[entry + Found.RESULT] = slot
    found[entry + Found.INFO] |= FoundFlag.NEW
    return true
  }
}

/** Numbers the new states of a slice and stores them. */
export function number(memory: SearchMemory, slice: number): void {
  const { control, slices, found, table, parts } = memory
  const slots = table.slots.words
  const parents = parts.parents.words
  const stride = FOUND_HEADER + table.length
  const at = slice * SLICE_STRIDE
  const from = control[Control.FROM]
  let next = slices[at + SliceWord.FIRST_NUMBER]
  let entry = slices[at + SliceWord.PLACE] * stride
  for (let i = slices[at + SliceWord.COUNT]; i > 0; i--, entry += stride) {
    const info = found[entry + Found.INFO]
    if ((info & FoundFlag.NEW) === 0) continue
    const slot = found[entry + Found.RESULT]
    slots[slot] = (slots[slot] & ~NUMBER_MASK) | (next + 1)
    table.write(next, found, entry + Found.RECORD)
    if (next % PARENT_STRIDE === 0) parents[next / PARENT_STRIDE] = from + sourceOf(info)
    found[entry + Found.RESULT] = next
    next += 1
  }
}
