/** The elections on rings without faults: who leads, and how many messages that takes, for every n up to 64. */
import { describe, expect, test } from 'vitest'
import { beliefs, drain, play, stepperFor } from '../../../test/support/scenario.ts'
import type { Algorithm } from '../../core/algorithm.ts'
import { Random } from '../../core/random.ts'
import { configure, finish, World } from '../../sim/index.ts'
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

describe('Peterson', () => {
  test('a member goes on with the number before it if that is larger than both its neighbours', () => {
    const stepper = play(
      stepperFor(peterson, 3),
      `start 1
       start 2
       start 3
       deliver 3→1 first
       deliver 2→3 first
       deliver 1→2 first
       deliver 3→1 second`,
    )
    expect(stepper.stateOf(1)).toMatchObject({ status: 'Active', value: 3 })
    expect(beliefs(drain(stepper))).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
  })

  test('the descending ring ends after one phase; phases never exceed 1 + log₂ n', () => {
    const { messages } = elect(peterson, ringsOf(32)[1])
    // One phase and the first messages of the next one, and the result.
    expect(messages).toBeLessThanOrEqual(32 * 4)
  })
})

describe('Itai and Rodeh', () => {
  test('all members elect one of them, whatever they draw, for all n ≤ 64', () => {
    for (const n of SIZES)
      expect(elect(itaiRodeh, ringsOf(n)[2], null, n).leader).toBeGreaterThan(0)
  })

  test('no member is preferred: each of five leads in about a fifth of 2,000 elections', () => {
    const led = [0, 0, 0, 0, 0]
    for (let seed = 1; seed <= 2000; seed++) {
      led[elect(itaiRodeh, [1, 2, 3, 4, 5], null, seed).leader - 1] += 1
    }
    // 5 standard deviations of a binomial distribution.
    for (const count of led) expect(Math.abs(count - 400)).toBeLessThan(5 * Math.sqrt(2000 * 0.16))
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
