/**
 * Stable leader election over an unreliable failure detector: rounds in which each member in turn may lead, and a leader
 * that stays until a member suspects it.
 *
 * Source: M. K. Aguilera, C. Delporte-Gallet, H. Fauconnier and S. Toueg, "Stable leader election", 2001, with START and
 *   OK. 003 cites the subject, S.-H. Park, "A stable election protocol based on an unreliable failure detector in
 *   distributed systems", 2011, and says no more of it. In the end its `leader` is the output of the oracle Ω.
 * Assumes: a durable round. For progress, a detector that is right in the end (◇P), and finitely many messages lost.
 * Promises: one leader per round; in the end all up members follow one of them, however often the detector has erred; rounds
 *   rise. A leader that nobody suspects stays, whatever happens to other members and to the links between them. In the end
 *   only the leader sends. If all a−1 others suspect it at once: at most 2(a−1) START, and OK every period.
 * Departures: the detector's watch on the leader replaces the time-out for its OK. One OK is enough to follow, not
 *   two. START is repeated until OK arrives. A leader that recovers does not lead its round again.
 */
import { algorithm, period, type Out } from '../core/algorithm.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { counter, flag, node, oneOf, record, stable, union, type Infer } from '../core/schema.ts'

/** A round is k·1024 + the NodeId of the member that may lead in it. */
const STRIDE = 1024

const state = record({
  status: oneOf('Elec', 'Norm'),
  leader: node,
  term: stable(counter(STRIDE)), // r, the round
  started: stable(flag), // in an earlier incarnation
})
const messages = union({
  start: { term: counter(STRIDE) },
  ok: { term: counter(STRIDE) },
})
const timers = { again: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message, keyof typeof timers>

function candidateOf(round: number): NodeId {
  return round % STRIDE
}

function handlers(group: Group) {
  const { periodMs } = group.timing

  /** The first round is that of the strongest. */
  function start(s: State, out: Sink): void {
    if (!s.started) startRound(s, s.term + STRIDE + group.strongest, out)
    else startRound(s, candidateOf(s.term) === out.me ? roundAfter(s.term) : s.term, out)
    s.started = true
  }

  function roundAfter(round: number): number {
    if (candidateOf(round) < group.members) return round + 1
    return (Math.floor(round / STRIDE) + 1) * STRIDE + 1
  }

  /** "StartRound(s): if p ≠ s mod n then send (START, s) to s mod n" */
  function startRound(s: State, round: number, out: Sink): void {
    const before = candidateOf(s.term)
    if (before !== NONE && before !== out.me) out.unwatch(before)
    const candidate = candidateOf(round)
    s.term = round
    s.status = candidate === out.me ? 'Norm' : 'Elec'
    s.leader = candidate === out.me ? out.me : NONE
    if (candidate !== out.me) out.watch(candidate)
    speak(s, out)
  }

  /** A leader says OK to all, every period; a member without a leader calls the candidate of its round. */
  function speak(s: State, out: Sink): void {
    const { term } = s
    if (s.leader === NONE) out.send(candidateOf(term), { type: 'start', term })
    else
      for (const peer of group.everyone) if (peer !== out.me) out.send(peer, { type: 'ok', term })
    out.set('again', periodMs)
  }

  /** "upon receive (OK, k) or (START, k) with k > r do StartRound(k)"; a sender that is behind learns the round. */
  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.term < s.term) return out.send(from, { type: 'start', term: s.term })
    if (m.term > s.term) startRound(s, m.term, out)
    if (m.type !== 'ok' || s.leader === from) return
    s.status = 'Norm'
    s.leader = from
    out.clear('again')
  }

  /** The leader, or the candidate of the round, is suspected. */
  function down(s: State, peer: NodeId, out: Sink): void {
    if (peer === candidateOf(s.term)) startRound(s, roundAfter(s.term), out)
  }

  function settled(s: State, leader: NodeId, out: Sink): void {
    s.status = 'Norm'
    s.leader = leader
    s.term = STRIDE + leader
    s.started = true
    if (leader !== out.me) out.watch(leader)
    else out.set('again', periodMs)
  }

  return {
    start,
    message,
    timeout: (s: State, _: 'again', out: Sink) => speak(s, out),
    down,
    settled,
  }
}

export const stableLeader = algorithm({
  name: 'stable-leader',
  title: 'stable leader election (Ω) in rounds over an unreliable failure detector',
  state,
  messages,
  purposes: { ok: 'heartbeat' },
  timers,
  promises: { agreement: 'eventually', leader: 'any', oneLeaderPerTerm: true, termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: true, synchrony: true },
  handlers,
})
