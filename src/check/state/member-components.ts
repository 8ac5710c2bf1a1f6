/**
 * Stores and numbers the distinct member components (a local state, the values of its ids and counters, and its history
 * variables), and derives changed ones: without a request, with another history variable, unrecoverable.
 */
import type { NodeId } from '../../core/node-id.ts'
import { PairTable } from '../tables/pair-table.ts'
import { Components, recordRoles, Role } from './components.ts'
import { Mode, type LocalStates, type LocalStateSummary } from './local-states.ts'

export class MemberComponents extends Components {
  readonly local: LocalStateSummary[] = []
  /** 1: the member is up or starting. A typed array, because every transition reads it for each member. */
  isAlive = new Uint8Array(1 << 8)
  readonly length: number
  /** The local state of all members that cannot recover. Its counters are 0. */
  unrecoverableState = -1
  private readonly localStates: LocalStates
  private readonly roles: readonly number[]
  private readonly unrecoverableRoles: readonly number[]
  private readonly scratch: Int32Array
  private readonly withoutRequestCache = new PairTable()
  private readonly withHistoryCache = new PairTable()
  private readonly unrecoverableCache = new PairTable()

  constructor(localStates: LocalStates, historyVariables: number, exactIds: boolean) {
    super()
    const { layout } = localStates
    const history = Array.from({ length: historyVariables }, () => Role.HISTORY)
    this.localStates = localStates
    this.roles = [...recordRoles(layout, exactIds), ...history]
    this.unrecoverableRoles = [...recordRoles(layout, exactIds, true), ...history]
    this.length = this.roles.length
    this.scratch = new Int32Array(this.length)
  }

  override get bytes(): number {
    const { withoutRequestCache, withHistoryCache, unrecoverableCache } = this
    return (
      super.bytes + withoutRequestCache.bytes + withHistoryCache.bytes + unrecoverableCache.bytes
    )
  }

  word(member: number, place: number): number {
    return this.table.words[member * this.length + place]
  }

  /** A member whose ids, counters and history variables are 0. */
  blank(local: number): number {
    this.scratch.fill(0)
    this.scratch[0] = local
    return this.number(this.scratch, this.length)
  }

  withoutRequest(member: number, peer: NodeId): number {
    const known = this.withoutRequestCache.get(member, peer)
    if (known >= 0) return known
    const changed = this.with(
      member,
      0,
      this.localStates.withoutRequest(this.word(member, 0), peer),
    )
    this.withoutRequestCache.set(member, peer, changed)
    return changed
  }

  withLastHistory(member: number, value: number): number {
    if (this.word(member, this.length - 1) === value) return member
    const known = this.withHistoryCache.get(member, value)
    if (known >= 0) return known
    const changed = this.with(member, this.length - 1, value)
    this.withHistoryCache.set(member, value, changed)
    return changed
  }

  /** The member as one that cannot recover: only its history variables are left. */
  unrecoverable(member: number): number {
    const known = this.unrecoverableCache.get(member, 0)
    if (known >= 0) return known
    this.scratch.set(this.wordsOf(member))
    this.scratch.fill(0, 0, 1 + this.localStates.layout.values)
    this.scratch[0] = this.unrecoverableState
    const merged = this.number(this.scratch, this.length)
    this.unrecoverableCache.set(member, 0, merged)
    return merged
  }

  protected rolesOf([local]: Int32Array): readonly number[] {
    return local === this.unrecoverableState ? this.unrecoverableRoles : this.roles
  }

  protected added(words: Int32Array): void {
    const local = this.localStates.all[words[0]]
    const number = this.local.push(local) - 1
    if (number === this.isAlive.length) {
      const before = this.isAlive
      this.isAlive = new Uint8Array(2 * number)
      this.isAlive.set(before)
    }
    this.isAlive[number] = local.mode > Mode.DOWN ? 1 : 0
  }

  private with(member: number, place: number, word: number): number {
    this.scratch.set(this.wordsOf(member))
    this.scratch[place] = word
    return this.number(this.scratch, this.length)
  }
}
