/**
 * The election of Raft: a candidate collects the votes of a majority in a term of its own, and random delays make split
 * votes rare.
 *
 * Source: D. Ongaro and J. Ousterhout, "In search of an understandable consensus algorithm", 2014, §5.1, §5.2 and §6;
 *   pre-vote: D. Ongaro, "Consensus: bridging theory and practice", 2014, §9.6. 003 compares itself with it.
 * Assumes: durable stable fields. For progress, a majority of the configured members that is up and connected, messages
 *   within Tm, and finitely many lost.
 * Promises: one leader per term; when faults cease, all up members agree on some up member, with probability one;
 *   terms rise from leader to leader, a member's never falls. There is no lease: a leader that is cut off goes on
 *   until it learns of a larger term.
 * Departures: the failure detector watches the leader, in place of the time without heartbeats; the random election
 *   time-out begins when it reports the leader down. There is no log: a follower answers a heartbeat only to
 *   tell a leader that its term is over, and every candidate is up to date.
 */
import { algorithm, answer, choiceOption, numberOption, period } from '../core/algorithm.ts'
import type { Out, ValuesOf } from '../core/algorithm.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { majority } from '../core/quorum.ts'
import { counter, flag, node, nodeSet, oneOf, record, stable, union } from '../core/schema.ts'
import type { Infer } from '../core/schema.ts'

const state = record({
  status: oneOf('Follower', 'PreCandidate', 'Candidate', 'Leader'),
  leader: node,
  term: stable(counter()), // currentTerm
  voted: stable(node), // votedFor, in this term
  votes: nodeSet, // of this term, or for a pre-vote
})
const messages = union({
  preVote: { term: counter() }, // RequestVote of the term that would follow
  requestVote: { term: counter() },
  vote: { term: counter(), granted: flag, pre: flag }, // the voter's term; of a granted pre-vote, the one asked about
  heartbeat: { term: counter() }, // AppendEntries without entries
  newTerm: { term: counter() }, // AppendEntries is refused: the leader's term is over
})
const timers = { election: answer(1), heartbeat: period }
const options = {
  preVote: choiceOption('no', 'yes'),
  /** The shortest election time-out, in round trips; the longest is twice as long. */
  timeout: numberOption(5, 1, 1000),
}

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Vote = Extract<Message, { type: 'vote' }>
type Sink = Out<Message, keyof typeof timers>

function handlers(group: Group, { preVote, timeout: roundTrips }: ValuesOf<typeof options>) {
  const { messageMs, processingMs, periodMs } = group.timing
  const quorum = majority(group.members)
  const timeoutMs = 2 * roundTrips * (messageMs + processingMs)

  /** "When servers start up, they begin as followers." */
  function start(s: State, out: Sink): void {
    awaitElection(s, out)
  }

  /** "Election timeouts are chosen randomly from a fixed interval." */
  function awaitElection(s: State, out: Sink): void {
    if (s.leader !== NONE && s.leader !== out.me) out.unwatch(s.leader)
    s.status = 'Follower'
    s.leader = NONE
    s.votes.clear()
    out.clear('heartbeat')
    out.set('election', timeoutMs, 2 * timeoutMs)
  }

  /** Pre-vote: "a candidate only increments its term if it first learns from a majority" that it can win. */
  function canvass(s: State, out: Sink): void {
    s.status = 'PreCandidate'
    s.votes.clear()
    broadcast({ type: 'preVote', term: s.term + 1 }, out)
    countVote(s, out.me, out)
  }

  /** "To begin an election, a follower increments its current term", "votes for itself and issues RequestVote RPCs". */
  function stand(s: State, out: Sink): void {
    s.status = 'Candidate'
    s.term += 1
    s.voted = out.me
    s.votes.clear()
    out.set('election', timeoutMs, 2 * timeoutMs)
    broadcast({ type: 'requestVote', term: s.term }, out)
    countVote(s, out.me, out)
  }

  function countVote(s: State, from: NodeId, out: Sink): void {
    s.votes.add(from)
    if (s.votes.size < quorum) return
    if (s.status === 'PreCandidate') stand(s, out)
    else lead(s, out)
  }

  /** "Once a candidate wins an election, it becomes leader. It then sends heartbeat messages to all." */
  function lead(s: State, out: Sink): void {
    s.status = 'Leader'
    s.leader = out.me
    s.votes.clear()
    out.clear('election')
    beat(s, out)
  }

  function beat(s: State, out: Sink): void {
    broadcast({ type: 'heartbeat', term: s.term }, out)
    out.set('heartbeat', periodMs)
  }

  function broadcast(m: Message, out: Sink): void {
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, m)
  }

  /** A pre-vote changes nothing. A member that knows a leader refuses it; a leader that asks itself leads no longer. */
  function onPreVote(s: State, from: NodeId, term: number, out: Sink): void {
    const granted = term > s.term && (s.leader === NONE || s.leader === from)
    out.send(from, { type: 'vote', term: granted ? term : s.term, granted, pre: true })
  }

  /** "Each server will vote for at most one candidate in a given term, on a first-come-first-served basis." */
  function onRequest(s: State, from: NodeId, term: number, out: Sink): void {
    const granted = term === s.term && (s.voted === NONE || s.voted === from)
    if (granted) {
      s.voted = from
      out.set('election', timeoutMs, 2 * timeoutMs)
    }
    out.send(from, { type: 'vote', term: s.term, granted, pre: false })
  }

  function onVote(s: State, from: NodeId, { term, granted, pre }: Vote, out: Sink): void {
    const [asking, about] = pre ? ['PreCandidate', s.term + 1] : ['Candidate', s.term]
    if (granted && s.status === asking && term === about) countVote(s, from, out)
  }

  function onHeartbeat(s: State, from: NodeId, term: number, out: Sink): void {
    if (term < s.term) return out.send(from, { type: 'newTerm', term: s.term })
    if (s.leader === from) return
    s.status = 'Follower'
    s.leader = from
    s.votes.clear()
    out.clear('election')
    out.watch(from)
  }

  /** "If one server's current term is smaller than the other's, then it updates its current term to the larger value." */
  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.term > s.term && !isAboutNext(m)) {
      s.term = m.term
      s.voted = NONE
      awaitElection(s, out)
    }
    if (m.type === 'preVote') onPreVote(s, from, m.term, out)
    else if (m.type === 'requestVote') onRequest(s, from, m.term, out)
    else if (m.type === 'vote') onVote(s, from, m, out)
    else if (m.type === 'heartbeat') onHeartbeat(s, from, m.term, out)
  }

  /** A pre-vote and its grant name a term that nobody need be in. */
  function isAboutNext(m: Message): boolean {
    return m.type === 'preVote' || (m.type === 'vote' && m.pre && m.granted)
  }

  function timeout(s: State, timer: keyof typeof timers, out: Sink): void {
    if (timer === 'heartbeat') return beat(s, out)
    if (preVote === 'no') return stand(s, out)
    out.set('election', timeoutMs, 2 * timeoutMs)
    canvass(s, out)
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    if (peer === s.leader) awaitElection(s, out)
  }

  function settled(s: State, leader: NodeId, out: Sink): void {
    s.term = 1
    s.voted = leader
    s.leader = leader
    if (leader !== out.me) return out.watch(leader)
    s.status = 'Leader'
    out.set('heartbeat', periodMs)
  }

  return { start, message, timeout, down, settled }
}

export const raft = algorithm({
  name: 'raft',
  title: 'the election of Raft: one vote a term, random time-outs',
  state,
  messages,
  purposes: { heartbeat: 'heartbeat', newTerm: 'repair' },
  timers,
  options,
  promises: {
    agreement: 'eventually',
    leader: 'any',
    oneLeaderPerTerm: true,
    termsRise: true,
    candidateStatus: 'Candidate',
  },
  assumes: { crashes: true, recoveries: true, loss: true, synchrony: true, majority: true },
  handlers,
})
