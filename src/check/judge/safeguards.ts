/**
 * Judges how an algorithm keeps what it promises (its `safeguards`): that a majority supports each lease, and that a
 * majority keeps a vote for each term. Both hold in every state long before two members could lead at once.
 *
 * Where the configuration changes, the lease of a leader whose change is not committed may rest on the configuration
 * before it, which differs by one voter; and the members that may still vote are counted for each configuration that a
 * member has: those of its voters that have adopted no newer one.
 */
import { nodesTo, type NodeId } from '../../core/node-id.ts'
import { majority } from '../../core/quorum.ts'
import type { Model } from '../transitions/model.ts'
import { ANY_HOLDER, Supports, type Support } from './support.ts'

export const KEPT_LEASES = {
  name: 'kept leases',
  sentence: 'a majority is bonded to each holder of an unexpired lease for at least as long',
}
export const KEPT_VOTES = {
  name: 'kept votes',
  sentence: 'too few members for a majority may still vote below a term that was led in',
}

export class SafeguardJudge {
  private readonly model: Model
  private readonly quorum: number
  private readonly voteIndex: number
  private readonly supports: Supports

  constructor(model: Model) {
    const { safeguards } = model.config.algorithm.promises
    this.model = model
    this.quorum = majority(model.n)
    this.supports = new Supports(model.config.algorithm, model.localStates)
    this.voteIndex = model.localStates.layout.indexOf(safeguards?.vote ?? '')
  }

  keepsLeases(w: Int32Array): boolean {
    const { model } = this
    for (let node = 1; node <= model.n; node++) {
      const local = model.local(w, node)
      if (local.leader !== node) continue
      const left = model.runner.clocks.leaseLeft(local)
      if (left > 0 && !this.isKept(w, node, left)) return false
    }
    return true
  }

  private isKept(w: Int32Array, leader: NodeId, ticks: number): boolean {
    const { model, quorum } = this
    const { configurations } = model
    if (!configurations.vary) return this.supporters(w, leader, ticks, ~0) >= quorum
    const voters = configurations.votersOf(w, leader)
    const isEnough = (bits: number): boolean =>
      bits !== 0 && this.supporters(w, leader, ticks, bits) >= majority(countOf(bits))
    if (isEnough(voters)) return true
    if (configurations.termOf(w, leader) === 0 || model.local(w, leader).committed) return false
    return nodesTo(model.n).some((seat) => isEnough(voters ^ (1 << seat)))
  }

  keepsVotes(w: Int32Array): boolean {
    const { model, quorum, voteIndex } = this
    if (voteIndex < 0) return true
    // A history variable is a term plus one.
    const largest = model.history.largestTermLed(w, model.members) - 1
    if (largest < 0) return true
    if (model.configurations.vary) return this.configurationsKeepVotes(w, largest)
    return this.countBelow(w, largest, nodesTo(model.n)) <= model.n - quorum
  }

  /** None of the configurations that members have may make a member lead below the term. */
  private configurationsKeepVotes(w: Int32Array, term: number): boolean {
    const { model } = this
    const { configurations, n } = model
    return nodesTo(n).every((node) => {
      const voters = configurations.votersOf(w, node)
      if (((voters >>> node) & 1) === 0 || !this.supportOf(w, node).mayVote) return true
      const able = nodesTo(n).filter(
        (seat) => (voters >>> seat) & 1 && !configurations.isNewer(w, seat, node),
      )
      return this.countBelow(w, term, able) < majority(countOf(voters))
    })
  }

  private countBelow(w: Int32Array, term: number, members: readonly NodeId[]): number {
    const mayVote = (node: NodeId): boolean =>
      this.supportOf(w, node).mayVote && this.model.counter(w, node, this.voteIndex) < term
    return members.filter(mayVote).length
  }

  /** Of the members with these bits. */
  private supporters(w: Int32Array, holder: NodeId, ticks: number, bits: number): number {
    const { model } = this
    let count = (bits >>> holder) & 1
    for (let node = 1; node <= model.n; node++) {
      // A member that leads supports itself, whatever it is bound to.
      if (model.local(w, node).leader === node || ((bits >>> node) & 1) === 0) continue
      const support = this.supportOf(w, node)
      if (support.ticks < ticks) continue
      if (support.holder === ANY_HOLDER || support.holder === holder) count += 1
    }
    return count
  }

  private supportOf(w: Int32Array, node: NodeId): Support {
    return this.supports.of(this.model.members.word(w[node], 0))
  }
}

function countOf(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1
  return count
}
