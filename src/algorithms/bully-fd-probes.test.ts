/** How many requests bully-fd makes of its detector. */
import { describe, expect, test } from 'vitest'
import type { Algorithm } from '../core/algorithm.ts'
import { ping } from '../detectors/index.ts'
import { configure, World } from '../sim/index.ts'
import { bullyFdAsPrinted } from './specimens/bully-fd-as-printed.ts'
import { bullyFd } from './bully-fd.ts'

interface Cost {
  readonly election: number
  /** Questions that the winner's detector sent, and answers that it got, until all follow the winner. */
  readonly probes: number
  readonly replies: number
}

function costOf(
  algorithm: Algorithm,
  members: number,
  down: readonly number[],
  knownDown: readonly number[],
): Cost {
  const alive = Array.from({ length: members }, (_, i) => i + 1).filter((id) => !down.includes(id))
  const leader = Math.max(...alive)
  const config = { algorithm, members, detector: ping, down, knownDown }
  const world = new World(configure({ ...config, initiators: [leader] }))
  let [probes, replies] = [0, 0]
  world.recorder = {
    step: () => undefined,
    done: () => undefined,
    violated: () => undefined,
    sent: ({ from, to, part, message: { type } }) => {
      if (part !== 'detector') return
      if (from === leader && type === 'alive?') probes += 1
      if (to === leader && type === 'alive') replies += 1
    },
  }
  while (Number.isNaN(world.monitors.agreedSince) && world.step());
  expect(world.monitors.agreed).toBe(leader)
  return { election: world.messageCounts.sumOf('election'), probes, replies }
}

describe('probes of Bully_FD', () => {
  test('are u1 + (a−1) + u2: every superior and every junior once, except those known to be down; Stage 3 finds its answers on the list', () => {
    const wrong: string[] = []
    for (let n = 2; n <= 64; n++) {
      const everyone = Array.from({ length: n }, (_, i) => i + 1)
      const third = everyone.filter((id) => id % 3 === n % 3)
      const placements = [[n], everyone.slice(n >> 1), third, everyone.slice(1)]
      for (const down of placements) {
        for (const known of [[], down.filter((_, i) => i % 2 === 0), down]) {
          const live = n - down.length
          const expected = live - 1 + down.length - known.length // u1 + u2 are the unknown dead
          const measured = costOf(bullyFd, n, down, known).probes
          if (measured !== expected) wrong.push(`n=${n} dead ${down.length}: ${measured}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })
  test('as printed the whole costs 5(a−1) + u when only k notices and the members that are down outrank it, u of them not on the list', () => {
    const wrong: string[] = []
    for (let n = 3; n <= 64; n++) {
      for (const dead of new Set([1, n >> 1, n - 2])) {
        const down = Array.from({ length: dead }, (_, i) => n - i)
        for (const known of [[], down.slice(0, dead >> 1), down]) {
          const { election, probes, replies } = costOf(bullyFdAsPrinted, n, down, known)
          const expected = 5 * (n - dead - 1) + dead - known.length
          const measured = election + probes + replies
          if (measured !== expected) wrong.push(`n=${n} dead ${dead}: ${measured}, not ${expected}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })
})
