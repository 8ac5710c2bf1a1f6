import { describe, expect, test } from 'vitest'
import { lines, note, numberOf, tiny, tinyWorld } from '../../../test/support/tiny-algorithms.ts'
import { bully } from '../../algorithms/index.ts'
import { configure, type SimOptions } from '../config.ts'
import type { Fault } from '../faults/fault-catalogue.ts'
import { World } from './world.ts'

const MS = 1000
const latency = { kind: 'constant', us: 2 * MS } as const

const life = (...moments: (readonly [number, Fault['kind']])[]): Fault[] =>
  moments.map(([at, kind]) => ({ at, kind, node: 2 }) as Fault)

describe('a crash', () => {
  test('keeps the stable fields and nothing else', () => {
    const { world } = tinyWorld(
      () => ({
        start: (s) => {
          s.kept += 7
          s.keptSet.add(1)
          s.gone = 9
          s.term = 3
          s.leader = 1
          s.status = 'Elec'
        },
      }),
      { faults: [{ at: 10 * MS, kind: 'crash', node: 2 }] },
    )
    world.runUntil(20 * MS)
    const { kept, keptSet, ...rest } = world.states[2]
    expect([kept, [...(keptSet as Iterable<number>)]]).toEqual([7, [1]])
    expect(rest).toEqual({ status: 'Norm', leader: 0, term: 0, gone: 0 })
    expect(world.states[1]['gone']).toBe(9)
  })

  test('of one that is down, and a recovery of one that is up, change nothing', () => {
    const { world, heard } = tinyWorld((say) => ({ start: (_, out) => say(out, 'start') }), {
      faults: life([5 * MS, 'recover'], [10 * MS, 'crash'], [11 * MS, 'crash']),
    })
    world.runUntil(100 * MS)
    expect(lines(heard)).toEqual(['0:1:start', '0:2:start'])
    expect([world.isUp(2), world.monitors.upCount, world.isQuiet]).toEqual([false, 1, true])
  })

  test('ends the timers, draws, requests and watches of the incarnation', () => {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (s, out) => {
          if (out.me !== 2 || s.kept > 0) return
          s.kept = 1
          out.set('first', 5)
          out.set('tick', 5)
          out.request(1)
          out.watch(1)
        },
        timeout: (_, timer, out) => say(out, timer),
        up: (_, peer, out) => say(out, `up ${peer}`),
        down: (_, peer, out) => say(out, `down ${peer}`),
      }),
      {
        network: { latency },
        faults: [
          { at: 1 * MS, kind: 'crash', node: 2 },
          { at: 2 * MS, kind: 'recover', node: 2 },
          { at: 50 * MS, kind: 'crash', node: 1 },
        ],
      },
    )
    world.runUntil(200 * MS)
    expect(heard).toEqual([])
    expect(world.isQuiet).toBe(true)
  })

  test('at 0 comes before the start, also of an initiator', () => {
    const faults: Fault[] = [{ at: 0, kind: 'crash', node: 2 }]
    for (const initiators of [null, [2]]) {
      const { world, heard } = tinyWorld(
        (say) => ({
          start: (_, out) => say(out, 'start'),
          down: (_, __, out) => say(out, 'down'),
        }),
        { members: 3, faults, initiators },
      )
      world.runUntil(100 * MS)
      expect(heard.filter(({ node }) => node === 2)).toEqual([])
      expect(world.isQuiet).toBe(true)
    }
  })
})

describe('a recovery', () => {
  test('is followed by silence of Tm, then by start', () => {
    const { world, heard } = tinyWorld((say) => ({ start: (_, out) => say(out, 'start') }), {
      network: { latency },
      timing: { messageMs: 7 },
      faults: life([10 * MS, 'crash'], [20 * MS, 'recover']),
    })
    world.runUntil(19 * MS)
    expect(world.isUp(2)).toBe(false)
    world.runUntil(21 * MS)
    expect([world.isUp(2), world.isQuiet]).toEqual([true, false])
    world.runUntil(100 * MS)
    expect(lines(heard)).toEqual(['0:1:start', '0:2:start', '27000:2:start'])
    expect(world.isQuiet).toBe(true)
  })

  /** Member 1 sends 2 a note every ms; faults happen to 2. */
  function streamTo2(faults: Fault[], more: Partial<SimOptions> = {}) {
    let next = 0
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (s, out) => {
          if (out.me === 1) out.set('tick', 1)
          else {
            s.gone = 0
            say(out, 'start')
          }
        },
        timeout: (_, __, out) => {
          out.send(2, note(next++))
          out.set('tick', 1)
        },
        message: (s, __, m, out) => {
          s.gone += 1
          say(out, numberOf(m))
        },
      }),
      {
        network: { latency: { kind: 'constant', us: 2500 } },
        timing: { messageMs: 4 },
        faults,
        ...more,
      },
    )
    world.runUntil(40 * MS)
    return { world, heard: heard.filter(({ node }) => node === 2) }
  }

  test('no message to the earlier incarnation reaches the next, nor does any before its start', () => {
    const { heard } = streamTo2(life([10_200, 'crash'], [10_300, 'recover']))
    const start = heard.findIndex(({ what, at }) => what === 'start' && at > 0)
    expect(heard[start].at).toBe(14_300)
    // Note k leaves at k + 1 ms and takes 2.5 ms.
    expect(heard[start - 1]).toEqual({ at: 9500, node: 2, what: '6' })
    expect(heard[start + 1]).toEqual({ at: 14_500, node: 2, what: '11' })
  })

  test('messages to the earlier incarnation take no processing time of the next', () => {
    const { heard } = streamTo2(life([10_200, 'crash'], [10_300, 'recover']), {
      processingUs: 3 * MS,
      timing: { messageMs: 1 },
    })
    const first = heard.find(({ at, what }) => at > 11_300 && what !== 'start')
    expect(first).toEqual({ at: 16_500, node: 2, what: '10' })
  })

  test('one that crashes again in its silence does not start', () => {
    const { heard, world } = streamTo2(
      life([10 * MS, 'crash'], [11 * MS, 'recover'], [12 * MS, 'crash'], [20 * MS, 'recover']),
    )
    expect(heard.filter(({ what }) => what === 'start').map(({ at }) => at)).toEqual([0, 24_000])
    expect(world.incarnation[2]).toBe(4)
  })

  test('of one that was down from the beginning starts it for the first time', () => {
    const { world, heard } = tinyWorld((say) => ({ start: (s, out) => say(out, s.kept) }), {
      down: [2],
      network: { latency },
      faults: [{ at: 10 * MS, kind: 'recover', node: 2 }],
    })
    world.runUntil(100 * MS)
    expect(lines(heard)).toEqual(['0:1:0', '12001:2:0'])
  })

  test('takes the member off every down list at once: it announced itself', () => {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (_, out) => {
          if (out.me === 1) out.set('tick', 30)
        },
        timeout: (_, __, out) => out.request(2),
        up: (_, peer, out) => say(out, `up ${peer}`),
        down: (_, peer, out) => say(out, `down ${peer}`),
      }),
      {
        down: [2],
        knownDown: [2],
        detection: { minUs: 5 * MS, maxUs: 5 * MS },
        faults: [{ at: 29 * MS, kind: 'recover', node: 2 }],
      },
    )
    world.runUntil(100 * MS)
    expect(lines(heard)).toEqual(['35000:1:up 2'])
  })
})

describe('beginning settled', () => {
  test('initiators get the report at 0; the others do their periodic work from the first agreement on', () => {
    const algorithm = tiny({
      settled: (s, leader, out) => {
        s.leader = leader
        s.kept += 1
        out.set('tick', 1)
      },
      down: (s, _, out) => {
        s.leader = 0
        out.set('first', 5)
      },
      timeout: (s, timer) => {
        if (timer === 'first') s.leader = 4
        else s.gone += 1
      },
    })
    const world = new World(configure({ algorithm, members: 4, initiators: [3] }))
    const followed = (): number[] => [1, 2, 3, 4].map((id) => world.monitors.leader[id])
    const ticks = (): unknown[] => [1, 2, 3, 4].map((id) => world.states[id]['gone'])
    expect([followed(), world.monitors.agreed]).toEqual([[4, 4, 4, 4], 4])
    world.runUntil(4 * MS)
    expect([followed(), ticks()]).toEqual([
      [4, 4, 0, 4],
      [0, 0, 0, 0],
    ])
    world.runUntil(100 * MS)
    expect([world.monitors.agreedSince, ticks()]).toEqual([5 * MS, [1, 1, 0, 1]])
  })

  test('on a ring initiators start instead', () => {
    const heard: string[] = []
    const algorithm = tiny(
      {
        start: (_, out) => void heard.push(`start ${out.me}`),
        down: () => void heard.push('down'),
      },
      {},
      { topology: 'ring' },
    )
    new World(configure({ algorithm, members: 4, initiators: [2, 3] })).runUntil(MS)
    expect(heard).toEqual(['start 2', 'start 3'])
  })

  test('bully counts exactly the messages of the formula: the others keep quiet meanwhile', () => {
    const world = new World(
      configure({ algorithm: bully, members: 6, down: [6], knownDown: [6], initiators: [1] }),
    )
    world.runUntilQuiet(10_000_000)
    const [r, f, a] = [5, 1, 5]
    expect(world.messageCounts.sumOf('election')).toBe(r * f + r * (r - 1) + a - 1)
  })
})
