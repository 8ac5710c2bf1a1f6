/** What the printed Ring does, and its defects R-a to R-e. */
import { describe, expect, test } from 'vitest'
import { beliefs, drain, play, stepperFor } from '../../../test/support/scenario.ts'
import type { OptionValues } from '../../core/algorithm.ts'
import { configure, World, type Fault, type Recorder } from '../../sim/index.ts'
import { ringAsPrinted } from './ring-as-printed.ts'

/** Each hop takes a millisecond, and the detector sees at once how things are. */
function run(
  members: number,
  initiator: number,
  faults: readonly Fault[],
  options: OptionValues = {},
): World {
  const world = new World(
    configure({
      algorithm: ringAsPrinted,
      members,
      options,
      initiators: [initiator],
      network: { latency: { kind: 'constant', us: 1000 } },
      detection: { minUs: 0, maxUs: 0 },
      faults,
    }),
  )
  world.runUntil(1_000_000)
  return world
}

const leadersOf = (world: World, ...ids: number[]): number[] =>
  ids.map((id) => world.states[id].leader)

describe('the Ring as printed', () => {
  test('without faults one initiator costs 2n messages, and all learn of the highest', () => {
    for (let members = 2; members <= 64; members++) {
      const world = run(members, 1, [])
      expect(world.messageCounts.sumOf('election')).toBe(2 * members)
      expect(world.monitors.agreed).toBe(members)
    }
  })

  describe('on a ring of twelve, three of them down', () => {
    const down = [3, 4, 9]
    const live = [1, 2, 5, 6, 7, 8, 10, 11, 12]
    const around = (recorder?: Recorder): World => {
      const world = new World(
        configure({
          algorithm: ringAsPrinted,
          members: 12,
          down,
          knownDown: down,
          initiators: [1],
        }),
      )
      if (recorder !== undefined) world.recorder = recorder
      world.runUntil(1_000_000)
      return world
    }

    test('"If successor is down, sender skips over it", "until a running process is located"', () => {
      const delivered: number[] = []
      const ignore = (): void => undefined
      around({
        step: (_at, step) => {
          if (step.kind === 'deliver' && step.message.type === 'election') delivered.push(step.node)
        },
        sent: ignore,
        done: ignore,
        violated: ignore,
      })
      expect(delivered).toEqual([...live.slice(1), 1])
    })

    test('the message informs everyone "who the new coordinator is", and "who the members of the new ring are"', () => {
      const { states } = around()
      for (const id of live) {
        expect([id, states[id].leader, [...(states[id]['ring'] as Iterable<number>)]]).toEqual([
          id,
          12,
          live,
        ])
      }
    })

    test('"When message has circulated once, it is removed"', () => {
      const world = around()
      // Each of the nine sends it on, and three of them first to one that is down.
      expect(world.messageCounts.byType['coordinator']).toBe(live.length + down.length)
      expect(world.outbox.inFlight).toBe(0)
    })
  })

  test('R-a: lists of concurrent initiators differ, and COORDINATORs arrive in shifted orders: for ever', () => {
    const world = play(
      stepperFor(ringAsPrinted, 3, { down: [3] }),
      `start 2
       down 2 3                # 2 skips 3: its list is for 1
       start 1
       deliver 1→2 election    # let 1's own list pass: it is not needed here
       recover 3; start 3
       deliver 3→1 election    # 1 sees the list of 3 first, then that of 2
       deliver 2→1 election`,
    )
    expect(beliefs(drain(world))).toBe('1:Norm(2) 2:Norm(3) 3:Norm(2)')
  })

  test('R-b: the holder of the ELECTION crashes, and the initiator waits for ever', () => {
    const world = run(3, 1, [{ kind: 'crash', node: 3, at: 1500 }])
    expect(leadersOf(world, 1, 2)).toEqual([0, 0])
    expect(world.isQuiet).toBe(true)
  })

  test('R-c: the initiator crashes, and its ELECTION circulates for ever', () => {
    const world = run(4, 1, [{ kind: 'crash', node: 1, at: 1500 }])
    expect(leadersOf(world, 2, 3, 4)).toEqual([0, 0, 0])
    expect(world.messageCounts.byType['election']).toBeGreaterThan(900)
  })

  test('R-d: a member that "recognizes the message that contains its own process number" announces a member that is down', () => {
    const followed = new Set<number>()
    const world = run(4, 4, [], { recognise: 'number' })
    expect(world.monitors.agreed).toBe(4)
    const dead = new World(
      configure({
        algorithm: ringAsPrinted,
        members: 4,
        options: { recognise: 'number' },
        initiators: [4],
        network: { latency: { kind: 'constant', us: 1000 } },
        detection: { minUs: 0, maxUs: 0 },
        faults: [{ kind: 'crash', node: 4, at: 500 }],
      }),
    )
    while (dead.now < 20_000 && dead.step()) {
      for (const id of [1, 2, 3]) followed.add(dead.states[id].leader)
    }
    expect(followed).toContain(4)
  })

  test('R-e: the holder of the COORDINATOR crashes, and the coordinator itself never learns of it', () => {
    const world = run(3, 1, [{ kind: 'crash', node: 2, at: 3500 }])
    expect(leadersOf(world, 1, 3)).toEqual([3, 0])
    expect(world.isQuiet).toBe(true)
  })
})
