/** The elections on rings without faults: who leads, and how many messages that takes, for every n up to 64. */
import { describe, expect, test } from 'vitest'
import { beliefs, drain, play, sentLast, stepperFor } from '../../../test/support/scenario.ts'
import type { Algorithm } from '../../core/algorithm.ts'
import { Random } from '../../core/random.ts'
import { configure, finish, World, type Stepper } from '../../sim/index.ts'
import { hirschbergSinclair } from './hirschberg-sinclair.ts'
import { itaiRodeh } from './itai-rodeh.ts'
import { leLann } from './le-lann.ts'
import { peterson } from './peterson.ts'

const SIZES = Array.from({ length: 64 }, (_, i) => i + 1)

interface Outcome {
  readonly messages: number
  readonly leader: number
}

/** All members start, or only some. Throws unless all of them agree. */
function elect(
  algorithm: Algorithm,
  ring: readonly number[],
  initiators: readonly number[] | null = null,
  seed = 1,
): Outcome {
  const members = ring.length
  const world = new World(configure({ algorithm, members, ring: [...ring], initiators, seed }))
  finish(world)
  expect(world.monitors.violations).toEqual([])
  const leaders = new Set(world.states.slice(1).map(({ leader }) => leader))
  expect(leaders.size, `${algorithm.name}, ring ${ring.join(',')}`).toBe(1)
  return { messages: world.messageCounts.sumOf('election'), leader: [...leaders][0] }
}

/** Random orders, the ascending and the descending one. */
function ringsOf(n: number): number[][] {
  const ascending = Array.from({ length: n }, (_, i) => i + 1)
  const random = new Random(n)
  const orders = [ascending, [...ascending].reverse()]
  return [...orders, random.permutation(n), random.permutation(n)]
}

describe.each([
  ['le-lann', leLann, (n: number) => n * n],
  [
    'hirschberg-sinclair',
    hirschbergSinclair,
    (n: number) => 8 * n * (1 + Math.ceil(Math.log2(n))) + n,
  ],
  ['peterson', peterson, (n: number) => 2 * n * (1 + Math.floor(Math.log2(n))) + n],
] as const)('%s', (_name, algorithm, bound) => {
  test('all members elect the strongest within the published number of messages, for all n ≤ 64', () => {
    for (const n of SIZES) {
      for (const ring of ringsOf(n)) {
        const { messages, leader } = elect(algorithm, ring)
        expect(leader).toBe(n)
        expect(messages, `n = ${n}`).toBeLessThanOrEqual(bound(n))
      }
    }
  })

  test('one initiator is enough: a message wakes the next member', () => {
    for (const n of [2, 3, 7, 16]) {
      for (const initiator of [1, Math.ceil(n / 2), n]) {
        expect(elect(algorithm, ringsOf(n)[2], [initiator]).leader).toBe(n)
      }
    }
  })
})

test('LeLann: exactly n² messages, whichever members start', () => {
  for (const n of SIZES) {
    expect(elect(leLann, ringsOf(n)[2]).messages).toBe(n * n)
    expect(elect(leLann, ringsOf(n)[3], [1]).messages).toBe(n * n)
  }
})

test('Hirschberg and Sinclair: more than n·log₂ n messages in the worst order, far fewer than n²', () => {
  for (const n of [16, 32, 64]) {
    const most = Math.max(...ringsOf(n).map((ring) => elect(hirschbergSinclair, ring).messages))
    expect(most).toBeGreaterThan(n * Math.log2(n))
    expect(most).toBeLessThan(n * n)
  }
})

/** Members 1, 2 and 3 have started, and each holds the number of the member before it. */
const FIRSTS = `start 1
  start 2
  start 3
  deliver 3→1 first
  deliver 1→2 first
  deliver 2→3 first`

describe('LeLann', () => {
  test('a member decides when its own number returns, after all the others', () => {
    const stepper = play(
      stepperFor(leLann, 3),
      `start 1
       start 2
       start 3
       deliver 3→1 number
       deliver 2→3 number
       deliver 3→1 number
       deliver 1→2 number
       deliver 2→3 number`,
    )
    expect(beliefs(stepper)).toBe('1:Elec 2:Elec 3:Elec')
    expect(beliefs(play(stepper, 'deliver 3→1 number'))).toBe('1:Norm(3) 2:Elec 3:Elec')
  })
})

describe('Hirschberg and Sinclair', () => {
  const start = (n: number): Stepper =>
    ringsOf(n)[0].reduce(
      (stepper, id) => play(stepper, `start ${id}`),
      stepperFor(hirschbergSinclair, n),
    )

  test('a probe ends at a stronger member, and the last weaker one of its path replies', () => {
    const stepper = play(start(4), 'deliver 2→1 probe')
    expect(stepper.stateOf(1)).toMatchObject({ status: 'Lost' })
    expect(sentLast(stepper)).toEqual(['1→2 reply'])
    expect(sentLast(play(stepper, 'deliver 2→3 probe'))).toEqual([])
  })

  test('a candidate goes on when both sides have replied, over twice the distance', () => {
    const stepper = play(start(8), 'deliver 8→1 probe; deliver 8→7 probe; deliver 1→8 reply')
    expect(stepper.stateOf(8)).toMatchObject({ phase: 0 })
    play(stepper, 'deliver 7→8 reply')
    expect(stepper.stateOf(8)).toMatchObject({ status: 'Elec', phase: 1 })
    expect(sentLast(stepper)).toEqual(['8→1 probe', '8→7 probe'])
    expect(stepper.linkOf(8, 1)).toEqual([{ type: 'probe', uid: 8, hops: 1 }])
  })

  test('a probe that has come round the ring is that of the strongest', () => {
    const stepper = play(
      start(3),
      `deliver 3→1 probe
       deliver 3→2 probe
       deliver 1→3 reply
       deliver 2→3 reply
       deliver 3→1 probe
       deliver 1→2 probe
       deliver 1→2 probe`,
    )
    // The path of phase 1 is two members long, so its probes reply; those of phase 2 come home.
    expect(sentLast(stepper)).toEqual(['2→1 reply'])
    drain(stepper)
    expect(stepper.stateOf(3)).toMatchObject({ phase: 2 })
    expect(beliefs(stepper)).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
  })
})

describe('Peterson', () => {
  test('second, a member sends the larger of its number and the one before', () => {
    const stepper = play(stepperFor(peterson, 3), FIRSTS)
    expect(stepper.linkOf(1, 2)).toEqual([{ type: 'second', uid: 3, phase: 1 }])
    expect(stepper.linkOf(2, 3)).toEqual([{ type: 'second', uid: 2, phase: 1 }])
    expect(stepper.linkOf(3, 1)).toEqual([{ type: 'second', uid: 3, phase: 1 }])
  })

  test('a member goes on with the number before it if that is larger than both its neighbours', () => {
    const stepper = play(stepperFor(peterson, 3), `${FIRSTS}; deliver 3→1 second`)
    expect(stepper.stateOf(1)).toMatchObject({ status: 'Active', tid: 3, phase: 2 })
    play(stepper, 'deliver 1→2 second')
    expect(stepper.stateOf(2)).toMatchObject({ status: 'Relay' })
    expect(beliefs(drain(stepper))).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
  })

  test('"if ntid = initial then announce elected": also a relay recognises its number', () => {
    const stepper = play(
      stepperFor(peterson, 3),
      `${FIRSTS}
       deliver 3→1 second
       deliver 1→2 second
       deliver 2→3 second`,
    )
    expect(stepper.stateOf(3)).toMatchObject({ status: 'Relay' })
    play(stepper, 'deliver 1→2 first; deliver 2→3 first')
    expect(stepper.stateOf(3)).toMatchObject({ status: 'Norm', leader: 3 })
    expect(sentLast(stepper)).toEqual(['3→1 elected'])
  })

  test('the descending ring ends after one phase; phases never exceed 1 + log₂ n', () => {
    const { messages } = elect(peterson, ringsOf(32)[1])
    // One phase and the first messages of the next one, and the result.
    expect(messages).toBeLessThanOrEqual(32 * 4)
    for (const n of [8, 32, 64]) {
      for (const ring of ringsOf(n)) {
        const world = new World(configure({ algorithm: peterson, members: n, ring }))
        finish(world)
        const phases = world.states.slice(1).map(({ phase }) => phase as number)
        expect(Math.max(...phases)).toBeLessThanOrEqual(1 + Math.log2(n))
      }
    }
  })
})

describe('Itai and Rodeh', () => {
  test('all members elect one of them, whatever they draw, for all n ≤ 64', () => {
    for (const n of SIZES)
      expect(elect(itaiRodeh, ringsOf(n)[2], null, n).leader).toBeGreaterThan(0)
  })

  test('messages on average: n·Hₙ + n to 1.7 times that, for all n ≤ 64', () => {
    const RUNS = 60
    let harmonic = 0
    for (const n of SIZES) {
      harmonic += 1 / n
      let sum = 0
      for (let seed = 1; seed <= RUNS; seed++) {
        sum += elect(itaiRodeh, ringsOf(n)[0], null, seed).messages
      }
      const ratio = sum / RUNS / (n * harmonic + n)
      expect(ratio, `n = ${n}`).toBeGreaterThanOrEqual(1)
      expect(ratio, `n = ${n}`).toBeLessThan(1.7)
    }
  })

  test('no member is preferred: each of five leads in about a fifth of 2,000 elections', () => {
    const led = [0, 0, 0, 0, 0]
    for (let seed = 1; seed <= 2000; seed++) {
      led[elect(itaiRodeh, [1, 2, 3, 4, 5], null, seed).leader - 1] += 1
    }
    // 5 standard deviations of a binomial distribution.
    for (const count of led) expect(Math.abs(count - 400)).toBeLessThan(5 * Math.sqrt(2000 * 0.16))
  })

  test('the first draw decides with the probability that one of n draws is the only largest one', () => {
    const RUNS = 1500
    for (const n of [2, 3, 5, 9]) {
      // One of n members draws k, the others less: n·(1/n)·((k−1)/n)^(n−1) for k = 1, …, n.
      const draws = Array.from({ length: n }, (_, k) => (k / n) ** (n - 1))
      const once = draws.reduce((a, b) => a + b)
      let decided = 0
      for (let seed = 1; seed <= RUNS; seed++) {
        const world = new World(configure({ algorithm: itaiRodeh, members: n, seed }))
        finish(world)
        if (world.states.slice(1).every(({ phase }) => phase === 1)) decided += 1
      }
      const margin = 4 * Math.sqrt(RUNS * once * (1 - once))
      expect(Math.abs(decided - RUNS * once), `n = ${n}`).toBeLessThan(margin)
    }
  })

  test('the ring knows its size: a token that has visited n members is back', () => {
    const stepper = play(
      stepperFor(itaiRodeh, 3),
      `start 1
       start 2
       start 3
       drawn 1 number 2
       deliver 1→2 token
       deliver 2→3 token`,
    )
    // Members 2 and 3 had not drawn: they are passive, and the token says how far it has come.
    expect(stepper.linkOf(3, 1)).toEqual([
      { type: 'token', phase: 1, number: 2, hops: 3, alone: true },
    ])
    expect(beliefs(play(stepper, 'deliver 3→1 token'))).toBe('1:Norm(1) 2:Passive 3:Passive')
  })

  test('members that draw the same largest number draw again', () => {
    const stepper = play(
      stepperFor(itaiRodeh, 2),
      `start 1
       start 2
       drawn 1 number 1
       drawn 2 number 1
       deliver 1→2 token
       deliver 2→1 token
       deliver 2→1 token`,
    )
    expect(stepper.stateOf(1)).toMatchObject({ status: 'Drawing', phase: 2, leader: 0 })
  })
})
