/**
 * Configurations in bully-fd-quorum: a leader writes and sends them (register.ts has the rules), and a member adopts
 * a newer one, from which its role follows.
 */
import type { Change } from '../../../core/configuration.ts'
import type { NodeId } from '../../../core/node-id.ts'
import { clearMarks } from '../lease.ts'
import { isNewer, stampOf } from '../register.ts'
import type { Roles, Settings } from './roles.ts'
import { clearDeferred, type MessageOf, type Sink, type State } from './state.ts'

/** The configuration with its content, as a message. */
export function configOf(
  s: State,
): Omit<MessageOf<'config'>, 'term' | 'round' | 'incarnation' | 'bond'> {
  const content = { voters: s.voters.copy(), observers: s.observers.copy(), data: s.data }
  return { type: 'config', ...stampOf(s), ...content }
}

/** To a member that does not follow this one. */
export function tell(s: State, peer: NodeId, out: Sink): void {
  out.send(peer, { ...configOf(s), term: s.configTerm, round: 0, incarnation: 0, bond: 0 })
}

/** The leader's half: it writes a change, or what it has under its own term, and sends it in a round. */
export function changes(
  { register }: Settings,
  role: Roles,
  sendRound: (s: State, out: Sink) => void,
) {
  function change(s: State, wanted: Change, out: Sink): void {
    if (s.leader !== out.me) return
    const refusal = register.refusal(s, wanted, s.term)
    if (refusal === 'not committed') return confirm(s, out)
    if (refusal !== '') return
    const before = [...register.members(s)]
    register.write(s, wanted)
    const removed = before.filter((seat) => !register.isMember(s, seat))
    announce(s, removed, out)
  }

  /** The leader writes what it has under its own term, which is newer than what a leader of an earlier term wrote. */
  function confirm(s: State, out: Sink): void {
    if (s.configTerm === s.term) return
    register.restamp(s, s.term)
    announce(s, [], out)
  }

  /** The configuration of this leader is new. `removed`: members that it no longer names. */
  function announce(s: State, removed: Iterable<NodeId>, out: Sink): void {
    role.beginRound(s, out, true)
    for (const peer of removed) if (peer !== out.me) tell(s, peer, out)
    sendRound(s, out)
  }

  return { change, confirm }
}

/** What the arrival of a configuration calls of the election and of the leadership. */
interface Caller {
  readonly stage1: (s: State, out: Sink) => void
  readonly confirm: (s: State, out: Sink) => void
  readonly onNormQuery: (s: State, from: NodeId, m: MessageOf<'config'>, out: Sink) => void
}

/** The half of every member that receives one. */
export function arrivals(
  { lease, register, preempt, beatMs }: Settings,
  role: Roles,
  { stage1, confirm, onNormQuery }: Caller,
) {
  function onConfig(s: State, from: NodeId, m: MessageOf<'config'>, out: Sink): void {
    const isRound = m.round !== 0
    if (isNewer(m, s)) {
      if (s.leader === out.me && m.configTerm < s.term) return confirm(s, out)
      adopt(s, m, out)
      const follows = isRound && m.term >= s.vote && role.mayFollow(s, from, out)
      if (!follows || !register.isMember(s, out.me)) takeRole(s, out)
    }
    if (isRound) onNormQuery(s, from, m, out)
  }

  function adopt(s: State, m: MessageOf<'config'>, out: Sink): void {
    if (s.status === 'Elec1') role.unwatchSuperiors(s, out)
    if (m.data !== s.data) {
      lease.keepBond(s, lease.bondMs, out)
      // It may be stronger than its leader from the next step on.
      if (preempt === 'yes' && s.status === 'Norm' && s.leader !== out.me) out.set('retry', beatMs)
    }
    register.adopt(s, m)
    clearDeferred(s)
    clearMarks(s)
  }

  /** A candidate asks anew, and so does a leader whose term is over; who is removed leaves. Others go on. */
  function takeRole(s: State, out: Sink): void {
    const goesOn = s.status === 'Wait' || (s.status === 'Norm' && s.leader !== out.me)
    if (!goesOn || !register.isMember(s, out.me)) stage1(s, out)
  }

  return { onConfig }
}
