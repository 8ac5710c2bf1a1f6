import { describe, expect, test } from 'vitest'
import {
  lines,
  note,
  numberOf,
  tinyWorld,
  type TinyHandlers,
} from '../../../test/support/tiny-algorithms.ts'
import type { SimOptions } from '../config.ts'
import type { Fault } from '../faults/fault-catalogue.ts'

const MS = 1000
const latency = { kind: 'constant', us: 2 * MS } as const

/** Member 1 sends 2 a note every ms; 2 notes down what it hears. */
function streamTo2(options: Partial<SimOptions>, more: Partial<TinyHandlers> = {}) {
  let next = 0
  const { world, heard } = tinyWorld(
    (say) => ({
      start: (_, out) => {
        if (out.me === 1) out.set('tick', 1)
      },
      timeout: (_, __, out) => {
        out.send(2, note(next++))
        if (next < 20) out.set('tick', 1)
      },
      message: (_, __, m, out) => say(out, numberOf(m)),
      ...more,
    }),
    { network: { latency }, ...options },
  )
  return { world, heard }
}

const fault = (at: number, kind: 'pause' | 'resume' | 'crash' | 'recover', node = 2): Fault => ({
  at,
  kind,
  node,
})

const order = (heard: readonly { what: string }[]): number[] =>
  heard.map(({ what }) => Number(what))
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

describe('a pause', () => {
  test('lets nothing happen to a member, and then everything in order', () => {
    const { world, heard } = streamTo2({ faults: [fault(5500, 'pause'), fault(10_500, 'resume')] })
    world.runUntil(10_000)
    expect(lines(heard)).toEqual(['3000:2:0', '4000:2:1', '5000:2:2'])
    expect([world.isPaused(2), world.isUp(2)]).toEqual([true, true])
    world.runUntil(100 * MS)
    expect(order(heard)).toEqual(upTo(20))
    expect(lines(heard.slice(3, 9))).toEqual(
      [3, 4, 5, 6, 7].map((n) => `10500:2:${n}`).concat('11000:2:8'),
    )
  })

  test('keeps the order also when a message arrives in the microsecond of the resumption', () => {
    const { world, heard } = streamTo2({ faults: [fault(5500, 'pause'), fault(10 * MS, 'resume')] })
    world.runUntil(100 * MS)
    expect(order(heard)).toEqual(upTo(20))
  })

  test('lets timers fire after it, not in it', () => {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (_, out) => {
          if (out.me !== 2) return
          out.set('first', 5)
          out.set('second', 20)
        },
        timeout: (_, timer, out) => say(out, timer),
      }),
      { faults: [fault(1 * MS, 'pause'), fault(10 * MS, 'resume')] },
    )
    world.runUntil(9 * MS)
    expect([heard, world.isQuiet]).toEqual([[], false])
    world.runUntil(100 * MS)
    expect(lines(heard)).toEqual(['10000:2:first', '20000:2:second'])
    expect(world.isQuiet).toBe(true)
  })

  test('a paused member sends nothing; what it has sent leaves', () => {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (_, out) => {
          if (out.me !== 1) return
          for (const peer of [2, 3, 4]) out.send(peer, note(peer))
          out.set('tick', 5)
        },
        timeout: (_, __, out) => out.send(2, note(9)),
        message: (_, __, m, out) => say(out, numberOf(m)),
      }),
      {
        members: 4,
        network: { latency, send: 'sequential' },
        faults: [fault(1 * MS, 'pause', 1), fault(50 * MS, 'resume', 1)],
      },
    )
    world.runUntil(49 * MS)
    expect(lines(heard)).toEqual(['2000:2:2', '4000:3:3', '6000:4:4'])
    world.runUntil(100 * MS)
    expect(lines(heard.slice(3))).toEqual(['52000:2:9'])
  })

  test('what reached a paused member before a cut is handled after it', () => {
    const cut: Fault = { at: 8500, kind: 'cut', from: [1], to: [2] }
    const { world, heard } = streamTo2({
      faults: [fault(5500, 'pause'), cut, fault(10_500, 'resume')],
    })
    world.runUntil(100 * MS)
    expect(order(heard)).toEqual([0, 1, 2, 3, 4, 5])
    expect(world.isQuiet).toBe(true)
  })

  test('what a cut stopped does not reach a member that was paused meanwhile', () => {
    const { world, heard } = streamTo2({
      faults: [
        fault(5500, 'pause'),
        { at: 6500, kind: 'cut', from: [1], to: [2] },
        { at: 8500, kind: 'heal' },
        fault(10_500, 'resume'),
      ],
    })
    world.runUntil(100 * MS)
    expect(order(heard)).toEqual([0, 1, 2, 3, ...upTo(20).slice(8)])
  })

  test('of a member that is down or paused changes nothing, nor does resuming one that runs', () => {
    const { world, heard } = streamTo2({
      faults: [
        fault(1, 'resume'),
        fault(5500, 'pause'),
        fault(6000, 'pause'),
        fault(7500, 'resume'),
      ],
    })
    world.runUntil(100 * MS)
    expect(order(heard)).toEqual(upTo(20))
    const down = streamTo2({ down: [2], faults: [fault(5500, 'pause'), fault(9 * MS, 'recover')] })
    down.world.runUntil(100 * MS)
    expect([down.world.isPaused(2), down.heard.length > 0]).toEqual([false, true])
  })

  test('a paused initiator gets its report when it resumes', () => {
    const { world, heard } = tinyWorld((say) => ({ down: (_, peer, out) => say(out, peer) }), {
      initiators: [1],
      faults: [fault(0, 'pause', 1), fault(10 * MS, 'resume', 1)],
    })
    world.runUntil(100 * MS)
    expect(lines(heard)).toEqual(['10000:1:2'])
  })
})

describe('a crash in a pause', () => {
  const death = [fault(5500, 'pause'), fault(10_500, 'crash')]

  test('ends what waited, and the run becomes quiet', () => {
    const { world, heard } = streamTo2({ faults: death })
    world.runUntil(100 * MS)
    expect(order(heard)).toEqual([0, 1, 2])
    expect([world.isQuiet, world.isPaused(2)]).toEqual([true, false])
  })

  test('also with a pending verdict, a pending report to an initiator, or a pending start', () => {
    const watching = tinyWorld(
      () => ({
        start: (_, out) => {
          if (out.me === 2) out.watch(1)
        },
      }),
      { faults: [fault(5 * MS, 'pause'), fault(6 * MS, 'crash', 1), fault(90 * MS, 'crash')] },
    )
    watching.world.runUntil(200 * MS)
    const told = tinyWorld(() => ({}), {
      members: 3,
      initiators: [2],
      faults: [fault(0, 'pause'), fault(10, 'crash')],
    })
    told.world.runUntil(200 * MS)
    const starting = tinyWorld(() => ({}), { faults: [fault(0, 'pause'), fault(10, 'crash')] })
    starting.world.runUntil(200 * MS)
    expect([watching, told, starting].map(({ world }) => world.isQuiet)).toEqual([true, true, true])
  })

  test('does not stop the timers of the next incarnation', () => {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (_, out) => {
          if (out.me === 2) out.set('first', 20)
        },
        timeout: (_, timer, out) => say(out, timer),
      }),
      {
        timing: { messageMs: 5 },
        faults: [fault(5 * MS, 'pause'), fault(30 * MS, 'crash'), fault(40 * MS, 'recover')],
      },
    )
    world.runUntil(200 * MS)
    expect(lines(heard)).toEqual(['65000:2:first'])
    expect(world.isQuiet).toBe(true)
  })
})

describe('processing time', () => {
  test('messages queue at one member, and another is not held up', () => {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (_, out) => {
          if (out.me > 2) return
          for (const n of [1, 2]) out.send(3, note(n))
          out.send(4, note(9))
        },
        message: (_, from, m, out) => say(out, `${from}/${numberOf(m)}`),
      }),
      { members: 4, network: { latency }, processingUs: 5 * MS },
    )
    world.runUntil(100 * MS)
    expect(lines(heard)).toEqual([
      '7000:3:1/1',
      '7000:4:1/9',
      '12000:3:1/2',
      '12000:4:2/9',
      '17000:3:2/1',
      '22000:3:2/2',
    ])
  })

  test('a slow member takes longer for each message until that ends', () => {
    const { world, heard } = streamTo2({
      faults: [
        { at: 2500, kind: 'slow', node: 2, us: 1500 },
        { at: 5500, kind: 'slow', node: 2, us: 0 },
      ],
    })
    world.runUntil(100 * MS)
    expect(lines(heard.slice(0, 7))).toEqual([
      '4500:2:0',
      '6000:2:1',
      '7500:2:2',
      '7500:2:3',
      '7500:2:4',
      '8000:2:5',
      '9000:2:6',
    ])
  })

  test('no message overtakes another where a member ceases to be slow, in the same microsecond neither', () => {
    for (const end of [5500, 5999, 6000, 6001, 7000, 7500, 9000]) {
      const { world, heard } = streamTo2({
        faults: [
          { at: 2500, kind: 'slow', node: 2, us: 3000 },
          { at: end, kind: 'slow', node: 2, us: 0 },
        ],
      })
      world.runUntil(200 * MS)
      expect(order(heard)).toEqual(upTo(20))
    }
  })
})
