/**
 * Computes the times of bully-fd-quorum, and declares what members in every status do: leave their role, wait for
 * superiors, begin and end rounds, and accept a weaker leader or not.
 */
import type { Group } from '../../../core/group.ts'
import { NONE, type NodeId } from '../../../core/node-id.ts'
import { Admission, lapsingVotes } from '../admission.ts'
import { Lease } from '../lease.ts'
import { Register } from '../register.ts'
import {
  bondOf,
  candidateTerm,
  freshId,
  releaseOf,
  type Message,
  type Options,
  type Sink,
  type State,
} from './state.ts'

export function settingsOf(
  group: Group,
  { preempt, leasePeriods, driftPercent, founding }: Options,
) {
  const { messageMs, processingMs, detectionMs, periodMs } = group.timing
  const roundMs = 2 * messageMs + (group.members + 1) * processingMs
  const beatMs = Math.max(periodMs, roundMs)
  const askMs = Math.max(periodMs, detectionMs + messageMs)
  const lease = new Lease(leasePeriods * beatMs, driftPercent)
  /** τ2, the time for the votes: the other bonds end at most a beat after the candidate's; then a detection, a round. */
  const restartMs = beatMs + roundMs + detectionMs + messageMs
  const patienceMs = lease.bondMs + restartMs + 2 * askMs
  const register = new Register(group)
  const admission = new Admission(
    { group, founding, waitMs: lease.bondMs, askMs: beatMs },
    freshId,
    lapsingVotes,
  )
  return { group, register, preempt, lease, roundMs, beatMs, restartMs, patienceMs, admission }
}
export type Settings = ReturnType<typeof settingsOf>

export function roles({ group, register, lease, preempt, roundMs, patienceMs }: Settings) {
  function broadcast(s: State, message: Message, out: Sink): void {
    for (const peer of register.members(s)) if (peer !== out.me) out.send(peer, message)
  }

  /** The stronger a member, the sooner it stops waiting. */
  function setPatience(s: State, out: Sink): void {
    const ms = patienceMs + 2 * roundMs * register.superiors(s, out.me).length
    out.set('patience', ms, ms + roundMs)
  }

  /** The member's role ends: its voters are released, and `successor` named to them. The lease runs on. */
  function leaveRole(s: State, successor: NodeId, out: Sink): void {
    if (s.status === 'Elec2') {
      const release = releaseOf(s, candidateTerm(s, out.me), s.round, successor)
      for (const peer of s.acks) out.send(peer, release)
    }
    if (s.head !== NONE) out.unwatch(s.head)
    if (s.status === 'Elec1') unwatchSuperiors(s, out)
    for (const timer of ['tau', 'endorsements', 'restart', 'patience', 'retry'] as const)
      out.clear(timer)
    s.inherits = false
    s.leader = NONE
    s.head = NONE
    s.down.clear()
    s.acks.clear()
    s.backingOff = false
    s.round = 0
    s.asksFor = 0
    s.committed = false
    s.confirmed.clear()
    s.term = s.vote // a vote lapses only in Wait
  }

  function watchSuperiors(s: State, out: Sink): void {
    for (const peer of register.superiors(s, out.me)) out.watch(peer)
  }

  /** Before the member adopts another configuration: whom it watches depends on that. */
  function unwatchSuperiors(s: State, out: Sink): void {
    for (const peer of register.superiors(s, out.me)) out.unwatch(peer)
  }

  function leaveRoleAndLease(s: State, successor: NodeId, out: Sink): void {
    leaveRole(s, successor, out)
    lease.end(s, out)
  }

  /** `anew`: in place of a round that is out, if there is one. */
  function beginRound(s: State, out: Sink, anew = false): void {
    s.acks.clear()
    s.round = freshId(s)
    s.asksFor = bondOf(s, lease)
    if (anew) lease.beginAnew(s, out)
    else lease.begin(s, out)
  }

  /** A majority answered the round that is out: further answers to it do not matter. */
  function renewLease(s: State, out: Sink): void {
    lease.renew(s, out)
    s.acks.clear()
    s.round = 0
  }

  function acceptsWeakerLeader(s: State, out: Sink): boolean {
    return preempt === 'sticky' || s.backingOff || !register.mayLead(s, out.me)
  }

  function mayFollow(s: State, leader: NodeId, out: Sink): boolean {
    return acceptsWeakerLeader(s, out) || !group.outranks(out.me, leader)
  }

  return {
    broadcast,
    setPatience,
    leaveRole,
    leaveRoleAndLease,
    watchSuperiors,
    unwatchSuperiors,
    beginRound,
    renewLease,
    acceptsWeakerLeader,
    mayFollow,
  }
}
export type Roles = ReturnType<typeof roles>
