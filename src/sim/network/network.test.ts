import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { configurationOf } from '../../../test/support/random/random-configurations.ts'
import {
  lines,
  note,
  numberOf,
  tinyWorld,
  type TinyOut,
} from '../../../test/support/tiny-algorithms.ts'
import { InvariantError } from '../../core/assert.ts'
import { Random } from '../../core/random.ts'
import type { NetworkConfig } from '../config.ts'
import type { Fault } from '../faults/fault-catalogue.ts'
import { boundUs, draw, type Latency } from './latency.ts'
import { recordRun } from '../run.ts'

const MS = 1000

/** Member 1 sends notes 0, 1, … to 2, one every `gapUs`, and what 2 hears is noted down. */
function stream(count: number, network: Partial<NetworkConfig>, gapUs = 100, faults: Fault[] = []) {
  let next = 0
  const send = (out: TinyOut): void => {
    out.send(2, note(next++))
    if (next < count) out.set('first', gapUs / 1000)
  }
  const { world, heard } = tinyWorld(
    (say) => ({
      start: (_, out) => {
        if (out.me === 1) send(out)
      },
      timeout: (_, __, out) => send(out),
      message: (_, __, m, out) => say(out, numberOf(m)),
    }),
    { network, faults },
  )
  world.runUntil(count * gapUs + 10_000_000)
  return { world, heard, numbers: heard.map(({ what }) => Number(what)) }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

const LATENCIES: readonly Latency[] = [
  { kind: 'constant', us: 700 },
  { kind: 'uniform', minUs: 100, maxUs: 5000 },
  { kind: 'exponential', minUs: 50, meanUs: 2000 },
  { kind: 'lognormal', medianUs: 1000, sigma: 1 },
]

describe('latency', () => {
  test.each(LATENCIES)(
    '$kind gives whole microseconds with the mean that it should have',
    (latency) => {
      const random = new Random(5)
      const drawn = Array.from({ length: 20_000 }, () => draw(latency, random))
      expect(drawn.filter((us) => !Number.isInteger(us) || us < 0)).toEqual([])
      const mean = drawn.reduce((sum, us) => sum + us, 0) / drawn.length
      const expected = { constant: 700, uniform: 2550, exponential: 2050, lognormal: 1648.7 }
      expect(Math.abs(mean / expected[latency.kind] - 1)).toBeLessThan(0.03)
      const late = drawn.filter((us) => us > boundUs(latency)).length
      const isBounded = latency.kind === 'constant' || latency.kind === 'uniform'
      expect(late).toBeLessThan(isBounded ? 1 : 40)
      expect(late > 0).toBe(!isBounded)
    },
  )
})

describe('a link', () => {
  test.each(LATENCIES)('of $kind latency is first in, first out', (latency) => {
    expect(stream(300, { latency }).numbers).toEqual(upTo(300))
  })

  test('stays first in, first out whatever the gaps, also with duplicates', () => {
    fc.assert(
      fc.property(fc.nat(3000), fc.constantFrom(...LATENCIES), (gapUs, latency) => {
        const { numbers } = stream(40, { latency, duplicate: 0.3 }, 1 + gapUs)
        expect([...new Set(numbers)]).toEqual(upTo(40))
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
      }),
      { numRuns: 30 },
    )
  })

  test('is overtaken only where the network reorders', () => {
    const { numbers } = stream(500, { latency: LATENCIES[1], reorder: 0.3 })
    expect([...numbers].sort((a, b) => a - b)).toEqual(upTo(500))
    const overtaken = numbers.filter((n, i) => i > 0 && n < numbers[i - 1]).length
    expect(overtaken).toBeGreaterThan(20)
  })

  test('loses and doubles about as many messages as it should', () => {
    const lossy = stream(4000, { loss: 0.2 }, 10)
    expect(lossy.numbers.length / 4000).toBeCloseTo(0.8, 1)
    expect(lossy.world.messageCounts.total).toBe(4000)
    const doubling = stream(4000, { duplicate: 0.25 }, 10)
    expect(doubling.numbers.length / 4000).toBeCloseTo(1.25, 1)
    expect(Math.abs(doubling.numbers.length / 4000 - 1.25)).toBeLessThan(0.03)
    expect(Math.abs(lossy.numbers.length / 4000 - 0.8)).toBeLessThan(0.03)
  })

  test('no message overtakes another in any random run without reordering', () => {
    const overtaken: string[] = []
    let deliveries = 0
    for (let seed = 0; seed < 60; seed++) {
      const config = configurationOf(seed)
      const fifo = { ...config, network: { ...config.network, reorder: 0 } }
      const last = new Map<string, number>()
      for (const { step } of recordRun(fifo).recording.entries) {
        if (step.kind !== 'deliver') continue
        const link = `${step.from}→${step.node}`
        if (step.sent < (last.get(link) ?? 0)) overtaken.push(`seed ${seed}, ${link}, ${step.sent}`)
        last.set(link, step.sent)
        deliveries += 1
      }
    }
    expect(overtaken).toEqual([])
    expect(deliveries).toBeGreaterThan(1000)
  })
})

describe('sequential sending (001 §4.5)', () => {
  const latency: Latency = { kind: 'constant', us: 3 * MS }
  const network = { send: 'sequential', latency } as const

  /** Member 1 sends a note to everybody else at 0. */
  function broadcast(members: number, faults: Fault[] = []) {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (_, out) => {
          if (out.me !== 1) return
          for (let peer = 2; peer <= members; peer++) out.send(peer, note(peer))
        },
        message: (_, __, m, out) => say(out, numberOf(m)),
      }),
      { members, network, faults },
    )
    world.runUntil(1000 * MS)
    return { world, heard }
  }

  test('the k-th message of a step arrives at k·Tm', () => {
    const { heard } = broadcast(6)
    expect(lines(heard)).toEqual(['3000:2:2', '6000:3:3', '9000:4:4', '12000:5:5', '15000:6:6'])
  })

  test('with multicast all arrive at Tm', () => {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (_, out) => {
          if (out.me === 1) for (const peer of [2, 3, 4]) out.send(peer, note(peer))
        },
        message: (_, __, m, out) => say(out, numberOf(m)),
      }),
      { members: 4, network: { latency } },
    )
    world.runUntil(1000 * MS)
    expect(lines(heard)).toEqual(['3000:2:2', '3000:3:3', '3000:4:4'])
  })

  test('one that crashes in mid-broadcast does not send the rest', () => {
    const { world, heard } = broadcast(6, [{ at: 6500, kind: 'crash', node: 1 }])
    expect(lines(heard)).toEqual(['3000:2:2', '6000:3:3', '9000:4:4'])
    expect(world.isQuiet).toBe(true)
  })

  test('nor does its next incarnation send it', () => {
    const faults: Fault[] = [
      { at: 6500, kind: 'crash', node: 1 },
      { at: 6600, kind: 'recover', node: 1 },
    ]
    const { heard } = broadcast(6, faults)
    expect(lines(heard).filter((line) => line.endsWith(':5') && line < '15000')).toEqual([])
    expect(heard.filter(({ node, at }) => node === 6 && at < 20 * MS)).toEqual([])
  })

  test('a later step does not overtake an earlier one on the same link', () => {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (_, out) => {
          if (out.me !== 1) return
          for (const peer of [2, 3, 4]) out.send(peer, note(1))
          out.set('first', 1)
        },
        timeout: (_, __, out) => {
          out.send(4, note(2))
          out.send(3, note(2))
        },
        message: (_, __, m, out) => say(out, numberOf(m)),
      }),
      { members: 4, network },
    )
    world.runUntil(1000 * MS)
    expect(heard.filter(({ node }) => node === 4).map(({ what }) => what)).toEqual(['1', '2'])
    expect(heard.filter(({ node }) => node === 3).map(({ what }) => what)).toEqual(['1', '2'])
  })
})

describe('cuts and drops', () => {
  const latency: Latency = { kind: 'constant', us: 1 * MS }

  /** Everybody sends everybody a note each 10 ms, from 5 ms on; what is heard: `at:me:from`. */
  function chatter(members: number, faults: Fault[], untilMs: number): string[] {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (_, out) => out.set('tick', 5),
        timeout: (_, __, out) => {
          for (let peer = 1; peer <= members; peer++) if (peer !== out.me) out.send(peer, note(0))
          out.set('tick', 10)
        },
        message: (_, from, __, out) => say(out, from),
      }),
      { members, network: { latency }, faults },
    )
    world.runUntil(untilMs * MS)
    return heard.map(({ at, node, what }) => `${at / MS}:${what}→${node}`)
  }

  test('a cut is directed and lasts until it is healed', () => {
    const faults: Fault[] = [
      { at: 10 * MS, kind: 'cut', from: [1], to: [2] },
      { at: 30 * MS, kind: 'heal' },
    ]
    expect(chatter(2, faults, 40)).toEqual([
      '6:1→2',
      '6:2→1',
      '16:2→1',
      '26:2→1',
      '36:1→2',
      '36:2→1',
    ])
  })

  test('a cut between groups leaves each group its own links', () => {
    const faults: Fault[] = [
      { at: 0, kind: 'cut', from: [1, 2], to: [3] },
      { at: 0, kind: 'cut', from: [3], to: [1, 2] },
    ]
    expect(chatter(3, faults, 10)).toEqual(['6:1→2', '6:2→1'])
  })

  test('messages in flight when the link is cut are lost, even if the link heals later', () => {
    expect(chatter(2, [{ at: 5500, kind: 'cut', from: [1], to: [2] }], 10)).toEqual(['6:2→1'])
    const healed: Fault[] = [
      { at: 5500, kind: 'cut', from: [1], to: [2] },
      { at: 5900, kind: 'heal' },
    ]
    expect(chatter(2, healed, 10)).toEqual(['6:1→2', '6:2→1'])
  })

  test('a message that arrived before the cut is handled, however long that takes', () => {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (_, out) => {
          if (out.me === 1) out.send(2, note(1))
        },
        message: (_, __, m, out) => say(out, numberOf(m)),
      }),
      {
        network: { latency },
        processingUs: 5 * MS,
        faults: [{ at: 2 * MS, kind: 'cut', from: [1], to: [2] }],
      },
    )
    world.runUntil(100 * MS)
    expect(lines(heard)).toEqual(['6000:2:1'])
  })

  test('a drop takes the next message of one link, two drops two', () => {
    const drops: Fault[] = [
      { at: 0, kind: 'drop', from: 1, to: 2 },
      { at: 0, kind: 'drop', from: 1, to: 2 },
      { at: 20 * MS, kind: 'drop', from: 2, to: 1 },
    ]
    expect(chatter(2, drops, 40)).toEqual(['6:2→1', '16:2→1', '26:1→2', '36:1→2', '36:2→1'])
  })

  test('a message to a member that is down is lost as it is sent, and counted as an attempt', () => {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (_, out) => {
          if (out.me === 1) out.send(2, note(1))
        },
        message: (_, __, m, out) => say(out, numberOf(m)),
      }),
      { down: [2] },
    )
    world.runUntil(1000 * MS)
    expect(heard).toEqual([])
    expect([world.messageCounts.total, world.messageCounts.attempts]).toEqual([1, 1])
  })
})

describe('an algorithm that addresses no member', () => {
  test.each([0, 3, -1, 1.5, NaN])('member %d is refused', (peer) => {
    for (const effect of ['send', 'request', 'watch'] as const) {
      const { world } = tinyWorld(() => ({
        start: (_, out) => (effect === 'send' ? out.send(peer, note(1)) : out[effect](peer)),
      }))
      expect(() => world.runUntil(1)).toThrow(InvariantError)
    }
  })
})
