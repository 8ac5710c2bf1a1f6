/** chang-roberts, sentence by sentence of 004, its corrections and its message counts. */
import { describe, expect, test } from 'vitest'
import { beliefs, drain, play, sentLast, stepperFor } from '../../test/support/scenario.ts'
import { configure, finish, World, type Fault, type Stepper } from '../sim/index.ts'
import { changRobertsAsPrinted } from './specimens/chang-roberts-as-printed.ts'
import { changRoberts } from './chang-roberts.ts'

/** A ring of three, in the order 1, 2, 3, in which all have started. */
function ring(): Stepper {
  return play(stepperFor(changRoberts, 3), 'start 1; start 2; start 3')
}

function elected(
  members: number,
  order: readonly number[] | null,
  initiators: readonly number[] | null,
  faults: readonly Fault[] = [],
): World {
  const world = new World(
    configure({ algorithm: changRoberts, members, ring: order, initiators, faults }),
  )
  finish(world)
  expect(world.monitors.violations).toEqual([])
  return world
}

const messagesOf = (world: World): number => world.messageCounts.sumOf('election')

describe('004, Chang and Robert algorithm', () => {
  test('"It creates an election message containing its UID. It then sends this message to its neighbor."', () => {
    const world = play(stepperFor(changRoberts, 3), 'start 2')
    expect(sentLast(world)).toEqual(['2→3 election'])
    expect(world.linkOf(2, 3)).toEqual([{ type: 'election', uid: 2, round: 1 }])
  })

  test('"If the arrived UID is larger", "the process forwards the election message in a clockwise direction."', () => {
    const world = play(ring(), 'deliver 3→1 election')
    expect(world.linkOf(1, 2)).toEqual([
      { type: 'election', uid: 1, round: 1 },
      { type: 'election', uid: 3, round: 1 },
    ])
  })

  test('"If the UID is smaller, and the process is already a participant", "the process discards the election message."', () => {
    const world = play(ring(), 'deliver 1→2 election')
    expect(sentLast(world)).toEqual([])
  })

  test('"That process starts acting as the leader" and "sends an elected message to its neighbor"', () => {
    const world = play(
      ring(),
      `deliver 3→1 election
       deliver 1→2 election
       deliver 1→2 election
       deliver 2→3 election
       deliver 2→3 election`,
    )
    expect(beliefs(world)).toBe('1:Elec 2:Elec 3:Norm(3)')
    expect(sentLast(world)).toEqual(['3→1 elected'])
  })

  test('"When the elected message reaches the elected leader: The leader discards that message. The election is over."', () => {
    const world = elected(5, null, [2])
    expect(messagesOf(world)).toBe(13)
    expect([1, 2, 3, 4, 5].map((id) => world.states[id].leader)).toEqual([5, 5, 5, 5, 5])
    expect(world.states[5]['confirmed']).toBe(true)
  })

  test('"When multiple processes start an election at roughly the same time, only a single winner will be announced"', () => {
    for (let subset = 1; subset < 32; subset++) {
      const initiators = [1, 2, 3, 4, 5].filter((id) => subset & (1 << (id - 1)))
      const world = elected(5, [3, 1, 4, 5, 2], initiators)
      expect(world.messageCounts.byType['elected']).toBe(5)
    }
  })
})

describe('the messages of Chang and Roberts', () => {
  test('one initiator d hops before the strongest costs 2n + d, for all n up to 64', () => {
    for (let n = 1; n <= 64; n++) {
      const step = n <= 12 ? 1 : Math.ceil(n / 4)
      for (let d = 0; d < n; d += step) {
        const world = elected(n, null, [n - d])
        expect(messagesOf(world), `n=${n} d=${d}`).toBe(n === 1 ? 0 : 2 * n + d)
      }
    }
  })

  test('"the algorithm requires 3n-1 sequentially messages, in the worst case", right behind the strongest', () => {
    for (let n = 2; n <= 64; n++) expect(messagesOf(elected(n, null, [1]))).toBe(3 * n - 1)
  })

  test('C-c: when all start, rising numbers cost 3n − 1 and falling ones n(n+1)/2 + n', () => {
    for (let n = 2; n <= 64; n++) {
      const rising = Array.from({ length: n }, (_, i) => i + 1)
      expect(messagesOf(elected(n, rising, null))).toBe(3 * n - 1)
      expect(messagesOf(elected(n, rising.toReversed(), null))).toBe((n * (n + 1)) / 2 + n)
    }
  })

  test('when all start, the mean over all rings of n is exactly n·H_n + n', () => {
    for (let n = 2; n <= 6; n++) {
      let sum = 0
      let rings = 0
      for (const rest of permutations(Array.from({ length: n - 1 }, (_, i) => i + 1))) {
        sum += messagesOf(elected(n, [n, ...rest], null))
        rings += 1
      }
      let harmonic = 0
      for (let k = 1; k <= n; k++) harmonic += 1 / k
      expect(sum / rings).toBeCloseTo(n * harmonic + n, 9)
    }
  })
})

describe('Chang and Roberts with faults', () => {
  test('a member that is down is skipped, after one attempt at it', () => {
    const world = new World(
      configure({ algorithm: changRoberts, members: 6, down: [3, 4], initiators: [1] }),
    )
    finish(world)
    expect(world.monitors.agreed).toBe(6)
    expect(world.messageCounts.byType['election (attempt)']).toBe(2)
  })

  test('C-b: the owner of the largest number crashes; its number stops at a member that sent it on before', () => {
    const world = play(
      ring(),
      `deliver 3→1 election
       deliver 1→2 election
       deliver 1→2 election
       crash 3
       down 2 3            # what 2 sent last goes on to 1
       deliver 2→1 election`,
    )
    expect(sentLast(world)).toEqual([])
    play(world, 'timeout 1 round; deliver 1→2 election; down 2 3; deliver 2→1 election')
    play(world, 'deliver 1→2 election; deliver 2→1 elected')
    expect(beliefs(world)).toBe('1:Norm(2) 2:Norm(2) 3:down')
    expect([1, 2].map((id) => world.stateOf(id).term)).toEqual([2, 2])
  })

  test('one that came back too late for a round is found when the result is known', () => {
    // Without that, 1 and 3 close a ring in round 2, 1 and 2 another in round 3, and both are confirmed.
    const world = play(
      ring(),
      `deliver 3→1 election; deliver 1→2 election; deliver 1→2 election
       crash 3; down 2 3; deliver 2→1 election
       timeout 1 round; deliver 1→2 election
       crash 2; down 1 2; recover 2; start 2; down 2 3
       recover 3; start 3; deliver 3→1 election; deliver 1→3 election; deliver 3→1 elected
       deliver 2→1 election; deliver 1→2 election`,
    )
    expect(beliefs(world)).toBe('1:Elec 2:Norm(2) 3:Norm(3)')
    drain(play(world, 'up 2 3'))
    expect(beliefs(world)).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
  })

  test('the round is stable: a restarted member does not come back with an old one', () => {
    const world = play(ring(), 'crash 3; recover 3; start 3')
    expect(world.linkOf(3, 1).at(-1)).toEqual({ type: 'election', uid: 3, round: 2 })
  })

  test('a ring at rest has no detector traffic, and each member watches only the next', () => {
    const world = elected(5, [2, 4, 1, 3, 5], null)
    expect(world.messageCounts.sumOf('detector')).toBe(0)
    for (const [me, next] of [
      [2, 4],
      [4, 1],
      [1, 3],
      [3, 5],
      [5, 2],
    ] as const) {
      for (const peer of [1, 2, 3, 4, 5]) {
        expect(world.effects.watches.has(me, peer)).toBe(peer === next)
      }
    }
  })

  test('the last survivor leads', () => {
    const crash = (node: number, at: number): Fault => ({ kind: 'crash', node, at })
    const faults = [crash(4, 100_000), crash(3, 101_000), crash(1, 102_000)]
    expect(elected(4, null, null, faults).monitors.agreed).toBe(2)
  })
})

/** 004: "The election was started by process 17. The highest UID found so far is 24." */
describe('the example of 004', () => {
  // The text names 17 and 24; the other numbers are chosen here. Members are their ranks.
  const uids = [3, 17, 4, 24, 9, 1, 15, 28]
  const rankOf = (uid: number): number => uids.filter((other) => other <= uid).length
  const order = uids.map(rankOf)

  /** The printed algorithm on that ring, asked to start at 17 and left to itself for some hops. */
  function after(hops: number): World {
    const world = new World(
      configure({
        algorithm: changRobertsAsPrinted,
        members: 8,
        ring: order,
        initiators: [rankOf(17)],
        network: { latency: { kind: 'constant', us: 1000 } },
      }),
    )
    world.runUntil(1000 * hops + 500)
    return world
  }

  test('after four hops the message carries 24, and its senders are participants', () => {
    const world = after(4)
    const participants = uids.filter((uid) => world.states[rankOf(uid)].status === 'participant')
    expect(participants).toEqual([17, 4, 24, 9, 1])
  })

  test('in the end all have recorded 28, after 2n + d messages, d = 6', () => {
    const world = after(100)
    expect(uids.map((uid) => world.states[rankOf(uid)].leader)).toEqual(uids.map(() => rankOf(28)))
    expect(messagesOf(world)).toBe(2 * 8 + 6)
  })
})

function* permutations(of: readonly number[]): Generator<number[]> {
  if (of.length === 0) yield []
  for (const first of of) {
    for (const rest of permutations(of.filter((other) => other !== first))) yield [first, ...rest]
  }
}
