/** Members with the values of their ids and counters, numbered; and what else but a step can change one. */
import type { NodeId } from '../../core/node-id.ts'
import type { Locals, NumberedLocal } from './local-states.ts'
import { PairTable } from '../tables/pair-table.ts'
import { doubled, Parts, Role } from './components.ts'

/** A member is its configuration, then its ids, its counters, and its ghosts: terms remembered for it. */
export class Members extends Parts {
  /** The configuration of each. */
  readonly local: NumberedLocal[] = []
  /** How many words a member has, and those of all of them. */
  readonly length: number
  values: Int32Array
  /** The configuration of those who never come back. They have no counters. */
  grave = -1
  private readonly locals: Locals
  private readonly living: Uint8Array
  private readonly buried: Uint8Array
  private readonly words: Int32Array
  private readonly closings = new PairTable()
  private readonly hauntings = new PairTable()
  private readonly burials = new PairTable()

  constructor(locals: Locals, ghosts: number, exact: boolean) {
    super()
    const { split } = locals
    const rolesOf = (isBuried: boolean): Uint8Array =>
      Uint8Array.from([
        Role.PLAIN,
        ...split.ids.map(() => (exact ? Role.PLAIN : Role.ID)),
        ...split.counters.map(({ orNone }) =>
          orNone || isBuried ? Role.COUNTER_OR_NONE : Role.COUNTER,
        ),
        ...Array.from({ length: ghosts }, () => Role.GHOST),
      ])
    this.locals = locals
    this.living = rolesOf(false)
    this.buried = rolesOf(true)
    this.length = this.living.length
    this.words = new Int32Array(this.length)
    this.values = new Int32Array(this.length << 8)
  }

  override wordsOf(member: number): Int32Array {
    return this.values.subarray(member * this.length, (member + 1) * this.length)
  }

  override get bytes(): number {
    const { closings, hauntings, burials, values } = this
    return super.bytes + 4 * values.length + closings.bytes + hauntings.bytes + burials.bytes
  }

  /** A member that has neither ids nor counters yet. */
  blank(local: number): number {
    this.words.fill(0)
    this.words[0] = local
    return this.number(this.words, this.length)
  }

  /** The same member with its question about a peer closed. */
  closed(member: number, peer: NodeId): number {
    const known = this.closings.get(member, peer)
    if (known >= 0) return known
    const closed = this.with(
      member,
      0,
      this.locals.without(this.values[member * this.length], peer),
    )
    this.closings.set(member, peer, closed)
    return closed
  }

  /** The same member with another value of its last ghost. */
  haunted(member: number, ghost: number): number {
    if (this.values[(member + 1) * this.length - 1] === ghost) return member
    const known = this.hauntings.get(member, ghost)
    if (known >= 0) return known
    const haunted = this.with(member, this.length - 1, ghost)
    this.hauntings.set(member, ghost, haunted)
    return haunted
  }

  /** In the grave all are alike, but for their ghosts. */
  inGrave(member: number): number {
    const known = this.burials.get(member, this.grave)
    if (known >= 0) return known
    this.words.set(this.wordsOf(member))
    this.words.fill(0, 0, 1 + this.locals.split.values)
    this.words[0] = this.grave
    const buried = this.number(this.words, this.length)
    this.burials.set(member, this.grave, buried)
    return buried
  }

  protected rolesOf([local]: Int32Array): Uint8Array {
    return local === this.grave ? this.buried : this.living
  }

  protected met(words: Int32Array): void {
    const at = this.length * (this.local.push(this.locals.all[words[0]]) - 1)
    if (at === this.values.length) this.values = doubled(this.values)
    this.values.set(words, at)
  }

  private with(member: number, place: number, word: number): number {
    this.words.set(this.wordsOf(member))
    this.words[place] = word
    return this.number(this.words, this.length)
  }
}
