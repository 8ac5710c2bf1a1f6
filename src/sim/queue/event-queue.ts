/**
 * The queue of future events: pushes and pops numbered events in the order of time, with a timing wheel over typed
 * arrays. Push and pop cost the same whether ten events wait or ten million, and events of one microsecond leave in
 * the order in which they came.
 *
 * Level 0 has a slot for each µs of a turn of 2¹² µs, level 1 a slot for each turn of level 0, and so on. When
 * the wheel enters a slot of an upper level, the slot's events move down in order before any other event is
 * pushed beside them: this keeps the order of arrival.
 */
import { InvariantError } from '../../core/assert.ts'

const BITS = 12
const SLOTS = 1 << BITS
const LEVELS = 3
const NIL = -1

/** One level: a first and last event for each slot, and which slots are not empty as bits of bits. */
class Level {
  readonly head = new Int32Array(SLOTS).fill(NIL)
  readonly tail = new Int32Array(SLOTS).fill(NIL)
  readonly words = new Int32Array(SLOTS >>> 5)
  readonly summary = new Int32Array(SLOTS >>> 10)

  mark(slot: number): void {
    this.words[slot >>> 5] |= 1 << slot
    this.summary[slot >>> 10] |= 1 << (slot >>> 5)
  }

  unmark(slot: number): void {
    const word = slot >>> 5
    this.words[word] &= ~(1 << slot)
    if (this.words[word] === 0) this.summary[word >>> 5] &= ~(1 << word)
  }

  /** The first non-empty slot at or after `from`, or NIL. */
  next(from: number): number {
    if (from >= SLOTS) return NIL
    const word = from >>> 5
    const rest = this.words[word] & (-1 << from)
    if (rest !== 0) return (word << 5) + lowest(rest)
    let group = (word + 1) >>> 5
    if (group >= this.summary.length) return NIL
    let groups = this.summary[group] & (-1 << (word + 1))
    while (groups === 0) {
      group += 1
      if (group >= this.summary.length) return NIL
      groups = this.summary[group]
    }
    const found = (group << 5) + lowest(groups)
    return (found << 5) + lowest(this.words[found])
  }
}

function lowest(bits: number): number {
  return 31 - Math.clz32(bits & -bits)
}

/** Events are numbers: the owner keeps what they mean in arrays of its own, by the same number. */
export class EventQueue {
  /** The time of the event that was popped last, in microseconds: nothing is pushed before it. */
  now = 0
  size = 0
  /** Made when first used: most runs never look a minute ahead. */
  private readonly levels: (Level | undefined)[] = [new Level()]
  /** Times beyond the last level, rare: an unordered list that is sifted when the wheel gets there. */
  private far: number[] = []
  private at = new Float64Array(1024)
  private link = new Int32Array(1024)
  private free = NIL
  private used = 0
  private turn = 0

  push(time: number): number {
    if (!(time >= this.now && Number.isSafeInteger(time))) refuse(time, this.now)
    let event = this.free
    if (event === NIL) event = this.grow()
    else this.free = this.link[event]
    this.at[event] = time
    this.size += 1
    this.place(event, time)
    return event
  }

  /** Moves to the next event and returns its number, or −1. The number may be reused at once. */
  pop(): number {
    if (this.size === 0) return NIL
    const level = this.levels[0]!
    for (;;) {
      const slot = level.next(this.now - this.turn)
      if (slot !== NIL) {
        const event = level.head[slot]
        const after = this.link[event]
        level.head[slot] = after
        if (after === NIL) level.unmark(slot)
        this.now = this.at[event]
        this.link[event] = this.free
        this.free = event
        this.size -= 1
        return event
      }
      this.advance()
    }
  }

  /** Every pending event, soonest first and in the order in which they will be popped. */
  pending(): { event: number; time: number }[] {
    const found: { event: number; time: number }[] = []
    for (const level of this.levels) {
      if (level === undefined) continue
      for (let slot = level.next(0); slot !== NIL; slot = level.next(slot + 1)) {
        for (let e = level.head[slot]; e !== NIL; e = this.link[e]) {
          found.push({ event: e, time: this.at[e] })
        }
      }
    }
    for (const event of this.far) found.push({ event, time: this.at[event] })
    return found.sort((a, b) => a.time - b.time)
  }

  clear(): void {
    this.levels.length = 0
    this.levels.push(new Level())
    this.far = []
    this.free = NIL
    this.used = 0
    this.size = 0
  }

  get capacity(): number {
    return this.at.length
  }

  private place(event: number, time: number): void {
    this.link[event] = NIL
    if (time - this.turn < SLOTS) return this.append(this.levels[0]!, time - this.turn, event)
    let unit = SLOTS
    let span = SLOTS * SLOTS
    for (let k = 1; k < LEVELS; k++) {
      // The event is on this level when it lies in the same turn of it as now.
      if (Math.floor(time / span) === Math.floor(this.now / span)) {
        this.append((this.levels[k] ??= new Level()), Math.floor(time / unit) % SLOTS, event)
        return
      }
      unit = span
      span *= SLOTS
    }
    this.far.push(event)
  }

  private append(level: Level, slot: number, event: number): void {
    const head = level.head[slot]
    if (head === NIL) {
      level.head[slot] = event
      level.mark(slot)
    } else this.link[level.tail[slot]] = event
    level.tail[slot] = event
  }

  /** Level 0 has nothing left in this turn: bring the next events down. */
  private advance(): void {
    let unit = SLOTS
    for (let k = 1; k < LEVELS; k++) {
      const level = this.levels[k]
      const slot = level?.next(Math.floor(this.now / unit) % SLOTS) ?? NIL
      if (level !== undefined && slot !== NIL) {
        const turn = unit * SLOTS
        this.moveTo(Math.floor(this.now / turn) * turn + slot * unit)
        let event = level.head[slot]
        level.head[slot] = NIL
        level.unmark(slot)
        while (event !== NIL) {
          const after = this.link[event]
          this.place(event, this.at[event])
          event = after
        }
        return
      }
      unit *= SLOTS
    }
    this.sift()
  }

  private moveTo(time: number): void {
    this.now = time
    this.turn = Math.floor(time / SLOTS) * SLOTS
  }

  private sift(): void {
    const turn = SLOTS ** LEVELS
    let soonest = Infinity
    for (const event of this.far) soonest = Math.min(soonest, this.at[event])
    this.moveTo(Math.floor(soonest / turn) * turn)
    const waiting = this.far
    this.far = []
    for (const event of waiting) this.place(event, this.at[event])
  }

  private grow(): number {
    if (this.used === this.at.length) {
      this.at = enlarged(this.at, new Float64Array(2 * this.used))
      this.link = enlarged(this.link, new Int32Array(2 * this.used))
    }
    return this.used++
  }
}

function refuse(time: number, now: number): never {
  throw new InvariantError(`an event for ${time} µs cannot be queued at ${now} µs`)
}

export function enlarged<A extends Float64Array | Int32Array | Uint8Array>(from: A, to: A): A {
  to.set(from)
  return to
}
