/**
 * Bully_FD: the Bully algorithm that asks a failure detector instead of waiting for time-outs.
 *
 * Source: 000 Fig. 3.1 and 001 Fig. 1, line by line, as corrected. Superiors are their less(i), juniors their
 *   greater(i), `head` and `mark` together their elid = ⟨head, incarn, nextel⟩.
 * Assumes: crashes and recoveries at any moment; a perfect detector, whose answers were true at some moment after
 *   the request; a finite number of messages may be lost. A recovering member announces itself and sends
 *   nothing else for Tm before `start` (B15: a duty of the host).
 * Promises: any two up members that follow a leader follow the same one, at every moment; when faults cease, all
 *   follow the strongest up member; a member's accepted term never falls. An undisturbed election costs
 *   3(a−1) + d2 messages in every interleaving, with a members up and d2 of the winner's juniors down: Halt goes
 *   to all juniors at once, even to those that are down, because its Ack is the UpSig.
 * Departures: B1, B2 every Stage 2 has a fresh id; B3 an Ack counts for its own election only; B4 completion is
 *   tested whenever a set grows, and at once; B5 a waiting member watches the head of elid; B6 superiors are
 *   asked about repeatedly; B7, B12 Stage 2 is repeated under a fresh id; B8 a member that follows a stronger one
 *   has the detector confirm that it is up before it obeys a weaker one; B9–B11 Stage 3: after the last Ack
 *   all superiors must be found down once more; B13 Norm? is about leader and id, not only status. `watch`
 *   replaces the papers' polling of the leader. Terms are added here: one more than the largest in the Acks; no rule
 *   reads them.
 *
 * Configuration (helpers/newest-configuration.ts): the members may change while the group runs. The leader writes a
 * change and tells all. Halt and Norm? carry the stamp of their sender's configuration. Who has a newer one than a
 * candidate sends it that (Config) instead of its Ack; who hears of a newer one says which it has (Have), and gets it.
 * Elections count the voters of the candidate's configuration; an election that is under way when it adopts another
 * one begins again. Observers follow the leader that asks Norm?. A member that its configuration does not name is Out.
 * Who leads, waits for a superior, or is Out tells others again and again which configuration it has, because they may
 * have an older one that does not name it. Once the configuration changes, agreement is promised in the end only:
 * members of two configurations may each elect a leader until they hear of each other.
 */
import { algorithm, answer, period, type Handlers, type Out } from '../core/algorithm.ts'
import type { Change } from '../core/configuration.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import {
  counter,
  id,
  node,
  nodeSet,
  observer,
  oneOf,
  optional,
  record,
  source,
  stable,
  union,
  type Infer,
} from '../core/schema.ts'
import { NewestConfiguration, termOfWriter } from './helpers/newest-configuration.ts'
import {
  contentFields,
  isNewer,
  isSame,
  registerFields,
  stampFields,
  stampOf,
} from './helpers/register.ts'

const state = record({
  // Elec1: are all superiors down? Elec2: halting the juniors. Elec3: are the superiors still down?
  // Out: is no member of its configuration.
  status: oneOf('Norm', 'Elec1', 'Elec2', 'Elec3', 'Wait', 'Out'),
  leader: node, // ldr
  term: stable(observer(counter())),
  head: node, // of elid: the member that holds the election
  mark: id, // the rest of elid
  down: nodeSet, // superiors reported down in this stage
  downJuniors: nodeSet, // dw_gter
  acks: nodeSet, // halted juniors
  deferredFrom: node, // whose Halt waits for the detector's answer about `head`, and its mark
  deferredMark: id,
  ackedTerm: observer(counter()), // the largest of the member's term and those in the Acks
  nextel: source,
  incarn: stable(source),
  ...registerFields(termOfWriter),
})
const stamp = stampFields(termOfWriter)
const messages = union({
  halt: { mark: id, ...stamp },
  ack: { mark: id, term: observer(counter()) },
  ldr: { mark: id, term: observer(counter()) },
  'norm?': { mark: id, term: optional(observer(counter())), ...stamp },
  notNorm: { mark: id },
  have: stamp, // the sender's configuration, by its stamp
  config: contentFields(termOfWriter), // and with its content
})
const timers = { tau: period, restart: answer(1) }

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type MessageOf<T extends Message['type']> = Extract<Message, { type: T }>
type Sink = Out<Message, keyof typeof timers>

/** An incarnation holds fewer elections than this; both parts of an id together stay exact. */
const ELECTIONS = 2 ** 20

function handlers(group: Group): Handlers<State, Message, keyof typeof timers> {
  const { messageMs, processingMs, detectionMs, periodMs } = group.timing
  /** A new request replaces an open one, so the next one waits until the detector must have answered. */
  const askMs = Math.max(periodMs, detectionMs + messageMs)
  /** τ2 > To + 2Tm: the Halt, a junior's request about its leader, the Acks one after the other. */
  const restartMs = detectionMs + 3 * messageMs + (group.members + 1) * processingMs
  const configurations = new NewestConfiguration(group)
  const { register } = configurations

  function start(s: State, out: Sink): void {
    s.incarn += 1
    stage1(s, out)
  }

  /** Are all superiors down? The strongest member has none. */
  function stage1(s: State, out: Sink): void {
    leave(s, out)
    s.status = register.isMember(s, out.me) ? 'Elec1' : 'Out'
    if (register.isVoter(s, out.me)) {
      const superiors = register.superiors(s, out.me)
      if (superiors.length === 0) return stage2(s, out)
      for (const peer of superiors) out.request(peer)
      out.set('tau', askMs)
    } else if (s.configTerm !== 0) out.set('tau', askMs) // it waits for a leader
  }

  /** Halts every junior, under an id that was never used before. */
  function stage2(s: State, out: Sink): void {
    leave(s, out)
    s.nextel += 1
    s.status = 'Elec2'
    s.head = out.me
    s.mark = s.incarn * ELECTIONS + s.nextel
    s.ackedTerm = s.term
    const halt: Message = { type: 'halt', mark: s.mark, ...stampOf(s) }
    for (const peer of register.juniors(s, out.me)) {
      out.send(peer, halt)
      out.request(peer)
    }
    out.set('restart', restartMs)
    complete(s, out)
  }

  function complete(s: State, out: Sink): void {
    if (s.acks.size + s.downJuniors.size < register.juniors(s, out.me).length) return
    if (register.superiors(s, out.me).length === 0) win(s, out)
    else stage3(s, out)
  }

  /** Every junior is halted or down. Has a superior recovered since Stage 1? */
  function stage3(s: State, out: Sink): void {
    out.clear('restart')
    s.status = 'Elec3'
    for (const peer of register.superiors(s, out.me)) out.request(peer)
    out.set('tau', askMs)
  }

  function win(s: State, out: Sink): void {
    s.term = s.ackedTerm + 1
    const ldr: Message = { type: 'ldr', mark: s.mark, term: s.term }
    for (const peer of s.acks) out.send(peer, ldr)
    const { mark } = s
    leave(s, out)
    s.head = out.me
    s.mark = mark
    s.leader = out.me
    s.status = 'Norm'
    if (s.configTerm === 0) out.set('tau', periodMs)
    else beat(s, out) // observers are in no election
  }

  /** The leader looks for members that do not follow it, and tells those that it does not ask which configuration it has. */
  function beat(s: State, out: Sink): void {
    const term = s.configTerm === 0 ? 0 : s.term
    const norm: Message = { type: 'norm?', mark: s.mark, term, ...stampOf(s) }
    for (const peer of register.juniors(s, out.me)) out.send(peer, norm)
    for (const peer of register.observers(s)) out.send(peer, norm)
    if (s.configTerm !== 0) {
      tellWhich(s, register.superiors(s, out.me), out)
      tellWhich(s, configurations.others(s), out)
    }
    out.set('tau', periodMs)
  }

  function tellWhich(s: State, peers: Iterable<NodeId>, out: Sink): void {
    for (const peer of peers) if (peer !== out.me) out.send(peer, { type: 'have', ...stampOf(s) })
  }

  function follow(s: State, candidate: NodeId, mark: number, out: Sink): void {
    leave(s, out)
    s.status = 'Wait'
    s.head = candidate
    s.mark = mark
    out.watch(candidate)
    out.send(candidate, { type: 'ack', mark, term: s.term })
  }

  function leave(s: State, out: Sink): void {
    if (s.head !== NONE && s.head !== out.me) out.unwatch(s.head)
    out.clear('tau')
    out.clear('restart')
    s.leader = NONE
    s.head = NONE
    s.mark = 0
    s.down.clear()
    s.downJuniors.clear()
    s.acks.clear()
    s.deferredFrom = NONE
    s.deferredMark = 0
    s.ackedTerm = 0
  }

  function onHalt(s: State, from: NodeId, halt: MessageOf<'halt'>, out: Sink): void {
    const { mark } = halt
    if (isNewer(s, halt)) return tell(s, from, out)
    if (isNewer(halt, s)) tellWhich(s, [from], out)
    const follows = s.status === 'Norm' || s.status === 'Wait'
    const followsStronger = follows && group.outranks(s.head, from)
    if (!followsStronger) return follow(s, from, mark, out)
    s.deferredFrom = from
    s.deferredMark = mark
    out.request(s.head)
  }

  function message(s: State, from: NodeId, m: Message, out: Sink): void {
    const sameMark = 'mark' in m && m.mark === s.mark
    switch (m.type) {
      case 'halt':
        return onHalt(s, from, m, out)
      case 'ack':
        if (s.status !== 'Elec2' || !sameMark) return
        s.ackedTerm = Math.max(s.ackedTerm, m.term)
        s.acks.add(from)
        s.downJuniors.delete(from)
        return complete(s, out)
      case 'ldr':
        if (s.status !== 'Wait' || s.head !== from || !sameMark) return
        s.leader = from
        s.term = m.term
        s.status = 'Norm'
        s.deferredFrom = NONE
        s.deferredMark = 0
        return
      case 'norm?':
        return onNormQuery(s, from, m, out)
      case 'notNorm':
        if (s.leader === out.me && sameMark) stage1(s, out)
        return
      case 'have':
        return onHave(s, from, m, out)
      case 'config':
        return onConfig(s, m, out)
    }
  }

  function onNormQuery(s: State, from: NodeId, m: MessageOf<'norm?'>, out: Sink): void {
    if (!isSame(m, s)) return onHave(s, from, m, out)
    const normal = s.status === 'Norm' && s.leader === from && m.mark === s.mark
    if (register.isVoter(s, out.me)) {
      if (!normal) out.send(from, { type: 'notNorm', mark: m.mark })
      return
    }
    if (!normal) observe(s, from, m.mark, out)
    s.term = Math.max(s.term, m.term)
    if (s.configTerm !== 0) tellWhich(s, [from], out)
  }

  /** An observer is in no election: it follows the leader that asks. */
  function observe(s: State, leader: NodeId, mark: number, out: Sink): void {
    leave(s, out)
    s.status = 'Norm'
    s.leader = leader
    s.head = leader
    s.mark = mark
    out.watch(leader)
  }

  // Configurations.

  function tell(s: State, peer: NodeId, out: Sink): void {
    const content = { voters: s.voters.copy(), observers: s.observers.copy(), data: s.data }
    out.send(peer, { type: 'config', ...stampOf(s), ...content })
  }

  function onHave(s: State, from: NodeId, m: MessageOf<'have' | 'norm?'>, out: Sink): void {
    if (isNewer(s, m)) tell(s, from, out)
    else if (isNewer(m, s)) tellWhich(s, [from], out)
    else if (s.leader === out.me) s.confirmed.add(from)
  }

  function onConfig(s: State, m: MessageOf<'config'>, out: Sink): void {
    if (!isNewer(m, s)) return
    const isOtherData = m.data !== s.data
    register.adopt(s, m)
    if (!goesOn(s, out.me)) stage1(s, out)
    else if (isOtherData && s.leader !== out.me) out.set('tau', periodMs) // strengths may be others from the next step on
  }

  /** A leader goes on while it is a voter, and who follows or waits while its head is a voter that it may follow. */
  function goesOn(s: State, me: NodeId): boolean {
    if (s.leader === me) return register.isVoter(s, me)
    if (s.status !== 'Norm' && s.status !== 'Wait') return false
    if (!register.isMember(s, me) || !register.isVoter(s, s.head)) return false
    return !register.isVoter(s, me) || group.outranks(s.head, me)
  }

  function change(s: State, wanted: Change, out: Sink): void {
    if (s.leader !== out.me || configurations.refusal(s, wanted) !== '') return
    configurations.write(s, out.me, wanted)
    for (const peer of group.everyone) if (peer !== out.me) tell(s, peer, out)
    if (!register.isVoter(s, out.me)) stage1(s, out)
  }

  function down(s: State, peer: NodeId, out: Sink): void {
    if (!register.isVoter(s, peer) && peer !== s.head) return // of a configuration that is over
    if (!register.isVoter(s, out.me)) {
      if (peer === s.head) stage1(s, out)
    } else if (!group.outranks(peer, out.me)) {
      if (s.status !== 'Elec2' || s.acks.has(peer)) return
      s.downJuniors.add(peer)
      complete(s, out)
    } else if (s.status === 'Norm' || s.status === 'Wait') {
      if (peer !== s.head) return
      if (s.deferredFrom === NONE) stage1(s, out)
      else follow(s, s.deferredFrom, s.deferredMark, out)
    } else if (s.status !== 'Elec2') {
      s.down.add(peer)
      if (s.down.size < register.superiors(s, out.me).length) return
      if (s.status === 'Elec1') stage2(s, out)
      else win(s, out)
    }
  }

  function up(s: State, peer: NodeId, out: Sink): void {
    if (!group.outranks(peer, out.me) || !register.isVoter(s, peer)) return
    if (s.status === 'Elec1') s.down.delete(peer)
    else if (s.status === 'Elec3') stage1(s, out) // yield
  }

  /** τ: asks again, or as the leader looks for members that do not follow it. τ2: repeats Stage 2. */
  function timeout(s: State, timer: keyof typeof timers, out: Sink): void {
    if (timer === 'restart') return stage2(s, out)
    if (s.leader === out.me) return beat(s, out)
    if (s.status === 'Norm' || s.status === 'Wait') {
      return goesOn(s, out.me) ? undefined : stage1(s, out)
    }
    if (register.isVoter(s, out.me)) {
      for (const peer of register.superiors(s, out.me)) {
        if (s.status === 'Elec1' || !s.down.has(peer)) out.request(peer)
      }
    }
    if (s.configTerm !== 0) tellWhich(s, register.voters(s), out)
    out.set('tau', askMs)
  }

  function settled(s: State, leader: NodeId, out: Sink): void {
    s.incarn = 1
    s.nextel = leader === out.me ? 1 : 0
    if (!register.isMember(s, out.me)) s.status = 'Out'
    if (s.status === 'Out') return
    s.leader = leader
    s.term = 1
    s.head = leader
    s.mark = ELECTIONS + 1
    if (leader === out.me) out.set('tau', periodMs)
    else out.watch(leader)
  }

  return {
    start,
    message,
    timeout,
    up,
    down,
    settled,
    change,
    changeRefusal: (s, wanted, me) =>
      s.leader === me ? configurations.refusal(s, wanted) : 'not the leader',
    configuration: (s) => configurations.configuration(s),
  }
}

export const bullyFd = algorithm({
  name: 'bully-fd',
  title: 'Bully_FD with three stages, corrected',
  state,
  messages,
  purposes: { 'norm?': 'heartbeat', notNorm: 'repair', have: 'repair', config: 'repair' },
  timers,
  promises: { agreement: 'always', leader: 'highest', termsRise: true },
  assumes: { crashes: true, recoveries: true, loss: true, synchrony: true },
  handlers,
})
