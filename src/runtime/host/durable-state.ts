/**
 * Restores, compares and saves the part of a member that survives a crash: its incarnation and the stable fields of
 * its algorithm.
 */
import { randomInt } from 'node:crypto'
import type { Algorithm, AnyState } from '../../core/algorithm.ts'
import { StoreError, type Store, type Stored } from '../../stores/store.ts'
import type { HostConfig } from './host-config.ts'
import { isBlank, namedMembers, refuseOtherMembers, restore } from './restore.ts'

type Config = Pick<HostConfig, 'algorithm' | 'store' | 'names' | 'roles' | 'fixedMembers' | 'key'>

export class DurableState {
  incarnation = 0
  /** The next process may have the number of this one: no peer has seen it. */
  private isUnseen = false
  private readonly algorithm: Algorithm
  private readonly store: Store
  private readonly config: Config
  /** The state whose stable fields the store holds. */
  private saved: AnyState

  constructor(config: Config) {
    const { algorithm, store } = config
    this.config = config
    this.algorithm = algorithm
    this.store = store
    this.saved = algorithm.state.init() as AnyState
  }

  /** The initial state of the next incarnation; both are durable when this resolves. Rejects with StoreError. */
  async begin(stored: Stored | null): Promise<AnyState> {
    const { algorithm, store, config } = this
    const { names, roles, fixedMembers } = config
    if (stored !== null && fixedMembers) refuseOtherMembers(stored, names, store)
    this.incarnation = (stored?.incarnation ?? 0) + 1
    const state =
      stored === null || isBlank(stored)
        ? withRandomSources(algorithm)
        : restore(stored, algorithm, namedMembers(names, roles), store)
    const record = this.recordOf(state)
    if (store.writeFirst === undefined) store.write(record)
    else await store.writeFirst(record)
    this.saved = algorithm.state.copy(state) as AnyState
    return state
  }

  /** Whether the store holds other stable fields than these. */
  differsFrom(state: AnyState): boolean {
    return !this.algorithm.state.stableEqual(this.saved, state)
  }

  save(state: AnyState): void {
    const { algorithm, store } = this
    const record = this.recordOf(state)
    const isUrgent = !algorithm.state.guardedEqual(this.saved, state)
    if (isUrgent || store.writeSoon === undefined) store.write(record)
    else store.writeSoon(record)
    this.saved = algorithm.state.copy(state) as AnyState
  }

  private recordOf(state: AnyState): Stored {
    const { algorithm, store, incarnation } = this
    const { names, roles, key } = this.config
    const all = algorithm.state.toJson(state, namedMembers(names, roles))
    const stable = algorithm.state.entries.filter(({ field }) => field.stable)
    for (const { name, field } of stable) {
      if (field.shape.type === 'int') refuseUnreadable(name, state[name] as number, store)
    }
    const written = stable.filter(({ name }) => Object.hasOwn(all, name))
    const fields = Object.fromEntries(written.map(({ name }) => [name, all[name]]))
    return {
      incarnation: this.isUnseen ? incarnation - 1 : incarnation,
      algorithm: algorithm.name,
      members: names.slice(1),
      ...(key !== '' && { key }),
      state: fields,
    }
  }

  /** Whether this member has promised its peers something that outlives a crash. */
  hasVotes(state: AnyState): boolean {
    const { assumes, promises } = this.algorithm
    const { admittedField } = assumes
    return admittedField === undefined
      ? promises.oneLeaderPerTerm === true
      : state[admittedField] === true
  }

  /**
   * A peer knows of a later incarnation, so this state is a copy from before that: votes are missing in it. Restarts
   * must not make it look new: while no peer has accepted this incarnation, the next process begins it again.
   */
  giveNumberBack(isUnseen: boolean): void {
    if (this.isUnseen === isUnseen) return
    this.isUnseen = isUnseen
    this.save(this.saved)
  }

  /** Durable when this returns: the next incarnation follows this one. */
  passOver(incarnation: number): void {
    this.incarnation = incarnation
    this.save(this.saved)
  }

  /** The state in which a member recovers from a crash now. */
  afterCrash(): AnyState {
    return this.algorithm.state.afterCrash(this.saved) as AnyState
  }
}

/** Nothing is written that cannot be read back. Throws StoreError. */
function refuseUnreadable(name: string, value: number, { place = 'the store' }: Store): void {
  if (Number.isSafeInteger(value)) return
  throw new StoreError(
    `${place}: there is no number after the largest one, which "${name}" has reached: ` +
      'see "Repair terms that were driven up" in docs/guide/operations.md',
  )
}

/** Lost ids are not made again: a first start draws the number that ids are made from. */
const FIRST_INCARNATIONS = 2 ** 20

function withRandomSources({ state: schema }: Algorithm): AnyState {
  const state = schema.init() as AnyState
  for (const { name, field } of schema.entries) {
    if (field.stable && field.role === 'source') state[name] = randomInt(FIRST_INCARNATIONS)
  }
  return state
}
