/** What survives a crash of this member: how often it has lived, and the stable fields of its algorithm. */
import type { Algorithm, AnyState } from '../../core/algorithm.ts'
import type { MemberCodec } from '../../core/schema.ts'
import type { Store, Stored } from '../../stores/store.ts'
import { namedMembers, restore } from './restore.ts'

export class DurableState {
  incarnation = 0
  private readonly algorithm: Algorithm
  private readonly store: Store
  private readonly members: MemberCodec
  /** What the disk has. */
  private kept: AnyState

  constructor(algorithm: Algorithm, store: Store, names: readonly string[]) {
    this.algorithm = algorithm
    this.store = store
    this.members = namedMembers(names)
    this.kept = algorithm.state.init() as AnyState
  }

  /** The state in which the next life of this process begins; durable, as is the life. Throws StoreError. */
  begin(stored: Stored | null): AnyState {
    const { algorithm, members, store } = this
    this.incarnation = (stored?.incarnation ?? 0) + 1
    const state =
      stored === null
        ? (algorithm.state.init() as AnyState)
        : restore(stored, algorithm, members, store)
    this.save(state)
    return state
  }

  /** Whether the disk has other stable fields than these. */
  differsFrom(state: AnyState): boolean {
    return !this.algorithm.state.stableEqual(this.kept, state)
  }

  save(state: AnyState): void {
    const { algorithm, store } = this
    const all = algorithm.state.toJson(state, this.members)
    const stable = algorithm.state.entries.filter(({ field }) => field.stable)
    const fields = Object.fromEntries(stable.map(({ name }) => [name, all[name]]))
    store.write({ incarnation: this.incarnation, algorithm: algorithm.name, state: fields })
    this.kept = algorithm.state.copy(state) as AnyState
  }

  /** The state in which the life after a crash begins. */
  afterCrash(): AnyState {
    return this.algorithm.state.afterCrash(this.kept) as AnyState
  }
}
