/** How worlds run detectors: what each of these tests names was wrong once, or nearly. */
import { describe, expect, test } from 'vitest'
import { asker, type Script } from '../../../test/support/asker.ts'
import { bully } from '../../algorithms/index.ts'
import { detector } from '../../core/detector.ts'
import { record, union } from '../../core/schema.ts'
import { ping } from '../../detectors/index.ts'
import { SimConfigError, configure, type SimOptions } from '../config.ts'
import type { Recorder, Step } from '../record/step.ts'
import { World } from '../world/world.ts'

type Given = Partial<SimOptions> & { readonly members: number }

function worldOf(script: Script, given: Given) {
  const asks = asker(script)
  const world = new World(configure({ detector: ping, ...given, algorithm: asks.algorithm }))
  asks.clock = () => world.now
  const heard = () =>
    asks.log
      .filter(({ deed }) => deed === 'up' || deed === 'down')
      .map(({ at, me, deed, peer }) => `${at} ${me} ${deed} ${peer}`)
  return { world, asks, heard }
}

const SILENT: Recorder = { step() {}, sent() {}, violated() {}, done() {} }

const constant = { latency: { kind: 'constant', us: 1000 } } as const

describe('a configuration', () => {
  test('bounds the detection by what the chosen detector needs', () => {
    const { timing } = configure({ algorithm: bully, members: 5, detector: ping })
    expect(timing.detectionMs).toBeCloseTo(2.5 * timing.messageMs, 9)
    expect(configure({ algorithm: bully, members: 5 }).timing.detectionMs).toBe(20)
  })

  test('whose period does not exceed the time of an answer is refused', () => {
    const short = { algorithm: bully, members: 5, detector: ping, timing: { periodMs: 12 } }
    expect(() => configure(short)).toThrow(SimConfigError)
    expect(() => configure(short)).toThrow('the period (12 ms) must exceed the time in which')
    const slow = { algorithm: bully, members: 5, detection: { minUs: 0, maxUs: 200_000 } }
    expect(() => configure({ ...slow, timing: { periodMs: 200 } })).toThrow('detector perfect')
  })

  test('without a period gets one that exceeds the time of an answer', () => {
    const network = { send: 'sequential' } as const
    const { timing } = configure({ algorithm: bully, members: 50, detector: ping, network })
    expect(timing.periodMs).toBeGreaterThan(timing.detectionMs)
  })
})

describe('a detector module', () => {
  test('sends in sequence with itself, not with the election', () => {
    const script: Script = {
      onStart(me, act) {
        if (me !== 1) return
        act('hello', 2)
        act('request', 2)
        act('hello', 3)
        act('request', 3)
      },
    }
    const network = { send: 'sequential', ...constant } as const
    const { world, heard } = worldOf(script, { members: 3, network })
    world.runUntilQuiet(1_000_000)
    expect(heard()).toEqual(['2000 1 up 2', '3000 1 up 3'])
  })

  test('sends in sequence with itself, not with the detectors of other members, also as all boot', () => {
    const greeter = detector({
      name: 'greeter',
      title: 'says hello as it starts',
      state: record({}),
      messages: union({ hello: {} }),
      timers: {},
      answerMs: () => 1,
      watchMs: () => 1,
      handlers: ({ members }) => ({
        start: (_, __, out) => out.send(1 + (out.me % members), { type: 'hello' }),
        request() {},
        watch() {},
        unwatch() {},
        message() {},
        timeout() {},
        knownDown() {},
      }),
    })
    const network = { send: 'sequential', ...constant } as const
    const { world } = worldOf({}, { members: 3, network, detector: greeter })
    const arrived: number[] = []
    world.recorder = { ...SILENT, step: (at, { kind }) => kind === 'deliver' && arrived.push(at) }
    world.runUntil(10_000)
    expect(arrived).toEqual([1000, 1000, 1000])
  })

  test('has sent what it has sent, also if its member is stalled before the last message leaves', () => {
    const script: Script = {
      onStart(me, act) {
        if (me === 1) for (const peer of [2, 3, 4]) act('request', peer)
      },
    }
    const network = { send: 'sequential', ...constant } as const
    const faults = [
      { kind: 'pause', node: 1, at: 500 },
      { kind: 'resume', node: 1, at: 500_000 },
    ] as const
    const { world, heard } = worldOf(script, { members: 4, network, faults })
    world.runUntilQuiet(1_000_000)
    expect(heard()).toEqual(['500000 1 up 2', '500000 1 up 3', '500000 1 up 4'])
  })

  test('is notified of a frame before the election handles it', () => {
    const deaf: Script = { onStart: (me, act) => me === 2 && act('hello', 1) }
    const { algorithm } = asker(deaf)
    const answers: string[] = []
    const asking = {
      ...algorithm,
      handlers(...args: Parameters<typeof algorithm.handlers>) {
        return {
          ...algorithm.handlers(...args),
          message: (_s: unknown, from: number, _m: unknown, out: { request(p: number): void }) =>
            out.request(from),
          up: () => answers.push('up'),
          down: () => answers.push('down'),
        }
      },
    } as unknown as typeof algorithm
    const world = new World(
      configure({ algorithm: asking, members: 2, detector: ping, knownDown: [2] }),
    )
    world.runUntilQuiet(1_000_000)
    expect(answers).toEqual(['up'])
  })

  test('answers questions without touching the election of a settled member', () => {
    const watched = new Set<number>()
    const spying = {
      ...ping,
      handlers(group: Parameters<typeof ping.handlers>[0]) {
        const inner = ping.handlers(group)
        const watch: typeof inner.watch = (s, peer, out) => {
          watched.add(out.me)
          inner.watch(s, peer, out)
        }
        return { ...inner, watch }
      },
    }
    const { algorithm } = asker({})
    const asking = {
      ...algorithm,
      handlers(...args: Parameters<typeof algorithm.handlers>) {
        return {
          ...algorithm.handlers(...args),
          settled(
            s: { leader: number },
            leader: number,
            out: { watch(p: number): void; me: number },
          ) {
            s.leader = leader
            if (out.me !== leader) out.watch(leader)
          },
          down: (_s: unknown, _peer: number, out: { request(peer: number): void }) =>
            out.request(2),
          up(s: { leader: number }) {
            s.leader = 3
          },
        }
      },
    } as unknown as typeof algorithm
    const world = new World(
      configure({ algorithm: asking, members: 3, detector: spying, initiators: [1] }),
    )
    world.states[1].leader = 0
    world.runUntil(500_000)
    expect([...watched]).toEqual([2])
  })

  test('forgets its timers in a crash', () => {
    const script: Script = { onStart: (me, act) => me === 1 && act('request', 2) }
    const faults = [
      { kind: 'crash', node: 1, at: 2000 },
      { kind: 'recover', node: 1, at: 3000 },
    ] as const
    const { world, asks } = worldOf(script, { members: 2, down: [2], network: constant, faults })
    world.runUntilQuiet(1_000_000)
    // Asked at 0 and, after the crash, at 4001: only the second question times out.
    expect(asks.log.filter(({ deed }) => deed === 'down').map(({ at }) => at)).toEqual([6503])
  })
})

describe('a run', () => {
  test('is not quiet while a member watches one that is down', () => {
    const script: Script = { onStart: (me, act) => me === 1 && act('watch', 2) }
    const slow = { ...ping, watchMs: () => 0 } // the world cannot know how long to hold on
    const { world, heard } = worldOf(script, {
      members: 2,
      detector: slow,
      timing: { periodMs: 400 },
      faults: [{ kind: 'crash', node: 2, at: 1_000_000 }],
    })
    world.runUntil(1_000_001)
    expect(world.isQuiet).toBe(false)
    world.runUntilQuiet(10_000_000)
    expect(heard()).toHaveLength(1)
    expect(world.isQuiet).toBe(true)
  })

  test.each(['unwatch', 'crash', 'recover'])('is quiet again after %s', (what) => {
    const script: Script = { onStart: (me, act) => me === 1 && act('watch', 2) }
    const { world } = worldOf(script, { members: 2, down: [2] })
    world.runUntil(1)
    expect(world.isQuiet).toBe(false)
    world.effects.me = 1
    if (what === 'unwatch') world.effects.unwatch(2)
    else if (what === 'crash') world.inject({ kind: 'crash', node: 1, at: 1 })
    else world.inject({ kind: 'recover', node: 2, at: 1 })
    world.runUntil(10_000)
    expect(world.isQuiet).toBe(true)
  })

  test('can be run to a moment between two microseconds', () => {
    const { world } = worldOf({}, { members: 2 })
    world.runUntil(1000.5)
    expect(world.now).toBe(1001)
  })

  test.each(['perfect', ping] as const)('survives the crash of a stalled member', (detector) => {
    const script: Script = {
      deeds: 1000,
      menu: ['hello'],
      onStart: (me, act) => me === 1 && act('watch', 2),
    }
    const faults = [
      { kind: 'pause', node: 1, at: 100_000 },
      { kind: 'crash', node: 2, at: 110_000 },
      { kind: 'crash', node: 1, at: 400_000 },
      { kind: 'recover', node: 1, at: 500_000 },
    ] as const
    const { world, asks } = worldOf(script, { members: 3, faults, detector })
    world.runUntil(700_000)
    expect(
      asks.log.filter(({ me, deed, at }) => me === 1 && deed === 'hello' && at > 500_000),
    ).not.toEqual([])
    expect(asks.log.some(({ me, deed, at }) => me === 1 && deed === 'down' && at > 500_000)).toBe(
      true,
    )
    const steps: string[] = []
    const recorder: Recorder = {
      step: (_at, step) => steps.push(step.kind),
      sent: () => undefined,
      violated: () => undefined,
      done: () => steps.push('done'),
    }
    world.recorder = recorder
    world.runUntil(701_000)
    expect(steps.filter((_, i) => i % 2 === 1)).toEqual(steps.filter((s) => s === 'done'))
  })

  test.each(['perfect', ping] as const)(
    'is quiet after the crash of a stalled member',
    (detector) => {
      const script: Script = { onStart: (me, act) => me === 1 && act('watch', 2) }
      const faults = [
        { kind: 'pause', node: 1, at: 100_000 },
        { kind: 'crash', node: 2, at: 110_000 },
        { kind: 'crash', node: 1, at: 400_000 },
      ] as const
      const { world } = worldOf(script, { members: 3, faults, detector })
      world.runUntil(500_000)
      expect(world.isQuiet).toBe(true)
    },
  )

  test('tells nothing to an initiator that is gone', () => {
    const config = configure({
      algorithm: bully,
      members: 3,
      initiators: [1],
      faults: [{ kind: 'crash', node: 1, at: 0 }],
    })
    const world = new World(config)
    const steps: Step[] = []
    world.recorder = {
      step: (_, step) => steps.push(step),
      sent: () => undefined,
      violated: () => undefined,
      done: () => undefined,
    }
    world.runUntil(1_000_000)
    expect(steps.filter(({ kind, node }) => kind === 'down' && node === 1)).toEqual([])
  })
})
