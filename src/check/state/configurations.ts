/**
 * Reads the configurations that members have adopted from a state: which is the newest, who votes in it, and who is
 * named by it.
 */
import { nodesTo, type NodeId } from '../../core/node-id.ts'
import type { CheckConfig } from '../options.ts'
import type { LocalStates } from './local-states.ts'
import type { MemberComponents } from './member-components.ts'

export class Configurations {
  /** Whether members may have different ones, or the first one does not name all as voters. */
  readonly vary: boolean
  private readonly members: MemberComponents
  /** The place of the configuration's term in a component; -1: the algorithm has none. */
  private readonly place: number
  /** The first configuration, as bits. */
  private readonly firstVoters: number
  private readonly firstObservers: number

  constructor(config: CheckConfig, { layout }: LocalStates, members: MemberComponents) {
    const index = layout.indexOf('configTerm')
    this.vary = config.changes > 0 || config.voters !== null
    this.members = members
    this.place = index < 0 ? -1 : 1 + layout.ids.length + index
    this.firstVoters = bitsOf(config.voters ?? nodesTo(config.members))
    this.firstObservers = bitsOf(config.observers)
  }

  /** Bit j: seat j votes in the configuration that a member has adopted. */
  votersOf(w: Int32Array, node: NodeId): number {
    return this.isFirst(w, node) ? this.firstVoters : this.members.local[w[node]].voters
  }

  membersOf(w: Int32Array, node: NodeId): number {
    const { observers } = this.members.local[w[node]]
    return this.votersOf(w, node) | (this.isFirst(w, node) ? this.firstObservers : observers)
  }

  isNewer(w: Int32Array, a: NodeId, b: NodeId): boolean {
    const terms = this.termOf(w, a) - this.termOf(w, b)
    if (terms !== 0) return terms > 0
    const { local } = this.members
    return local[w[a]].configVersion > local[w[b]].configVersion
  }

  /** A member whose configuration is the newest among those that are up. */
  newest(w: Int32Array): NodeId {
    let newest = 0
    for (let node = 1; 2 * node < w.length; node++) {
      if (this.members.isAlive[w[node]] === 0) continue
      if (newest === 0 || this.isNewer(w, node, newest)) newest = node
    }
    return newest
  }

  /** 0: the first configuration. */
  termOf(w: Int32Array, node: NodeId): number {
    return this.place < 0 ? 0 : this.members.word(w[node], this.place)
  }

  private isFirst(w: Int32Array, node: NodeId): boolean {
    return this.termOf(w, node) === 0
  }
}

function bitsOf(seats: readonly NodeId[]): number {
  return seats.reduce((bits, seat) => bits | (1 << seat), 0)
}
