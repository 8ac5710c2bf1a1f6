/** Members with the values of their ids and counters, numbered; and what else but a step can change one. */
import type { NodeId } from '../../core/node-id.ts'
import type { LocalStates, LocalStateSummary } from './local-states.ts'
import { PairTable } from '../tables/pair-table.ts'
import { doubled, Components, Role } from './components.ts'

/** A member is its configuration, then its ids, its counters, and its ghosts: terms remembered for it. */
export class MemberComponents extends Components {
  /** The configuration of each. */
  readonly summaryOf: LocalStateSummary[] = []
  /** How many words a member has, and those of all of them. */
  readonly length: number
  values: Int32Array
  /** The configuration of those who never come back. They have no counters. */
  unrecoverableState = -1
  private readonly localStates: LocalStates
  private readonly roles: Uint8Array
  private readonly unrecoverableRoles: Uint8Array
  private readonly words: Int32Array
  private readonly withoutRequestCache = new PairTable()
  private readonly withHistoryCache = new PairTable()
  private readonly unrecoverableCache = new PairTable()

  constructor(locals: LocalStates, ghosts: number, exact: boolean) {
    super()
    const { layout } = locals
    const rolesOf = (isBuried: boolean): Uint8Array =>
      Uint8Array.from([
        Role.PLAIN,
        ...layout.ids.map(() => (exact ? Role.PLAIN : Role.ID)),
        ...layout.counters.map(({ orNone }) =>
          orNone || isBuried ? Role.COUNTER_OR_NONE : Role.COUNTER,
        ),
        ...Array.from({ length: ghosts }, () => Role.HISTORY),
      ])
    this.localStates = locals
    this.roles = rolesOf(false)
    this.unrecoverableRoles = rolesOf(true)
    this.length = this.roles.length
    this.words = new Int32Array(this.length)
    this.values = new Int32Array(this.length << 8)
  }

  override wordsOf(member: number): Int32Array {
    return this.values.subarray(member * this.length, (member + 1) * this.length)
  }

  override get bytes(): number {
    const { withoutRequestCache, withHistoryCache, unrecoverableCache, values } = this
    return (
      super.bytes +
      4 * values.length +
      withoutRequestCache.bytes +
      withHistoryCache.bytes +
      unrecoverableCache.bytes
    )
  }

  /** A member that has neither ids nor counters yet. */
  blank(local: number): number {
    this.words.fill(0)
    this.words[0] = local
    return this.number(this.words, this.length)
  }

  /** The same member with its question about a peer closed. */
  withoutRequest(member: number, peer: NodeId): number {
    const known = this.withoutRequestCache.get(member, peer)
    if (known >= 0) return known
    const closed = this.with(
      member,
      0,
      this.localStates.withoutRequest(this.values[member * this.length], peer),
    )
    this.withoutRequestCache.set(member, peer, closed)
    return closed
  }

  /** The same member with another value of its last ghost. */
  withTermAtCandidacy(member: number, ghost: number): number {
    if (this.values[(member + 1) * this.length - 1] === ghost) return member
    const known = this.withHistoryCache.get(member, ghost)
    if (known >= 0) return known
    const haunted = this.with(member, this.length - 1, ghost)
    this.withHistoryCache.set(member, ghost, haunted)
    return haunted
  }

  /** In the grave all are alike, but for their ghosts. */
  unrecoverable(member: number): number {
    const known = this.unrecoverableCache.get(member, this.unrecoverableState)
    if (known >= 0) return known
    this.words.set(this.wordsOf(member))
    this.words.fill(0, 0, 1 + this.localStates.layout.values)
    this.words[0] = this.unrecoverableState
    const buried = this.number(this.words, this.length)
    this.unrecoverableCache.set(member, this.unrecoverableState, buried)
    return buried
  }

  protected rolesOf([local]: Int32Array): Uint8Array {
    return local === this.unrecoverableState ? this.unrecoverableRoles : this.roles
  }

  protected added(words: Int32Array): void {
    const at = this.length * (this.summaryOf.push(this.localStates.all[words[0]]) - 1)
    if (at === this.values.length) this.values = doubled(this.values)
    this.values.set(words, at)
  }

  private with(member: number, place: number, word: number): number {
    this.words.set(this.wordsOf(member))
    this.words[place] = word
    return this.number(this.words, this.length)
  }
}
