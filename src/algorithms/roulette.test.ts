/** roulette, sentence by sentence of 003, its corrections, its costs and the odds of the wheel. */
import { describe, expect, test } from 'vitest'
import { drain, play, sentLast, stepperFor } from '../../test/support/scenario.ts'
import type { OptionValues } from '../core/algorithm.ts'
import { Random } from '../core/random.ts'
import { configure, finish, World, type SimOptions, type Stepper } from '../sim/index.ts'
import { launches, ownerOf, placesOn, type LaunchOptions } from './helpers/roulette-wheel.ts'
import { rouletteMajority } from './roulette-majority.ts'
import { roulette } from './roulette.ts'
import { NodeArray } from '../core/node-array.ts'
import { NodeSet } from '../core/node-set.ts'

/** Three members that have started and draw 1 to 10; one draw of any number launches. */
function three(options: OptionValues = {}): Stepper {
  const launch = { faces: 10, threshold: 0, consecutive: 1 }
  const world = stepperFor(roulette, 3, { options: { ...launch, ...options } })
  return play(world, 'start 1; start 2; start 3')
}

/** Member `node` draws `number`. */
const draw = (node: number, number: number): string =>
  `timeout ${node} draw; drawn ${node} number ${number - 1};`

function run(options: SimOptions): World {
  const world = new World(configure(options))
  finish(world)
  expect(world.monitors.violations).toEqual([])
  return world
}

describe('003 §2.2, the modified algorithm', () => {
  test('1: "If three consecutive generated numbers are greater than a chosen threshold, then it will send to other nodes"', () => {
    const world = three({ threshold: 8, consecutive: 3 })
    play(world, draw(1, 9) + draw(1, 10) + draw(1, 8) + draw(1, 9) + draw(1, 9))
    expect(world.stateOf(1).status).toBe('basic')
    play(world, draw(1, 10))
    expect(world.stateOf(1).status).toBe('candidate')
    expect(sentLast(world)).toEqual(['1→2 proposal', '1→3 proposal'])
  })

  test('1: "… and votes for itself"', () => {
    expect(play(three(), draw(1, 5)).stateOf(1)).toMatchObject({ voted: 1, term: 1 })
  })

  test('2: "moreover, it sends his greatest random generated number in his response"', () => {
    const world = three({ consecutive: 2 })
    play(world, `${draw(2, 7)} ${draw(1, 5)} ${draw(1, 5)} deliver 1→2 proposal`)
    expect(world.linkOf(2, 1)).toEqual([{ type: 'positive', term: 1, number: 7 }])
  })

  test('rule 2: "when all the nodes respond or the timeout elapse, the candidate verifies the votes"', () => {
    const world = play(three(), `${draw(1, 5)} deliver 1→2 proposal; deliver 2→1 positive`)
    expect(world.stateOf(1).status).toBe('candidate')
    play(world, 'timeout 1 answers')
    expect(world.stateOf(1).status).toBe('coordinator')
  })

  test('5: "the coordinator will send it a message and after receiving it, the leader will broadcast a special/heartbeat message"', () => {
    const world = three({ consecutive: 2 })
    drain(play(world, draw(3, 9) + draw(1, 5) + draw(1, 5)))
    play(world, 'drawn 1 wheel 13')
    expect(sentLast(world)).toEqual(['1→3 announcement'])
    play(world, 'deliver 1→3 announcement')
    expect(sentLast(world)).toEqual(['3→1 heartbeat', '3→2 heartbeat'])
    drain(world)
    expect([1, 2, 3].map((id) => world.stateOf(id).leader)).toEqual([3, 3, 3])
  })

  test('rule 4: "If one node which satisfies the launch condition has technical problems", a new round follows', () => {
    const world = play(three(), `${draw(1, 5)} deliver 1→2 proposal; crash 1; timeout 2 leader`)
    play(world, draw(2, 5))
    expect(world.stateOf(2)).toMatchObject({ status: 'candidate', term: 2 })
  })
})

describe('the roulette wheel, corrected', () => {
  test('W-a, W-h: one vote a term, for the first that asks', () => {
    const world = play(three(), draw(1, 5) + draw(2, 8))
    play(world, 'deliver 1→3 proposal; deliver 2→3 proposal')
    expect(sentLast(world)).toEqual(['3→2 negative'])
    drain(world)
    expect(world.stateOf(1).status).toBe('coordinator')
    expect(world.stateOf(2).status).not.toBe('coordinator')
  })

  test('W-c: a vote of an earlier term counts for nothing', () => {
    const world = play(three(), `${draw(1, 5)} deliver 1→2 proposal; timeout 1 answers`)
    play(world, 'timeout 1 leader') // nobody answered in time: 1 is blocked, and tries again
    play(world, `${draw(1, 5)} deliver 2→1 positive`)
    expect(world.stateOf(1)).toMatchObject({ status: 'candidate', term: 2 })
    expect(world.stateOf(1)['votes']).toMatchObject({ size: 1 })
  })

  test('W-d, rule 7: a leader that is slow to answer keeps the term; the coordinator chooses in a new one', () => {
    const world = three({ consecutive: 2 })
    drain(play(world, draw(3, 9) + draw(1, 5) + draw(1, 5)))
    play(world, 'drawn 1 wheel 13; timeout 1 leader') // 3 is chosen, and its heartbeat does not come
    play(world, `${draw(1, 5)} ${draw(1, 5)}`)
    expect(world.stateOf(1)).toMatchObject({ status: 'candidate', term: 2 })
    drain(world) // the announcement of term 1 is older than the proposal of term 2
    const leaders = [1, 2, 3].filter((id) => world.stateOf(id).leader === id)
    expect(leaders).toEqual([])
  })

  test('W-e: a voter that receives no heartbeat draws again', () => {
    const world = play(three(), `${draw(1, 5)} deliver 1→2 proposal; crash 1; timeout 2 leader`)
    expect(world.isArmed(2, 'draw')).toBe(true)
  })

  test('W-g: a vote is stable: a voter that restarts does not vote again in the term', () => {
    const world = play(three(), `${draw(1, 5)} ${draw(2, 8)} deliver 1→3 proposal`)
    play(world, 'crash 3; recover 3; start 3')
    expect(world.stateOf(3)).toMatchObject({ term: 1, voted: 1 })
  })

  test('W-i: a candidate that meets a larger term is a candidate no longer', () => {
    const world = play(three(), `${draw(1, 5)} ${draw(2, 8)} timeout 2 leader; ${draw(2, 8)}`)
    play(world, 'deliver 2→1 proposal; deliver 2→1 proposal')
    expect(world.stateOf(1)).toMatchObject({ status: 'basic', voted: 2, term: 2 })
  })

  test('rule 9: "If at one moment of time, the majority can not be satisfied, the system will block until some nodes are recovered."', () => {
    const crash = [1, 2, 3].map((node) => ({ kind: 'crash', node, at: 0 }) as const)
    const blocked = new World(
      configure({ algorithm: roulette, members: 5, faults: crash, untilUs: 20_000_000 }),
    )
    finish(blocked)
    expect([4, 5].map((id) => blocked.states[id].leader)).toEqual([0, 0])
    const recover = { kind: 'recover', node: 2, at: 20_000_000 } as const
    const world = run({ algorithm: roulette, members: 5, faults: [...crash, recover] })
    expect(world.monitors.agreed).not.toBe(0)
  })
})

describe.each(
  [roulette, rouletteMajority].map((algorithm) => [algorithm.name, algorithm] as const),
)('003 §2.3, the messages of %s', (_, algorithm) => {
  test('"Having v nodes, there are in total 2v - 1 messages": one candidate, and the wheel elects another', () => {
    let elsewhere = 0
    for (let members = 2; members <= 64; members++) {
      const { messageCounts, states } = run({ algorithm, members, initiators: [1], seed: members })
      const others = states.slice(2).some(({ leader }, i) => leader === i + 2)
      expect(messageCounts.sumOf('election'), `v=${members}`).toBe(2 * members - (others ? 1 : 2))
      if (others) elsewhere += 1
    }
    expect(elsewhere).toBeGreaterThan(50)
  })

  test('after the crash of the leader 2v − 2: one proposal goes to the crashed leader', () => {
    for (let members = 3; members <= 64; members++) {
      const { messageCounts, monitors } = run({
        algorithm,
        members,
        down: [members],
        initiators: [1],
      })
      const others = monitors.agreed !== 1
      expect(messageCounts.sumOf('election'), `v=${members}`).toBe(2 * members - (others ? 2 : 3))
      expect(messageCounts.byType['proposal (attempt)']).toBe(1)
    }
  })
})

describe('003 §2.4, the launch condition', () => {
  /** Draws until r in a row are above the threshold, on average over many members. */
  function meanDraws(threshold: number, consecutive: number, members: number): number {
    const random = new Random(consecutive)
    const options: LaunchOptions = { faces: 1_000_000, threshold, consecutive, drawEveryMs: 1 }
    let draws = 1
    for (let i = 0; i < members; i++) {
      const s = { best: 0, streak: 0 }
      while (!launches(s, random.below(options.faces), options)) draws += 1
      draws += 1
    }
    return (draws - 1) / members
  }

  test.each([
    [850_000, 1, 6.67],
    [850_000, 2, 51.1],
    [850_000, 3, 347.4],
    [850_000, 4, 2322.7],
    [900_000, 3, 1110],
  ])('above %d, %d in a row take (1 − pʳ) / ((1 − p) pʳ) = %d draws', (threshold, r, mean) => {
    const p = 1 - threshold / 1_000_000
    expect((1 - p ** r) / ((1 - p) * p ** r)).toBeCloseTo(mean, mean > 1000 ? 0 : 1)
    // The number of draws varies by about its mean: 4 % are more than two standard errors.
    const measured = meanDraws(threshold, r, r === 4 ? 3000 : 6000)
    expect(Math.abs(measured / mean - 1)).toBeLessThan(0.04)
  })

  test('"only 22% of nodes generated big numbers in the first 100 ms, with an average of 385 ms" is a draw each 1.108 ms', () => {
    const options: LaunchOptions = {
      faces: 1_000_000,
      threshold: 850_000,
      consecutive: 3,
      drawEveryMs: 1.108,
    }
    const random = new Random(7)
    let early = 0
    let sumMs = 0
    for (let i = 0; i < 10_000; i++) {
      const s = { best: 0, streak: 0 }
      let ms = options.drawEveryMs
      for (; !launches(s, random.below(options.faces), options); ms += options.drawEveryMs);
      sumMs += ms
      if (ms <= 100) early += 1
    }
    expect(sumMs / 10_000).toBeGreaterThan(375)
    expect(sumMs / 10_000).toBeLessThan(395)
    expect(early / 10_000).toBeGreaterThan(0.21)
    expect(early / 10_000).toBeLessThan(0.24)
  })
})

describe('the wheel', () => {
  test('gives each voter as many places as its number', () => {
    const voters = NodeSet.of(2, 5, 9)
    const numbers = new NodeArray()
    numbers.set(2, 3)
    numbers.set(5, 1)
    numbers.set(9, 2)
    expect(placesOn(voters, numbers)).toBe(6)
    const owners = [0, 1, 2, 3, 4, 5].map((k) => ownerOf(k, voters, numbers))
    expect(owners).toEqual([2, 2, 2, 5, 9, 9])
  })

  test('"gives a chance to all nodes": over many elections everybody leads about as often', () => {
    const leads = [0, 0, 0, 0, 0]
    for (let seed = 1; seed <= 500; seed++) {
      leads[run({ algorithm: roulette, members: 5, seed }).monitors.agreed - 1] += 1
    }
    for (const times of leads) {
      expect(times).toBeGreaterThan(70)
      expect(times).toBeLessThan(130)
    }
  })
})
