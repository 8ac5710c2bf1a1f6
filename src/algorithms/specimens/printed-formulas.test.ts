/** The formulas that the documents print and that hold, on the texts as printed, for every n up to 64. */
import { describe, expect, test } from 'vitest'
import type { Algorithm } from '../../core/algorithm.ts'
import { configure, finish, World, type SimOptions } from '../../sim/index.ts'
import { leLann } from '../rings/le-lann.ts'
import { bullyAsPrinted } from './bully-as-printed.ts'
import { changRobertsAsPrinted } from './chang-roberts-as-printed.ts'
import { rouletteAsPrinted } from './roulette-as-printed.ts'

const SIZES = Array.from({ length: 62 }, (_, i) => i + 3)
const TM = { latency: { kind: 'constant', us: 1000 } } as const

function elect(algorithm: Algorithm, given: Omit<SimOptions, 'algorithm'>): World {
  const world = new World(configure({ algorithm, network: TM, ...given }))
  finish(world)
  return world
}

/** An election of the printed Bully when the f highest are down and known to be. */
function bully(n: number, f: number, initiator: number, options = {}): World {
  const down = Array.from({ length: f }, (_, i) => n - i)
  const given = { members: n, down, knownDown: down, initiators: [initiator], options }
  return elect(bullyAsPrinted, given)
}

const all = ({ messageCounts }: World): number => messageCounts.sumOf('election')
const of = (type: string, { messageCounts }: World): number => messageCounts.byType[type] ?? 0

describe('for every n from 3 to 64, as printed', () => {
  test('002: N(N−1)/2 Election messages when the lowest id detects the failure', () => {
    const wrong = SIZES.filter((n) => of('election', bully(n, 1, 1)) !== (n * (n - 1)) / 2)
    expect(wrong).toEqual([])
  })

  test('002: N−2 Coordinator messages when the second-highest id does', () => {
    const wrong = SIZES.filter((n) => of('coordinator', bully(n, 1, n - 1)) !== n - 2)
    expect(wrong).toEqual([])
  })

  test('001 Table 1: the Bully needs n − 1 messages at best, and one less than n(n − f) at worst, for f = 1, n/3, n/2', () => {
    const wrong = SIZES.flatMap((n) =>
      [1, Math.floor(n / 3), Math.floor(n / 2)].filter((f) => {
        const [best, worst] = [n - f, 1].map((initiator) => all(bully(n, f, initiator)))
        return best !== n - 1 || worst !== n * (n - f) - 1
      }),
    )
    expect(wrong).toEqual([])
  })

  test('001 eq. 2: (2n − k)·Tm + To, sending one after the other, if To begins with the last question', () => {
    const timeOf = (n: number, k: number, messageMs?: number): World => {
      const down = Array.from({ length: k - 1 }, (_, i) => n - i)
      const timing = messageMs === undefined ? {} : { timing: { messageMs } }
      const network = { ...TM, send: 'sequential' } as const
      const given = { members: n, down, knownDown: down, initiators: [1], network, ...timing }
      return elect(bullyAsPrinted, given)
    }
    const wrong = SIZES.flatMap((n) =>
      [2, 3, 5]
        .filter((k) => k < n)
        .filter((k) => {
          const to = 2 * timeOf(n, k).config.timing.messageMs
          const ms = timeOf(n, k, (to + k) / 2).monitors.agreedSince / 1000
          return Math.abs(ms - (2 * n - k + to)) > 0.01
        }),
    )
    expect(wrong).toEqual([])
  })

  test('004: N − 2 messages if the second-highest can immediately elect itself', () => {
    const knows = { form: '004', highest: 'up' }
    expect(SIZES.filter((n) => all(bully(n, 1, n - 1, knows)) !== n - 2)).toEqual([])
  })

  test('004: 3n − 1 messages at worst, when one process starts', () => {
    const counted = (n: number): number =>
      all(elect(changRobertsAsPrinted, { members: n, initiators: [1] }))
    expect(SIZES.filter((n) => counted(n) !== 3 * n - 1)).toEqual([])
  })

  test('the page that 004 quotes: each of the n numbers of LeLann passes all n processes', () => {
    expect(SIZES.filter((n) => all(elect(leLann, { members: n })) !== n * n)).toEqual([])
  })

  test('003: 2v − 1 messages, heartbeats aside: v − 1 proposals, v − 1 responses, one to the leader', () => {
    // So seldom that no two launch at once.
    const options = { form: 'time-out', wheelOf: 'received', consecutive: 4, drawEveryMs: 20 }
    const wrong = SIZES.filter((members) => {
      const given = { algorithm: rouletteAsPrinted, members, seed: members + 1, network: TM }
      const world = new World(configure({ ...given, options }))
      while (Number.isNaN(world.monitors.agreedSince) && world.step());
      const responses = of('positive', world) + of('negative', world)
      const counted = [of('proposal', world), responses, of('announcement', world)]
      return counted.join() !== [members - 1, members - 1, 1].join()
    })
    expect(wrong).toEqual([])
  })
})
