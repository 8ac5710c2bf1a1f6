/**
 * Stores and updates the history variables of members: terms that the checker remembers for a property and that no
 * handler reads. They follow the ids and counters of a member component. Each is a term plus one, or 0 for none.
 */
import type { Algorithm } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import { Mode } from './local-states.ts'
import type { MemberComponents } from './member-components.ts'
import type { RecordLayout } from './record-layout.ts'

export class HistoryVariables {
  /** Whether the last term in which a member led is remembered. */
  readonly lastTermLed: boolean
  /** Whether, for each candidate, the largest term led in when it became one is remembered, too. */
  readonly termAtCandidacy: boolean
  readonly count: number
  private readonly candidateStatus: string | undefined
  /** The place of the last term led in a component. */
  private readonly place: number

  constructor({ promises }: Algorithm, layout: RecordLayout) {
    this.lastTermLed = promises.oneLeaderPerTerm === true && layout.indexOf('term') >= 0
    this.candidateStatus = promises.candidateStatus
    this.termAtCandidacy = this.lastTermLed && this.candidateStatus !== undefined
    this.count = (this.lastTermLed ? 1 : 0) + (this.termAtCandidacy ? 1 : 0)
    this.place = 1 + layout.values
  }

  sharesTerm(w: Int32Array, members: MemberComponents): boolean {
    if (!this.lastTermLed) return false
    for (let a = 2; 2 * a < w.length; a++) {
      const term = members.word(w[a], this.place)
      for (let b = 1; b < a; b++) {
        if (term !== 0 && term === members.word(w[b], this.place)) return true
      }
    }
    return false
  }

  /** Updates the term at candidacy. Returns whether the member won a term no larger than one led in before it. */
  update(w: Int32Array, node: NodeId, before: number, members: MemberComponents): boolean {
    const { place, candidateStatus } = this
    const then = members.local[before]
    const now = members.local[w[node]]
    const isOutdated =
      now.leader === node &&
      then.leader !== node &&
      members.word(w[node], place) <= members.word(w[node], place + 1)
    const isCandidate = now.mode === Mode.UP && now.status === candidateStatus
    const wasCandidate = then.mode === Mode.UP && then.status === candidateStatus
    if (isCandidate !== wasCandidate) {
      const value = isCandidate ? this.largestTermLed(w, members) : 0
      w[node] = members.withLastHistory(w[node], value)
    }
    return isOutdated
  }

  /** 0: no member has led. */
  largestTermLed(w: Int32Array, members: MemberComponents): number {
    let largest = 0
    for (let node = 1; 2 * node < w.length; node++) {
      largest = Math.max(largest, members.word(w[node], this.place))
    }
    return largest
  }
}
