/**
 * A global state as the search works on it: an array with a place for everything. The budget that is
 * left, the number of each member's configuration, its ids and counters, and the messages of each link,
 * each with its number, ids and counters.
 */
import type { NodeId } from '../core/node-id.ts'

/** As many messages as a link can hold where nothing else is said. */
export const ROOM = 12

/** The budget that is left and the cut that holds, in one word, without its sign. */
export const Budget = {
  CRASHES: 0,
  RECOVERIES: 4,
  MISTAKES: 8,
  DROPS: 12,
  DUPLICATES: 16,
  CUTS: 19,
  RESIGNATIONS: 22,
  /** 0: no cut; else which. */
  CUT: 24,
} as const
export const MAX_CUT_SHAPES = 127

/** The places. */
export class FloorPlan {
  readonly members: number
  /** Ids and counters of a member, and with them its ghosts: terms that are remembered for it. */
  readonly memberValues: number
  readonly messageValues: number
  readonly room: number
  readonly slotSize: number
  readonly linkSize: number
  /** Where each link begins, but for those from a member to itself. */
  readonly links: Int32Array
  readonly valuesBase: number
  readonly linksBase: number
  readonly size: number

  constructor(members: number, memberValues: number, messageValues: number, room: number) {
    this.members = members
    this.memberValues = memberValues
    this.messageValues = messageValues
    this.room = room
    this.slotSize = 1 + messageValues
    this.linkSize = 1 + room * this.slotSize
    this.valuesBase = members + 1
    this.linksBase = this.valuesBase + members * memberValues
    this.size = this.linksBase + members * members * this.linkSize
    const links: number[] = []
    for (let from = 1; from <= members; from++) {
      for (let to = 1; to <= members; to++) if (from !== to) links.push(this.link(from, to))
    }
    this.links = Int32Array.from(links)
  }

  /** Where a member's ids and counters begin. */
  values(node: NodeId): number {
    return this.valuesBase + (node - 1) * this.memberValues
  }

  /** Where a link begins: how many messages it holds, then the messages, oldest first. */
  link(from: NodeId, to: NodeId): number {
    return this.linksBase + ((from - 1) * this.members + to - 1) * this.linkSize
  }
}

/** The most that there is room for. */
export function largestBudget(shift: number): number {
  if (shift < Budget.DUPLICATES) return 15
  return shift < Budget.RESIGNATIONS ? 7 : 3
}

export function budgetOf(word: number, shift: number): number {
  return (word >>> shift) & largestBudget(shift)
}

export function cutOf(word: number): number {
  return word >>> Budget.CUT
}

/** Takes the message at a place out of a link. */
export function removeMessage(w: Int32Array, link: number, place: number, slotSize: number): void {
  const count = w[link] - 1
  const end = link + 1 + count * slotSize
  for (let i = link + 1 + place * slotSize; i < end; i++) w[i] = w[i + slotSize]
  w.fill(0, end, end + slotSize)
  w[link] = count
}
