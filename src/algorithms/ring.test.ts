/** ring, sentence by sentence of 004, its corrections and its message counts. */
import { describe, expect, test } from 'vitest'
import { beliefs, drain, play, sentLast, stepperFor } from '../../test/support/scenario.ts'
import { Random } from '../core/random.ts'
import { configure, finish, World, type SimOptions } from '../sim/index.ts'
import { ring } from './ring.ts'

function run(options: Omit<SimOptions, 'algorithm'>): World {
  const world = new World(configure({ algorithm: ring, ...options }))
  finish(world)
  expect(world.monitors.violations).toEqual([])
  return world
}

describe('004, Ring algorithm', () => {
  test('"Builds an ELECTION message (containing its own process number)" and "sends the message to its successor"', () => {
    const world = play(stepperFor(ring, 3), 'start 2')
    expect(sentLast(world)).toEqual(['2→3 election'])
    expect(world.recording.show(world.linkOf(2, 3)[0], 'election')).toContain('list={2}')
  })

  test('"if successor is down, sender skips over it and goes to the next member along the ring, or the one after that"', () => {
    const world = play(stepperFor(ring, 4, { down: [2, 3] }), 'start 1; start 4')
    expect(world.linkOf(1, 4)).toHaveLength(0)
    play(world, 'down 1 2; down 1 3')
    expect(sentLast(world)).toEqual(['1→4 election'])
  })

  test('"At each step, sender adds its own process number to the list in the message."', () => {
    const world = play(stepperFor(ring, 3), 'start 1; start 2; start 3; deliver 1→2 election')
    const [, forwarded] = world.linkOf(2, 3)
    expect(world.recording.show(forwarded, 'election')).toContain('list={1,2}')
  })

  test('"Circulates message once again to inform everyone else: who the new coordinator is (list member with highest number)"', () => {
    const world = run({ members: 5, initiators: [2] })
    expect([1, 2, 3, 4, 5].map((id) => world.states[id].leader)).toEqual([5, 5, 5, 5, 5])
    expect(world.messageCounts.byType).toMatchObject({ election: 5, coordinator: 5 })
  })
})

describe('the messages of the Ring', () => {
  /** A ring of n with some dead, and a live initiator. */
  function someDead(n: number): { down: number[]; initiator: number } {
    const random = new Random(n)
    const alive = Array.from({ length: n }, (_, i) => i + 1)
    const down: number[] = []
    for (let left = random.below(n - 1); left > 0; left--) {
      down.push(...alive.splice(random.below(alive.length), 1))
    }
    return { down, initiator: alive[random.below(alive.length)] }
  }

  test('"2n messages in the worst case": exactly 2n, attempts at successors that are down included, for all n up to 64', () => {
    for (let members = 2; members <= 64; members++) {
      const { down, initiator } = someDead(members)
      const { messageCounts } = run({ members, down, initiators: [initiator] })
      expect(messageCounts.sumOf('election'), `n=${members}`).toBe(2 * members)
      expect(messageCounts.attempts).toBe(2 * down.length)
      expect(messageCounts.byType['election (attempt)'] ?? 0).toBe(down.length)
      expect(messageCounts.byType['coordinator (attempt)'] ?? 0).toBe(down.length)
    }
  })

  test('2m among m live members when the others are known to be down', () => {
    for (let members = 2; members <= 64; members++) {
      const { down, initiator } = someDead(members)
      const { messageCounts } = run({ members, down, knownDown: down, initiators: [initiator] })
      expect(messageCounts.sumOf('election'), `n=${members}`).toBe(2 * (members - down.length))
      expect(messageCounts.attempts).toBe(0)
    }
  })

  test('2n for each of k initiators when all are up', () => {
    for (let k = 1; k <= 7; k++) {
      const initiators = [1, 2, 3, 4, 5, 6, 7].slice(0, k)
      expect(run({ members: 7, initiators }).messageCounts.sumOf('election')).toBe(14 * k)
    }
  })
})

describe('the Ring, corrected', () => {
  const network = { latency: { kind: 'constant', us: 1000 } } as const
  const detection = { minUs: 0, maxUs: 0 }

  test('R-a: the same schedule as in the specimen ends with one coordinator', () => {
    const world = play(
      stepperFor(ring, 3, { down: [3] }),
      `start 2
       down 2 3
       start 1
       deliver 1→2 election
       recover 3; start 3
       deliver 3→1 election
       deliver 2→1 election`,
    )
    drain(world)
    // 3 leads and announces it to every member that follows a weaker one.
    expect(world.stateOf(3).leader).toBe(3)
    drain(play(world, 'timeout 3 beat'))
    expect(beliefs(world)).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
  })

  test('R-b: the holder of the message crashes, and the election is held all the same', () => {
    const faults = [{ kind: 'crash', node: 3, at: 1500 }] as const
    expect(run({ members: 3, initiators: [1], network, detection, faults }).monitors.agreed).toBe(2)
  })

  test('R-c: the initiator crashes, its list arrives a second time and stops', () => {
    const faults = [{ kind: 'crash', node: 1, at: 1500 }] as const
    const world = run({ members: 4, initiators: [1], network, detection, faults })
    expect(world.monitors.agreed).toBe(4)
    expect(world.messageCounts.sumOf('election')).toBeLessThan(30)
  })

  test('R-e: a COORDINATOR is lost, and the heartbeat informs the rest', () => {
    const faults = [{ kind: 'crash', node: 2, at: 3500 }] as const
    expect(run({ members: 3, initiators: [1], network, detection, faults }).monitors.agreed).toBe(3)
  })

  test('a claim below the term of its receiver is answered with that term, and the coordinator claims again above it', () => {
    // 1 was alone for three terms before the others came.
    const crashes = [2, 3].map((node) => ({ kind: 'crash', node, at: 0 }) as const)
    const again = [300_000, 600_000].flatMap((at) => [
      { kind: 'crash', node: 1, at } as const,
      { kind: 'recover', node: 1, at: at + 100_000 } as const,
    ])
    const back = [2, 3].map((node) => ({ kind: 'recover', node, at: 1_000_000 }) as const)
    const world = run({ members: 3, faults: [...crashes, ...again, ...back] })
    expect(world.monitors.agreed).toBe(3)
    expect(new Set([1, 2, 3].map((id) => world.states[id].term)).size).toBe(1)
    expect(world.states[3].term).toBeGreaterThan(3)
  })
})
