/** omega: what the definition of Ω asks, sentence by sentence, and what a term adds. */
import { describe, expect, test } from 'vitest'
import { beliefs, drain, play, sentLast, stepperFor } from '../../test/support/scenario.ts'
import { eventuallyPerfect, heartbeat } from '../detectors/index.ts'
import { configure, World } from '../sim/index.ts'
import { omega } from './omega.ts'

const settled = (members = 3) => stepperFor(omega, members, { start: 'settled' })

describe('trust', () => {
  test('"all the correct processes always trust the same correct process": the strongest, from the start on', () => {
    const world = play(stepperFor(omega, 3), 'start 1; start 2; start 3; up 1 3; up 2 3')
    expect(beliefs(world)).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
  })

  test('a member that starts trusts nobody until its detector has spoken of the strongest', () => {
    const world = play(stepperFor(omega, 3), 'start 1; start 2; start 3; up 1 2')
    expect(beliefs(world)).toBe('1:Elec 2:Elec 3:Norm(3)')
    expect(beliefs(play(world, 'crash 3; down 1 3'))).toBe('1:Norm(2) 2:Elec 3:down')
  })

  test('a member trusts the strongest of those that it does not suspect, and no message is needed for it', () => {
    const world = play(settled(4), 'crash 4; down 1 4; down 2 4')
    expect(beliefs(world)).toBe('1:Norm(3) 2:Norm(3) 3:Norm(4) 4:down')
    expect(world.recording.entries.flatMap(({ sendings }) => sendings ?? [])).toEqual([])
  })

  test('a member that suspects all its superiors trusts itself', () => {
    expect(beliefs(play(settled(), 'crash 3; down 2 3'))).toBe('1:Norm(3) 2:Norm(2) 3:down')
  })

  test('a mistake of the detector is made good: suspects are asked about again, every period', () => {
    const world = play(settled(), 'down 2 3')
    expect(beliefs(world)).toBe('1:Norm(3) 2:Norm(2) 3:Norm(3)')
    expect(beliefs(play(world, 'timeout 2 tick; up 2 3'))).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
  })

  test.each([heartbeat, eventuallyPerfect])(
    'over $name: the strongest leads again once messages are as fast as assumed',
    (detector) => {
      const world = new World(
        configure({
          algorithm: omega,
          members: 5,
          seed: 3,
          detector,
          faults: [
            { kind: 'pause', node: 5, at: 1_000_000 },
            { kind: 'resume', node: 5, at: 1_500_000 },
          ],
        }),
      )
      world.runUntil(1_450_000)
      expect([1, 2, 3, 4].map((id) => world.states[id].leader)).toEqual([4, 4, 4, 4])
      world.runUntil(4_000_000)
      expect(world.monitors.agreed).toBe(5)
    },
  )
})

describe('terms', () => {
  test('a member that begins to lead says so to its juniors, in a term above all that it knows', () => {
    const world = play(settled(), 'crash 3; down 2 3')
    expect(sentLast(world)).toEqual(['2→1 leads'])
    expect(world.stateOf(2)).toMatchObject({ leader: 2, term: 2 })
  })

  test('a member that knows a larger term says so, and the leader goes above it', () => {
    const world = play(settled(), 'crash 3; down 2 3; crash 2; recover 2; start 2; down 2 3')
    expect(world.stateOf(2)).toMatchObject({ leader: 2, term: 3 })
    drain(play(world, 'recover 3; start 3'))
    expect(world.stateOf(3)).toMatchObject({ leader: 3, term: 4 })
    expect(world.stateOf(1)).toMatchObject({ term: 3 })
    expect(drain(play(world, 'timeout 3 tick')).stateOf(1)).toMatchObject({ term: 4 })
  })

  test('messages of an election: a−1 for the term of the new leader, for all n ≤ 64', () => {
    for (let n = 2; n <= 64; n++) {
      const down = [n]
      const world = new World(
        configure({ algorithm: omega, members: n, down, knownDown: down, initiators: [n - 1] }),
      )
      while (Number.isNaN(world.monitors.agreedSince) && world.step());
      expect([n, world.monitors.agreed]).toEqual([n, n - 1])
      // The others see for themselves whom to trust.
      const { leads = 0, higher = 0 } = world.messageCounts.byType
      expect([n, leads, higher]).toEqual([n, n - 2, 0])
    }
  })
})
