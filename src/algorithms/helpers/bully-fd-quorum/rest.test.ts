/** Rest: beats that stand for a round leave what a round leaves. */
import { expect, test } from 'vitest'
import { handlersOf, type AnyMessage, type AnyState, type Out } from '../../../core/algorithm.ts'
import { Group } from '../../../core/group.ts'
import { NodeSet } from '../../../core/node-set.ts'
import { bullyFdQuorum } from '../../bully-fd-quorum.ts'

const timing = {
  messageMs: 150,
  processingMs: 1,
  detectionMs: 1500,
  watchMs: 1500,
  periodMs: 500,
}
const group = new Group(3, timing)
const handlers = handlersOf(bullyFdQuorum, group)

/** A member, its timers by name with the time for which each was last set, and what it sends. */
class Member {
  readonly state = bullyFdQuorum.state.init() as AnyState
  readonly timers = new Map<string, { at: number; ms: number }>()
  readonly sent: { readonly to: number; readonly message: AnyMessage }[] = []
  now = 0
  readonly me: number
  readonly out: Out<AnyMessage>

  constructor(me: number) {
    this.me = me
    this.out = {
      me,
      incarnation: me,
      send: (to, message) => void this.sent.push({ to, message }),
      set: (name, ms) => void this.timers.set(name, { at: this.now, ms }),
      clear: (name) => void this.timers.delete(name),
      request: () => undefined,
      watch: () => undefined,
      unwatch: () => undefined,
      draw: () => undefined,
    }
    handlers.settled(this.state, 3, this.out)
  }

  timeout(name: string): void {
    this.timers.delete(name)
    handlers.timeout(this.state, name, this.out)
  }

  /** The state without ids, which only count. */
  get shown(): Record<string, unknown> {
    const { round: _, rounds: __, mark, ...rest } = this.state
    return { ...rest, mark: mark === 0 ? 'none' : 'an answer', timers: this.timers }
  }
}

/** Delivers what has been sent until nothing is under way. */
function deliver(members: readonly Member[]): void {
  for (let more = true; more;) {
    more = false
    for (const from of members) {
      for (const { to, message } of from.sent.splice(0)) {
        more = true
        const receiver = members[to - 1]
        handlers.message(receiver.state, from.me, message, receiver.out)
      }
    }
  }
}

function settledGroup(): Member[] {
  const members = [1, 2, 3].map((me) => new Member(me))
  for (let round = 0; round < 3; round++) {
    members[2].timeout('tau')
    deliver(members)
  }
  return members
}

function at(members: readonly Member[], now: number): void {
  for (const member of members) member.now = now
}

test('beats leave the states and timers that a round of heartbeats leaves, but for ids', () => {
  const [taken, shared] = [settledGroup(), settledGroup()]
  for (const now of [500, 1000, 1500]) {
    at(taken, now)
    taken[2].timeout('tau')
    deliver(taken)
  }
  // The beats before the last one leave no trace. A timer alternates with each round: three rounds are like one.
  at(shared, 1500)
  for (const member of shared) handlers.beaten(member.state, member.out)
  expect(shared.flatMap(({ sent }) => sent)).toEqual([])
  const successorless = { successor: 0, successorMark: 0, successorIncarnation: 0 }
  for (const [i, { shown }] of shared.entries()) {
    // The leader knows no mark of an answer: a handover asks for votes.
    expect(shown).toEqual({ ...taken[i].shown, ...successorless })
  }
})

test('a leader and its followers may rest together, and nobody else', () => {
  const [weak, middle, leader] = settledGroup()
  const rests = (member: Member, ...peers: number[]): boolean =>
    handlers.rests(member.state, NodeSet.of(...peers), member.me)
  expect(rests(leader, 1, 2)).toBe(true)
  expect(rests(leader, 2)).toBe(true)
  expect(rests(leader)).toBe(false) // no majority
  expect(rests(weak, 3)).toBe(true)
  expect(rests(weak, 2)).toBe(false) // not its leader
  leader.timeout('tau')
  expect(rests(leader, 1, 2)).toBe(false) // a round is out
  deliver([weak, middle, leader])
  expect(rests(leader, 1, 2)).toBe(true)
  middle.timeout('bond')
  expect(rests(middle, 3)).toBe(false) // its bond is over
})

test('a leader that was at rest hands over: the successor asks for votes, since no lease is inherited', () => {
  const members = settledGroup()
  const [, successor, leader] = members
  at(members, 1500)
  for (const member of members) handlers.beaten(member.state, member.out)
  handlers.resign(leader.state, 2, leader.out)
  deliver(members)
  expect(successor.state).toMatchObject({ status: 'Norm', leader: 2 })
  expect(successor.timers.get('lease1') ?? successor.timers.get('lease0')).toBeDefined()
})
