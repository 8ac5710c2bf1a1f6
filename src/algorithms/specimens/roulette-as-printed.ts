/**
 * The roulette wheel as printed, a specimen: four forms of one text, followed to the letter.
 *
 * Source: form five-step: 003 §2.2 "The modified algorithm", steps 1–5, with rules 1, 3 and 5; form
 *   time-out: the same with rule 2; form vote-once: §2.2 "To minimize the time a node must wait"; form
 *   four-step: §2, steps 1–4, where one large number is enough. Rules 7 and 9 belong to all four.
 * Assumes: what the text assumes: reliable messages, crashes, a time-out, a detector ("Every node knows
 *   anytime how many nodes are up").
 * Promises: what the text claims: "In this way, a single node will be elected as coordinator", and a
 *   single leader. It is not so: W-a, W-b, W-c, W-d, W-f, W-g; or there is no leader: W-e.
 * Departures: none intended. Rounds have no numbers, votes are not stable. Each option is a reading that the
 *   text allows. `revert`: a refused candidate "can revert its state" (rule 1) and "can invalidate his state"
 *   (step 4). `ownVote`: a candidate that votes for another keeps the vote for itself, or gives it up. `votes`: a coordinator needs a majority, or "all the positive votes" (step 3). `newRound`: a
 *   voter takes part in "a new round of voting" when the member that it voted for is down or proposes again
 *   (rules 1, 4 and 6), or goes on waiting (W-e). `wheelOf`: the wheel has the voters' numbers, the coordinator's among them, or "the
 *   numbers received from other nodes". `all`: "the nodes" whose answers rule 2 awaits are those not known to be
 *   down, or all. `majorityOf` (rule 9, W-f). Where the text is silent: a member that starts or recovers draws
 *   numbers; a heartbeat ends the round of its receiver; a leader is in its "final state" and follows no
 *   other member. Terms do not exist and stay 0.
 */
import { algorithm, answer, choiceOption, period } from '../../core/algorithm.ts'
import type { Out, ValuesOf } from '../../core/algorithm.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { NodeSet } from '../../core/node-set.ts'
import { majority } from '../../core/quorum.ts'
import {
  flag,
  int,
  node,
  nodeSet,
  observer,
  oneOf,
  perNode,
  record,
  union,
  type Infer,
} from '../../core/schema.ts'
import * as wheel from '../helpers/roulette-wheel.ts'

const state = record({
  status: oneOf('basic', 'candidate', 'coordinator', 'leader'),
  leader: node,
  term: observer(int(0, 0)),
  drawing: flag,
  best: int(0, wheel.MAX_FACES),
  streak: int(0, wheel.MAX_CONSECUTIVE),
  voted: node, // the candidate that got the last vote of this round,
  votedNumber: int(0, wheel.MAX_FACES), // and for which number
  votes: nodeSet, // the members that voted for this candidate,
  numbers: perNode(0, wheel.MAX_FACES), // and the greatest number of each
  answers: nodeSet, // the members that answered the proposal
  down: nodeSet, // "Every node knows anytime how many nodes are up"
})
const messages = union({
  proposal: { number: int(0, wheel.MAX_FACES) },
  positive: { number: int(0, wheel.MAX_FACES) },
  // Rule 3: "with a special flag saying that it is already coordinator"; step 2: its number is "in his response".
  negative: { coordinator: flag, number: int(0, wheel.MAX_FACES) },
  announcement: {},
  heartbeat: {},
})
const timers = { draw: period, answers: answer(1), heartbeat: answer(2), beat: period }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Answer = Extract<Message, { type: 'positive' | 'negative' }>
type Sink = Out<Message, keyof typeof timers, 'number' | 'wheel'>

const readings = {
  form: choiceOption('five-step', 'time-out', 'vote-once', 'four-step'),
  revert: choiceOption('no', 'yes'),
  ownVote: choiceOption('kept', 'moved'),
  votes: choiceOption('majority', 'all'),
  newRound: choiceOption('no', 'yes'),
  wheelOf: choiceOption('voters', 'received'),
  all: choiceOption('up', 'configured'),
  majorityOf: choiceOption('configured', 'up'),
  ...wheel.launchOptions,
}

const ANNOUNCEMENT: Message = { type: 'announcement' }
const HEARTBEAT: Message = { type: 'heartbeat' }

function handlers(group: Group, options: ValuesOf<typeof readings>) {
  wheel.checkLaunchOptions(options)
  const { form } = options
  const continues = options.newRound === 'yes'
  const condition = form === 'four-step' ? { ...options, consecutive: 1 } : options
  const { messageMs, processingMs, periodMs } = group.timing
  const answersMs = 2 * messageMs + processingMs

  function start(s: State, out: Sink): void {
    for (const peer of group.everyone) if (peer !== out.me) out.watch(peer)
    newRound(s, out)
  }

  /** "The algorithm will continue with another round of vote" */
  function newRound(s: State, out: Sink): void {
    endRound(s, out)
    s.drawing = true
    out.set('draw', options.drawEveryMs)
  }

  function endRound(s: State, out: Sink): void {
    s.status = 'basic'
    s.leader = NONE
    s.voted = NONE
    s.votedNumber = 0
    s.best = 0
    s.votes.clear()
    s.numbers.clear()
    s.answers.clear()
    wheel.stopDrawing(s, out)
    for (const timer of ['answers', 'heartbeat', 'beat'] as const) out.clear(timer)
  }

  /** Step 1: "it will send to other nodes the greatest generated number and votes for itself" */
  function launch(s: State, out: Sink): void {
    wheel.stopDrawing(s, out)
    s.status = 'candidate'
    s.voted = out.me
    s.votedNumber = s.best
    s.votes.add(out.me)
    s.numbers.set(out.me, s.best)
    const proposal: Message = { type: 'proposal', number: s.best }
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, proposal)
    if (form === 'time-out' || form === 'vote-once') out.set('answers', answersMs)
    verify(s, false, out)
  }

  function onProposal(s: State, from: NodeId, number: number, out: Sink): void {
    wheel.stopDrawing(s, out) // rule 5: "until it receives a proposal message from other node"
    if (mayVote(s, from, number, out)) {
      s.voted = from // W-i: a candidate that votes for another remains one
      if (options.ownVote === 'moved') s.votes.delete(out.me)
      s.votedNumber = number
      out.send(from, { type: 'positive', number: s.best })
    } else {
      const coordinator = s.status === 'coordinator'
      out.send(from, { type: 'negative', coordinator, number: s.best })
    }
  }

  function mayVote(s: State, from: NodeId, number: number, out: Sink): boolean {
    if (s.status === 'coordinator' || s.status === 'leader') return false // rule 3
    // "only one time in a round": another proposal of the same candidate is "another round of vote".
    if (form === 'vote-once') return s.voted === NONE || (continues && s.voted === from)
    // Step 2: "if it has not voted before for a bigger value"; rule 1: more than its own.
    return s.voted === out.me ? number > s.votedNumber : number >= s.votedNumber
  }

  /**
   * "The node which receives all the positive votes will be the coordinator": all answers are in (rule 2:
   * or the time-out elapsed) and a majority is positive; vote-once: "right after … half + 1".
   */
  function verify(s: State, elapsed: boolean, out: Sink): void {
    if (s.status !== 'candidate') return
    const up = group.members - s.down.size
    const half = majority(options.majorityOf === 'up' ? up : group.members)
    const expected = options.all === 'up' ? up : group.members
    const all = elapsed || s.answers.size + 1 >= expected
    const enough = options.votes === 'all' ? Math.max(half, s.answers.size + 1) : half
    if (s.votes.size >= enough && (all || form === 'vote-once')) coordinate(s, out)
    else if (all) newRound(s, out)
  }

  /** Step 3: "run the random roulette wheel selection using all the numbers received from other nodes" */
  function coordinate(s: State, out: Sink): void {
    s.status = 'coordinator'
    out.clear('answers')
    spin(s, out)
  }

  function onWheel(s: State): NodeSet {
    return options.wheelOf === 'received' ? s.answers : s.votes
  }

  function spin(s: State, out: Sink): void {
    const places = wheel.placesOn(onWheel(s), s.numbers)
    if (places > 0) out.draw('wheel', places)
  }

  /** Step 5: "the coordinator will send it a message". Rule 7: "in a short time" a heartbeat must come. */
  function chosen(s: State, leader: NodeId, out: Sink): void {
    if (leader === out.me) return lead(s, out)
    out.send(leader, ANNOUNCEMENT)
    onWheel(s).delete(leader) // should it be silent, "another leader" is chosen
    out.set('heartbeat', answersMs)
  }

  function lead(s: State, out: Sink): void {
    endRound(s, out)
    s.status = 'leader'
    s.leader = out.me
    beat(out)
  }

  function beat(out: Sink): void {
    for (const peer of group.everyone) if (peer !== out.me) out.send(peer, HEARTBEAT)
    out.set('beat', periodMs)
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    if (s.down.delete(from)) out.watch(from)
    if (m.type === 'proposal') onProposal(s, from, m.number, out)
    else if (m.type === 'announcement') {
      if (s.status !== 'leader') lead(s, out)
    } else if (m.type === 'heartbeat') {
      if (s.status === 'leader' || s.leader === from) return
      endRound(s, out)
      s.leader = from
    } else onAnswer(s, from, m, out)
  }

  function onAnswer(s: State, from: NodeId, m: Answer, out: Sink): void {
    if (s.status !== 'candidate') return
    s.answers.add(from)
    s.numbers.set(from, m.number)
    if (m.type === 'positive') s.votes.add(from)
    else if (options.revert === 'yes') {
      s.status = 'basic' // "it can revert its state"
      return out.clear('answers')
    }
    verify(s, false, out)
  }

  function timeout(s: State, timer: keyof typeof timers, out: Sink): void {
    if (timer === 'draw') out.draw('number', options.faces)
    else if (timer === 'answers') verify(s, true, out)
    else if (timer === 'beat') beat(out)
    else if (s.status === 'coordinator') spin(s, out) // rule 7
  }

  function drawn(s: State, name: 'number' | 'wheel', k: number, out: Sink): void {
    if (name === 'wheel') {
      if (s.status === 'coordinator') chosen(s, wheel.ownerOf(k, onWheel(s), s.numbers), out)
    } else if (s.drawing) {
      if (wheel.launches(s, k, condition)) launch(s, out)
      else out.set('draw', options.drawEveryMs)
    }
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    s.down.add(peer)
    const votedForIt = s.status === 'basic' && peer === s.voted
    // Rules 4 and 6: "the algorithm will continue through a new round".
    if (peer === s.leader || (votedForIt && continues)) newRound(s, out)
    else verify(s, false, out)
  }

  function settled(s: State, leader: NodeId, out: Sink): void {
    for (const peer of group.everyone) if (peer !== out.me) out.watch(peer)
    s.leader = leader
    if (leader !== out.me) return
    s.status = 'leader'
    out.set('beat', periodMs)
  }

  return { start, message, timeout, drawn, down, settled }
}

export const rouletteAsPrinted = algorithm({
  name: 'roulette-as-printed',
  title: 'the roulette wheel as printed in 003 (specimen)',
  specimen: true,
  state,
  messages,
  purposes: { heartbeat: 'heartbeat' },
  timers,
  draws: ['number', 'wheel'],
  options: readings,
  untimed: { faces: 2, threshold: 1, consecutive: 1 },
  promises: { agreement: 'eventually', leader: 'any', termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: false, synchrony: true },
  handlers,
})
