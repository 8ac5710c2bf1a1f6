/**
 * Computes the canonical form of a state vector: ids renamed to 1, 2, … in order of occurrence, and all counters
 * lowered as far as their stride allows. States with the same canonical form have the same behaviour.
 *
 * A shift lowers all counters of all members and messages together, by a multiple of the stride; the 0
 * that means none stays. Handlers only compare counters and take differences, which a shift preserves.
 */
import {
  FIRST_NEW_ID,
  ID_BITS,
  NEW_IN_SIGNATURE,
  NO_COUNTER,
  Summary,
  SUMMARY_WORDS,
  type Components,
} from './components.ts'
import type { InboxComponents } from './inbox-components.ts'
import type { MemberComponents } from './member-components.ts'

const MAX_IDS = 2 * FIRST_NEW_ID

export class CanonicalForm {
  /** The difference of the largest and the least counter of the last state, in strides. */
  spread = 0
  readonly members: MemberComponents
  readonly inboxes: InboxComponents
  private readonly n: number
  private readonly stride: number
  private readonly result: Int32Array
  /** The canonical id of each id, and the call of `renameIds` that assigned it. */
  private readonly newIds = new Int32Array(MAX_IDS)
  private readonly assignedIn = new Int32Array(MAX_IDS)
  private call = 0
  private nextId = 1

  constructor(n: number, members: MemberComponents, inboxes: InboxComponents, stride: number) {
    this.n = n
    this.members = members
    this.inboxes = inboxes
    this.stride = stride
    this.result = new Int32Array(1 + 2 * n)
  }

  /** The canonical form of a vector: the vector itself, or an array that the next call overwrites. */
  of(w: Int32Array): Int32Array {
    const shifted = this.stride > 0 ? this.shiftCounters(w) : w
    return this.hasCanonicalIds(shifted) ? shifted : this.renameIds(shifted)
  }

  private shiftCounters(w: Int32Array): Int32Array {
    const { result, members, inboxes, stride, n } = this
    const ofMembers = members.summaries
    const ofInboxes = inboxes.summaries
    let min = NO_COUNTER
    let max = -1
    for (let i = 1; i <= 2 * n; i++) {
      const summaries = i <= n ? ofMembers : ofInboxes
      const at = SUMMARY_WORDS * w[i]
      min = Math.min(min, summaries[at + Summary.MIN_COUNTER])
      max = Math.max(max, summaries[at + Summary.MAX_COUNTER])
    }
    const shift = max < 0 ? 0 : min - (min % stride)
    this.spread = max < 0 ? 0 : Math.floor((max - shift) / stride)
    if (shift === 0) return w
    result[0] = w[0]
    for (let i = 1; i <= n; i++) {
      result[i] = members.shifted(w[i], shift)
      result[n + i] = inboxes.shifted(w[n + i], shift)
    }
    return result
  }

  private hasCanonicalIds(w: Int32Array): boolean {
    const { n } = this
    const ofMembers = this.members.summaries
    const ofInboxes = this.inboxes.summaries
    let max = 0
    for (let i = 1; i <= 2 * n; i++) {
      const summaries = i <= n ? ofMembers : ofInboxes
      const at = SUMMARY_WORDS * w[i]
      if (summaries[at + Summary.IDS_BEFORE] > max) return false
      max = Math.max(max, summaries[at + Summary.MAX_ID])
    }
    return true
  }

  private renameIds(w: Int32Array): Int32Array {
    const { result, members, inboxes, n } = this
    this.call += 1
    this.nextId = 1
    result[0] = w[0]
    for (let i = 1; i <= n; i++) result[i] = this.rename(members, w[i])
    for (let i = n + 1; i <= 2 * n; i++) result[i] = this.rename(inboxes, w[i])
    return result
  }

  private rename(components: Components, number: number): number {
    const before = components.summaries[SUMMARY_WORDS * number + Summary.SIGNATURE]
    if (before === 0) return number
    if (before < 0) {
      for (const id of components.idsOf(number)) this.newIdOf(id)
      return components.renamed(number, this.newIds, -1)
    }
    let after = 0
    for (let rest = before, at = 0; rest !== 0; rest >>>= ID_BITS, at += ID_BITS) {
      const place = rest & (2 * NEW_IN_SIGNATURE - 1)
      const isNew = place >= NEW_IN_SIGNATURE
      after |= this.newIdOf(isNew ? place - NEW_IN_SIGNATURE + FIRST_NEW_ID : place) << at
    }
    if (this.nextId > NEW_IN_SIGNATURE) return components.renamed(number, this.newIds, -1)
    return after === before ? number : components.renamed(number, this.newIds, after)
  }

  private newIdOf(id: number): number {
    if (this.assignedIn[id] !== this.call) {
      this.assignedIn[id] = this.call
      this.newIds[id] = this.nextId++
    }
    return this.newIds[id]
  }
}
