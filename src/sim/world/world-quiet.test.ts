import { describe, expect, test } from 'vitest'
import { configurationOf } from '../../../test/support/random/random-configurations.ts'
import { lines, note, tinyWorld, type TinyHandlers } from '../../../test/support/tiny-algorithms.ts'
import { algorithms } from '../../algorithms/index.ts'
import { finish, limitUs, recordRun, summarize, traceOf } from '../run.ts'
import { World } from './world.ts'

const MS = 1000

describe('running until quiet', () => {
  const leading: Partial<TinyHandlers> = {
    start: (s, out) => {
      s.leader = 2
      out.set('tick', 10)
    },
    timeout: (_, __, out) => {
      out.send(3 - out.me, { type: 'beat' })
      out.set('tick', 10)
    },
  }

  test('ends though heartbeats go on for ever', () => {
    const { world } = tinyWorld(() => leading)
    finish(world)
    expect(summarize(world)).toMatchObject({ quiet: true, agreed: true, violations: [] })
    expect(world.now).toBeLessThan(2000 * MS)
    expect(world.messageCounts.sumOf('heartbeat')).toBeGreaterThan(10)
  })

  test('waits for faults, messages, answer timers and the detector', () => {
    const late: Partial<TinyHandlers>[] = [
      { start: (_, out) => out.set('first', 3000) },
      { start: (_, out) => (out.me === 1 ? out.send(2, note(1)) : undefined) },
      { start: (_, out) => (out.me === 1 ? out.request(2) : undefined) },
    ]
    for (const handlers of late) {
      const { world } = tinyWorld(
        () => ({
          timeout: (s) => void (s.leader = 2),
          message: (s) => void (s.leader = 2),
          up: (s) => void (s.leader = 2),
          ...handlers,
        }),
        {
          network: { latency: { kind: 'constant', us: 4000 * MS } },
          timing: { messageMs: 5 },
          detection: { minUs: 4000 * MS, maxUs: 4000 * MS },
          faults: [{ at: 100 * MS, kind: 'heal' }],
        },
      )
      finish(world)
      expect(world.now).toBeGreaterThan(3000 * MS)
      expect(world.monitors.leader[1] + world.monitors.leader[2]).toBeGreaterThan(0)
    }
    const { world } = tinyWorld(() => leading, { faults: [{ at: 5000 * MS, kind: 'heal' }] })
    finish(world)
    expect(world.now).toBeGreaterThan(5000 * MS)
  })

  test('an algorithm that never rests ends at the limit, and is judged there', () => {
    const { world } = tinyWorld(() => ({
      start: (_, out) => out.set('first', 100),
      timeout: (s, _, out) => {
        s.leader = s.leader === 0 ? out.me : 0
        out.set('first', 100)
      },
    }))
    finish(world)
    expect(world.now).toBe(limitUs(world.config))
    expect(summarize(world)).toMatchObject({
      quiet: false,
      violations: [{ property: 'agreement' }],
    })
  })

  test('no random configuration runs for ever', () => {
    for (let seed = 1000; seed < 1060; seed++) {
      const config = { ...configurationOf(seed), untilUs: null }
      const world = new World(config)
      finish(world)
      expect(world.now, `seed ${seed}`).toBeLessThanOrEqual(limitUs(config))
    }
  })
})

describe('running until a moment', () => {
  /** Notes go back and forth without any delay between two members, from 10 ms on; there are 5 of them. */
  const instant = (): ReturnType<typeof tinyWorld> =>
    tinyWorld(
      (say) => ({
        start: (_, out) => {
          if (out.me === 1) out.set('first', 10)
        },
        timeout: (_, __, out) => out.send(2, note(1)),
        message: (_, from, m, out) => {
          if (m.type !== 'note') return
          say(out, m.n)
          if (m.n < 5) out.send(from, note(m.n + 1))
        },
      }),
      { network: { latency: { kind: 'constant', us: 0 } }, timing: { messageMs: 1 } },
    )

  test('handles everything of that microsecond and nothing after it', () => {
    const { world, heard } = instant()
    world.runUntil(10 * MS - 1)
    expect([heard.length, world.now]).toEqual([0, 10 * MS - 1])
    world.runUntil(10 * MS)
    expect([lines(heard).length, world.now]).toEqual([5, 10 * MS])
    world.runUntil(10 * MS)
    expect([lines(heard).length, world.now]).toEqual([5, 10 * MS])
  })

  test('in one go or in pieces is the same run', () => {
    for (let seed = 2000; seed < 2040; seed++) {
      const config = { ...configurationOf(seed), untilUs: null }
      const whole = new World(config)
      whole.runUntil(700 * MS)
      const pieces = new World(config)
      for (let ms = 0; ms <= 700; ms += 7) pieces.runUntil(ms * MS)
      expect([pieces.now, pieces.steps, pieces.members.deliveries]).toEqual([
        700 * MS,
        whole.steps,
        whole.members.deliveries,
      ])
      expect(summarize(pieces)).toEqual(summarize(whole))
    }
  })

  test('without anything left to happen still moves the clock', () => {
    const { world } = tinyWorld(() => ({}), { members: 1 })
    world.runUntil(86_400_000_000)
    expect(world.now).toBe(86_400_000_000)
  })

  test('a trace is a beginning of the trace of a longer run', () => {
    for (let seed = 3000; seed < 3030; seed++) {
      const config = configurationOf(seed)
      const body = (untilUs: number): string => {
        const each = { ...config, untilUs }
        return traceOf(each, recordRun(each).recording)
          .split('----\n')[1]
          .replaceAll(/^ {2}!.*\n/gmu, '')
      }
      const [short, long] = [body(200 * MS), body(400 * MS)]
      expect(long.startsWith(short), `seed ${seed}`).toBe(true)
    }
  })
})

describe('every registered algorithm', () => {
  test.each(algorithms.map(({ name }) => name))(
    '%s is quiet in the end, without faults',
    (name) => {
      const algorithm = algorithms.find((each) => each.name === name)!
      const { world } = tinyWorld(() => ({}), { algorithm, members: 5 })
      finish(world)
      const summary = summarize(world)
      expect(summary).toMatchObject({ quiet: true, agreed: true, violations: [] })
      expect(algorithm.promises.leader === 'any' || summary.leader === 5).toBe(true)
    },
  )
})
