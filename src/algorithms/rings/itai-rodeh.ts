/**
 * The election of Itai and Rodeh on an anonymous ring whose size is known: members draw numbers, and those that drew the
 * largest one draw again until one of them is alone.
 *
 * Source: A. Itai and M. Rodeh, "Symmetry breaking in distributed networks", 1990 (1981).
 * Assumes: a one-way ring, messages in order, no faults; every member knows n. No member uses its name, but to announce
 *   the result.
 * Promises: all members elect one of them, with probability one, after n·Hₙ to 1.7 times as many messages on average, and n
 *   for the result.
 * Departures: a member that has not started does so when a token arrives. A member that has not drawn yet when a token
 *   of its phase arrives becomes passive: the sender of that token is active. The result travels round the ring once.
 */
import { algorithm, numberOption, type Out, type ValuesOf } from '../../core/algorithm.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import {
  counter,
  flag,
  int,
  node,
  observer,
  oneOf,
  record,
  stable,
  union,
  type Infer,
} from '../../core/schema.ts'

const MOST_FACES = 2 ** 31
const MOST_MEMBERS = 2 ** 31

const state = record({
  status: oneOf('Idle', 'Drawing', 'Active', 'Passive', 'Norm'),
  leader: node,
  term: observer(int(0, 0)), // there is one election only
  phase: stable(counter()),
  number: int(0, MOST_FACES), // what this member drew in its phase
})
const messages = union({
  /** `hops`: how many members it has visited, this one included. `alone`: none of them drew the same number. */
  token: { phase: counter(), number: int(0, MOST_FACES), hops: int(1, MOST_MEMBERS), alone: flag },
  elected: { uid: node },
})
const options = { faces: numberOption(0, 0, MOST_FACES) } // 0: as many as there are members, but at least 2

type State = Infer<typeof state>
type Message = Infer<typeof messages>
type Token = Extract<Message, { type: 'token' }>
type Sink = Out<Message, never, 'number'>

function handlers(group: Group, { faces }: ValuesOf<typeof options>) {
  const numbers = faces === 0 ? Math.max(2, group.members) : faces
  const pass = (m: Message, out: Sink): void => out.send(group.successor(out.me), m)

  function start(s: State, out: Sink): void {
    if (s.status === 'Idle') beginPhase(s, s.phase + 1, out)
  }

  function beginPhase(s: State, phase: number, out: Sink): void {
    s.status = 'Drawing'
    s.phase = phase
    s.number = 0
    out.draw('number', numbers)
  }

  function drawn(s: State, _name: 'number', k: number, out: Sink): void {
    if (s.status !== 'Drawing') return
    s.status = 'Active'
    s.number = k
    pass({ type: 'token', phase: s.phase, number: k, hops: 1, alone: true }, out)
  }

  /** Tokens are compared by phase, then by number. The smaller ones end here. */
  function onToken(s: State, m: Token, out: Sink): void {
    const isActive = s.status === 'Active'
    if (m.hops === group.members) {
      if (isActive && m.alone) lead(s, out)
      else if (isActive) beginPhase(s, s.phase + 1, out)
      return
    }
    const isEqual = isActive && m.phase === s.phase && m.number === s.number
    if (isActive || s.status === 'Drawing') {
      if (m.phase < s.phase || (isActive && m.phase === s.phase && m.number < s.number)) return
      if (!isEqual) becomePassive(s)
    }
    // Nothing depends on the phase of a passive member; it keeps up, so that phases stay near each other.
    if (m.phase > s.phase) s.phase = m.phase
    pass({ ...m, hops: m.hops + 1, alone: m.alone && !isEqual }, out)
  }

  function becomePassive(s: State): void {
    s.status = 'Passive'
    s.number = 0
  }

  function lead(s: State, out: Sink): void {
    becomePassive(s)
    s.status = 'Norm'
    s.leader = out.me
    pass({ type: 'elected', uid: out.me }, out)
  }

  function message(s: State, _from: NodeId, m: Message, out: Sink): void {
    start(s, out)
    if (m.type === 'token') return onToken(s, m, out)
    if (s.leader !== NONE) return
    becomePassive(s)
    s.status = 'Norm'
    s.leader = m.uid
    pass(m, out)
  }

  /** An idle ring without a leader. */
  function settled(s: State): void {
    s.leader = NONE
  }

  return { start, message, drawn, settled }
}

export const itaiRodeh = algorithm({
  name: 'itai-rodeh',
  title: 'Itai and Rodeh on an anonymous one-way ring: equal members draw lots',
  topology: 'ring',
  state,
  messages,
  timers: {},
  draws: ['number'],
  options,
  untimed: { faces: 2 },
  promises: { agreement: 'always', leader: 'any', termsRise: true },
  assumes: { crashes: false, recoveries: false, loss: false, synchrony: false },
  handlers,
})
