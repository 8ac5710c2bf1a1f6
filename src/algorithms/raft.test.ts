/** raft, sentence by sentence of the paper, and split votes against random time-outs. */
import { describe, expect, test } from 'vitest'
import { beliefs, play, sentLast, stepperFor } from '../../test/support/scenario.ts'
import { configure, finish, World, type Fault, type Stepper } from '../sim/index.ts'
import { raft } from './raft.ts'

function started(options: Record<string, string> = {}): Stepper {
  return play(stepperFor(raft, 3, { options }), 'start 1; start 2; start 3')
}

/** Member 3 is elected in term 1. */
const ELECTED = `timeout 3 election
 deliver 3→1 requestVote
 deliver 1→3 vote`

describe('the paper, §5.2', () => {
  test('"To begin an election, a follower increments its current term and transitions to candidate state."', () => {
    const stepper = play(started(), 'timeout 3 election')
    expect(stepper.stateOf(3)).toMatchObject({ status: 'Candidate', term: 1, voted: 3, leader: 0 })
    expect(sentLast(stepper)).toEqual(['3→1 requestVote', '3→2 requestVote'])
  })

  test('"A candidate wins an election if it receives votes from a majority"', () => {
    const stepper = play(started(), ELECTED)
    expect(beliefs(stepper)).toBe('1:Follower 2:Follower 3:Leader(3)')
    expect(sentLast(stepper)).toEqual(['3→1 heartbeat', '3→2 heartbeat'])
  })

  test('"Each server will vote for at most one candidate in a given term"', () => {
    const stepper = play(
      started(),
      `timeout 3 election
       timeout 2 election
       deliver 3→1 requestVote
       deliver 2→1 requestVote
       deliver 1→2 vote`,
    )
    expect(stepper.stateOf(1)).toMatchObject({ voted: 3, term: 1 })
    expect(beliefs(stepper)).toBe('1:Follower 2:Candidate 3:Candidate')
  })

  test('a vote survives a crash: no second vote in the term', () => {
    const stepper = play(
      started(),
      `timeout 3 election
       deliver 3→1 requestVote
       crash 1
       recover 1
       start 1
       timeout 2 election
       deliver 2→1 requestVote
       deliver 1→2 vote`,
    )
    expect(beliefs(stepper)).toBe('1:Follower 2:Candidate 3:Candidate')
  })

  test('"If the leader’s term is at least as large as the candidate’s current term, then the candidate returns to follower state."', () => {
    const stepper = play(
      started(),
      `timeout 2 election
       ${ELECTED}
       deliver 3→2 requestVote
       deliver 3→2 heartbeat`,
    )
    expect(beliefs(stepper)).toBe('1:Follower 2:Follower(3) 3:Leader(3)')
  })

  test('"If a candidate or leader discovers that its term is out of date, it immediately reverts to follower state."', () => {
    const stepper = play(
      started(),
      `${ELECTED}
       timeout 2 election
       deliver 3→2 requestVote
       timeout 2 election
       deliver 2→3 requestVote
       deliver 2→3 requestVote`,
    )
    expect(stepper.stateOf(3)).toMatchObject({ status: 'Follower', leader: 0, term: 2 })
  })
})

describe('split votes', () => {
  /** Member 3 is down; the other two vote for themselves. */
  const SPLIT = `crash 3
    timeout 1 election
    timeout 2 election
    deliver 1→2 requestVote
    deliver 2→1 requestVote
    deliver 1→2 vote
    deliver 2→1 vote`

  test('"If many followers become candidates at the same time, votes could be split so that no candidate obtains a majority."', () => {
    expect(beliefs(play(started(), SPLIT))).toBe('1:Candidate 2:Candidate 3:down')
  })

  test('"Each candidate will time out and start a new election by incrementing its term"', () => {
    const stepper = play(
      started(),
      `${SPLIT}
       timeout 2 election
       deliver 2→1 requestVote
       deliver 1→2 vote`,
    )
    expect(beliefs(stepper)).toBe('1:Follower 2:Leader(2) 3:down')
    expect(stepper.stateOf(1)).toMatchObject({ term: 2, voted: 2 })
  })

  test('"Each candidate restarts its randomized election timeout at the start of an election"', () => {
    const world = new World(configure({ algorithm: raft, members: 3, down: [1, 2] }))
    const starts: number[] = []
    for (let term = 0; starts.length < 40 && world.step();) {
      if (world.states[3].term === term) continue
      term = world.states[3].term
      starts.push(world.now)
    }
    // From one round of 5 round trips of 5 ms each way to two of them, and never the same twice.
    const waits = starts.slice(1).map((at, i) => at - starts[i])
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(50_000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(100_000)
    expect(new Set(waits).size).toBeGreaterThan(30)
  })
})

test('a vote for an earlier term does not count', () => {
  const stepper = play(
    started(),
    `timeout 3 election
     deliver 3→1 requestVote
     timeout 3 election
     deliver 1→3 vote`,
  )
  expect(beliefs(stepper)).toBe('1:Follower 2:Follower 3:Candidate')
})

test('a leader whose term is over learns so from the answer to its heartbeat', () => {
  const stepper = play(
    started(),
    `${ELECTED}
     timeout 2 election
     timeout 2 election
     deliver 3→2 requestVote
     deliver 3→2 heartbeat`,
  )
  expect(sentLast(stepper)).toEqual(['2→3 newTerm'])
  play(stepper, 'lose 2→3 requestVote; lose 2→3 requestVote; lose 2→3 vote; deliver 2→3 newTerm')
  expect(stepper.stateOf(3)).toMatchObject({ status: 'Follower', term: 2, leader: 0 })
})

describe('pre-vote', () => {
  test('a grant counts for the term that was asked about, and for no later one', () => {
    const stepper = play(
      started({ preVote: 'yes' }),
      `timeout 3 election
       deliver 3→1 preVote
       timeout 2 election
       deliver 2→1 preVote
       deliver 1→2 vote
       deliver 2→3 preVote
       deliver 2→3 requestVote
       timeout 3 election
       deliver 1→3 vote`,
    )
    expect(stepper.stateOf(3)).toMatchObject({ status: 'PreCandidate', term: 1 })
  })

  test('a member that cannot reach a majority never raises its term', () => {
    const faults: Fault[] = [
      { kind: 'cut', from: [1], to: [2, 3], at: 0 },
      { kind: 'cut', from: [2, 3], to: [1], at: 0 },
    ]
    const terms = ['no', 'yes'].map((preVote) => {
      const world = new World(
        configure({ algorithm: raft, members: 3, options: { preVote }, faults }),
      )
      world.runUntil(20_000_000)
      return world.states[1].term
    })
    expect(terms[0]).toBeGreaterThan(20)
    expect(terms[1]).toBe(0)
  })

  test('a member that follows a leader refuses; it accepts from that leader itself, which then leads no longer', () => {
    const script = `timeout 3 election
      deliver 3→1 preVote
      deliver 1→3 vote
      deliver 3→1 requestVote
      deliver 1→3 vote
      deliver 3→1 heartbeat`
    const refused = play(
      started({ preVote: 'yes' }),
      `${script}; timeout 2 election; deliver 2→1 preVote`,
    )
    expect(refused.linkOf(1, 2)).toEqual([{ type: 'vote', term: 1, granted: false, pre: true }])
    const accepted = play(
      started({ preVote: 'yes' }),
      `${script}
       crash 3
       recover 3
       start 3
       timeout 3 election
       deliver 3→1 preVote`,
    )
    expect(accepted.linkOf(1, 3)).toEqual([{ type: 'vote', term: 2, granted: true, pre: true }])
  })
})

test('random time-outs make split votes rare: five members elect a leader in the first term in most runs', () => {
  let first = 0
  for (let seed = 1; seed <= 300; seed++) {
    const world = new World(configure({ algorithm: raft, members: 5, seed }))
    finish(world)
    expect(world.monitors.violations).toEqual([])
    if (world.states[1].term === 1) first += 1
  }
  expect(first).toBeGreaterThan(200)
  expect(first).toBeLessThan(300)
})

test('an election that one candidate holds costs n−1 requests, a−1 votes and a heartbeat to each, for all n ≤ 64 and minorities that are down', () => {
  for (let members = 3; members <= 64; members++) {
    for (const dead of new Set([1, Math.floor((members - 1) / 2)])) {
      const down = Array.from({ length: dead }, (_, i) => members - i)
      const world = new World(configure({ algorithm: raft, members, down, initiators: [1] }))
      while (Number.isNaN(world.monitors.agreedSince) && world.step());
      const { byType } = world.messageCounts
      expect({
        members,
        dead,
        sent: [byType['requestVote'], byType['vote'], byType['heartbeat']],
      }).toEqual({
        members,
        dead,
        sent: [members - 1, members - dead - 1, members - 1],
      })
    }
  }
})
