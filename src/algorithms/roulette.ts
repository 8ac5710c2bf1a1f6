/**
 * The roulette wheel: a member that draws three large numbers in a row collects votes, and spins a wheel that
 * elects one of the voters.
 *
 * Source: 003 §2.2 "The modified algorithm", steps 1–5, with rules 2, 4, 5, 6 and 9, as corrected.
 * Assumes: crashes and recoveries at any moment; messages arrive within Tm and are handled within Tp; a
 *   finite number of them may be lost; the detector is right; in the end a majority of the configured
 *   members is up (W-f).
 * Promises: one leader per term, at every moment; when faults cease, all up members agree on some up
 *   member, with probability one; terms rise from leader to leader, a member's never falls. 2v − 1
 *   messages before heartbeats if all v are up, one is a candidate and the wheel elects another.
 * Departures: terms are numbered and stable (W-c), and in each a member has one stable vote (W-a, W-g),
 *   for the first candidate that asks (W-h); so no number in a proposal is compared, and it carries none. Time-out
 *   or all answers, then a majority of the configured members (W-b, W-f). Never a second choice inside a
 *   term (W-d, rule 7). A voter that receives no heartbeat draws again (W-e). A vote for another member ends a
 *   candidacy (W-i). A recovered member waits for a heartbeat before it draws.
 */
import { algorithm, answer, period, type Out } from '../core/algorithm.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { majority } from '../core/quorum.ts'
import { counter, record, union, type Infer } from '../core/schema.ts'
import * as wheel from './helpers/roulette-wheel.ts'

const state = record(wheel.rouletteFields)
const messages = union({ ...wheel.rouletteMessages, heartbeat: { term: counter() } })
const timers = { draw: period, answers: answer(1), leader: answer(2), beat: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Sink = Out<Message, keyof typeof timers, 'number' | 'wheel'>

function handlers(group: Group, options: wheel.LaunchOptions) {
  wheel.checkLaunchOptions(options)
  const { messageMs, processingMs, periodMs } = group.timing
  const quorum = majority(group.members)
  const answersMs = 2 * messageMs + processingMs
  // All answers, the announcement, the first heartbeat.
  const leaderMs = answersMs + 2 * (messageMs + processingMs)

  /** A new member draws at once. A recovered member first waits for the heartbeat of a leader. */
  function start(s: State, out: Sink): void {
    if (!s.started) beginDrawing(s, out)
    else out.set('leader', periodMs + leaderMs)
    s.started = true
  }

  /** Step 1: "Each node generates random numbers in (0, 1) interval." */
  function beginDrawing(s: State, out: Sink): void {
    becomeBasic(s, out)
    s.drawing = true
    s.streak = 0
    out.set('draw', options.drawEveryMs)
    out.set('leader', leaderMs)
  }

  function becomeBasic(s: State, out: Sink): void {
    if (s.leader === out.me) out.clear('beat')
    else if (s.leader !== NONE) out.unwatch(s.leader)
    s.leader = NONE
    s.status = 'basic'
    s.votes.clear()
    s.numbers.clear()
    s.answers.clear()
    s.spun = false
    out.clear('answers')
  }

  /** "If three consecutive generated numbers are greater than a chosen threshold" */
  function launch(s: State, out: Sink): void {
    wheel.stopDrawing(s, out)
    s.term += 1
    s.voted = out.me
    s.status = 'candidate'
    countVote(s, out.me, s.best)
    const proposal: Message = { type: 'proposal', term: s.term }
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, proposal)
    out.set('answers', answersMs)
    out.set('leader', leaderMs)
    if (group.members === 1) conclude(s, out)
  }

  function countVote(s: State, from: NodeId, number: number): void {
    s.votes.add(from)
    s.numbers.set(from, number)
  }

  /** Step 2, as corrected: one vote a term, "for the first candidate node". */
  function onProposal(s: State, from: NodeId, out: Sink): void {
    if (s.status === 'basic' && (s.voted === NONE || s.voted === from)) {
      s.voted = from
      wheel.stopDrawing(s, out)
      out.send(from, { type: 'positive', term: s.term, number: s.best })
      out.set('leader', leaderMs)
    } else out.send(from, { type: 'negative', term: s.term })
  }

  /** Rule 2: "when all the nodes respond or the timeout elapse, the candidate verifies the votes" */
  function onAnswer(s: State, from: NodeId, out: Sink): void {
    s.answers.add(from)
    if (s.answers.size === group.members - 1) conclude(s, out)
  }

  function conclude(s: State, out: Sink): void {
    if (s.answers.size + 1 < quorum) return block(s, out)
    if (s.votes.size < quorum) return beginDrawing(s, out)
    s.status = 'coordinator'
    out.clear('answers')
    out.draw('wheel', wheel.placesOn(s.votes, s.numbers))
  }

  /** Rule 9: "the system will block until some nodes are recovered"; they ask, and the member itself tries again later. */
  function block(s: State, out: Sink): void {
    becomeBasic(s, out)
    out.set('leader', 10 * periodMs)
  }

  /** Steps 3 and 5: "the coordinator will send it a message" */
  function chosen(s: State, leader: NodeId, out: Sink): void {
    s.spun = true
    if (leader === out.me) lead(s, out)
    else out.send(leader, { type: 'announcement', term: s.term })
  }

  /** "After receiving it, the leader will broadcast a special/heartbeat message." */
  function lead(s: State, out: Sink): void {
    wheel.stopDrawing(s, out)
    s.status = 'leader'
    s.leader = out.me
    out.clear('leader')
    beat(s, out)
  }

  function beat(s: State, out: Sink): void {
    const heartbeat: Message = { type: 'heartbeat', term: s.term }
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, heartbeat)
    out.set('beat', periodMs)
  }

  function follow(s: State, leader: NodeId, out: Sink): void {
    if (s.leader === leader) return
    becomeBasic(s, out)
    wheel.stopDrawing(s, out)
    s.leader = leader
    out.clear('leader')
    out.watch(leader)
  }

  /** A larger term ends the member's role in the older one. */
  function enterTerm(s: State, term: number, out: Sink): void {
    becomeBasic(s, out)
    s.term = term
    s.voted = NONE
    out.set('leader', leaderMs)
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (m.term > s.term) enterTerm(s, m.term, out)
    if (m.type === 'proposal') {
      if (m.term === s.term) onProposal(s, from, out)
      else out.send(from, { type: 'negative', term: s.term })
    } else if (m.term < s.term) return
    else if (m.type === 'heartbeat') follow(s, from, out)
    else if (m.type === 'announcement') {
      if (s.status !== 'leader') lead(s, out)
    } else if (s.status === 'candidate') {
      if (m.type === 'positive') countVote(s, from, m.number)
      onAnswer(s, from, out)
    }
  }

  function timeout(s: State, timer: keyof typeof timers, out: Sink): void {
    if (timer === 'draw') out.draw('number', options.faces)
    else if (timer === 'answers') conclude(s, out)
    else if (timer === 'beat') beat(s, out)
    else if (s.drawing)
      out.set('leader', leaderMs) // no member has launched yet
    else beginDrawing(s, out)
  }

  function drawn(s: State, name: 'number' | 'wheel', k: number, out: Sink): void {
    if (name === 'wheel') {
      if (s.status === 'coordinator' && !s.spun)
        chosen(s, wheel.ownerOf(k, s.votes, s.numbers), out)
    } else if (s.drawing) {
      if (wheel.launches(s, k, options)) launch(s, out)
      else out.set('draw', options.drawEveryMs)
    }
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    if (peer === s.leader) beginDrawing(s, out)
  }

  /** A member that has long been up has drawn the greatest number. */
  function settled(s: State, leader: NodeId, out: Sink): void {
    s.started = true
    s.term = 1
    s.leader = leader
    s.best = options.faces
    if (leader === out.me) {
      s.status = 'leader'
      out.set('beat', periodMs)
    } else out.watch(leader)
  }

  return { start, message, timeout, drawn, down, settled }
}

export const roulette = algorithm({
  name: 'roulette',
  title: 'the roulette wheel that waits for all answers or the time-out, with numbered terms',
  state,
  messages,
  purposes: { heartbeat: 'heartbeat' },
  timers,
  draws: ['number', 'wheel'],
  options: wheel.launchOptions,
  untimed: { faces: 2, threshold: 1, consecutive: 1 },
  promises: { agreement: 'eventually', leader: 'any', oneLeaderPerTerm: true, termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: true, synchrony: true, majority: true },
  handlers,
})
