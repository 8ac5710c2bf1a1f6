/**
 * Rest in bully-fd-quorum: says when heartbeats would change nothing but times and ids, and takes note of a round that beats
 * between two processes stood for.
 */
import { NONE, type NodeId } from '../../../core/node-id.ts'
import type { ReadonlyNodeSet } from '../../../core/node-set.ts'
import type { Roles, Settings } from './roles.ts'
import { freshId, type Sink, type State } from './state.ts'

export function resting({ group, register, preempt, lease, beatMs }: Settings, role: Roles) {
  /** A leader whose followers, a majority, have its configuration; or a follower that would answer each of its rounds. */
  function rests(s: State, peers: ReadonlyNodeSet, me: NodeId): boolean {
    const isQuiet = s.status === 'Norm' && s.term === s.vote && s.deferredFrom === NONE
    if (!isQuiet) return false
    if (s.leader !== me) return peers.has(s.leader) && wouldAnswer(s, me)
    const isKnown = s.configTerm === 0 || (s.committed && areConfirmed(s, peers))
    const isReady = s.answered && isKnown && register.isVoter(s, me)
    return isReady && register.isMajority(s, peers, me)
  }

  function wouldAnswer(s: State, me: NodeId): boolean {
    const isBonded = lease.leaseMs > 0 && s.bonded && s.bondedTo === s.leader && s.longest === 0
    const mayStay = preempt === 'sticky' || !group.outranks(me, s.leader)
    return isBonded && mayStay && register.isMember(s, me)
  }

  function areConfirmed(s: State, peers: ReadonlyNodeSet): boolean {
    for (const peer of peers) if (!s.confirmed.has(peer)) return false
    return true
  }

  /** A leader begins a round that a majority answers; a follower answers one. */
  function beaten(s: State, out: Sink): void {
    if (s.leader === out.me) {
      role.beginRound(s, out)
      role.renewLease(s, out)
      return out.set('tau', beatMs)
    }
    lease.bond(s, s.leader, s.bondedIncarnation, out, lease.bondFor(s, 0, out))
    if (register.isVoter(s, out.me)) lease.markAnswer(s, freshId(s), out)
  }

  return { rests, beaten }
}
