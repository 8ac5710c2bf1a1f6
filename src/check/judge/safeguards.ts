/**
 * Judges how an algorithm keeps what it promises (its `safeguards`): that a majority supports each lease, and that a
 * majority keeps a vote for each term. Both hold in every state long before two members could lead at once.
 */
import type { NodeId } from '../../core/node-id.ts'
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
      if (left > 0 && this.supporters(w, node, left) < this.quorum) return false
    }
    return true
  }

  keepsVotes(w: Int32Array): boolean {
    const { model, quorum, voteIndex } = this
    if (voteIndex < 0) return true
    // A history variable is a term plus one.
    const largest = model.history.largestTermLed(w, model.members) - 1
    if (largest < 0) return true
    let below = 0
    for (let node = 1; node <= model.n; node++) {
      if (!this.supportOf(w, node).mayVote) continue
      if (model.counter(w, node, voteIndex) < largest) below += 1
    }
    return below <= model.n - quorum
  }

  private supporters(w: Int32Array, holder: NodeId, ticks: number): number {
    const { model } = this
    let count = 1
    for (let node = 1; node <= model.n; node++) {
      // A member that leads supports itself, whatever it is bound to.
      if (model.local(w, node).leader === node) continue
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
