/** The token detector: laps, lost tokens and absent members. */
import { describe, expect, test } from 'vitest'
import { asker, type Script } from '../../test/support/asker.ts'
import type { NodeId } from '../core/node-id.ts'
import { configure, type SimOptions } from '../sim/config.ts'
import { World } from '../sim/world/world.ts'
import { token } from './token.ts'

interface Pass {
  readonly at: number
  readonly from: NodeId
  readonly to: NodeId
  readonly lap: number
  readonly keeper: NodeId
  readonly careful: boolean
}

/** A world in which `watchers` watch all others, and every passing of a token. */
function circulate(watchers: readonly NodeId[], given: Partial<SimOptions>) {
  const members = given.members ?? 5
  const script: Script = {
    onStart(me, act) {
      if (!watchers.includes(me)) return
      for (let peer = 1; peer <= members; peer++) if (peer !== me) act('watch', peer)
    },
  }
  const { algorithm } = asker(script)
  const world = new World(configure({ detector: token, ...given, members, algorithm }))
  const passes: Pass[] = []
  world.recorder = {
    step: () => undefined,
    done: () => undefined,
    violated: () => undefined,
    sent({ from, to, message }) {
      if (message.type !== 'token') return
      passes.push({
        at: world.now,
        from,
        to,
        ...(message as unknown as Omit<Pass, 'at' | 'from' | 'to'>),
      })
    },
  }
  const since = (at: number) => passes.filter((pass) => pass.at >= at)
  return { world, passes, since }
}

describe('the token', () => {
  test('goes round the ring, one message a member, and nothing else is sent', () => {
    const { world, since } = circulate([1, 2, 3, 4, 5], { ring: [2, 5, 1, 4, 3] })
    world.runUntil(5_000_000)
    const before = world.messageCounts.sumOf('detector')
    world.runUntil(10_000_000)
    const laps = since(5_000_000)
    expect(laps.length).toBe(world.messageCounts.sumOf('detector') - before)
    const next = new Map([
      [2, 5],
      [5, 1],
      [1, 4],
      [4, 3],
      [3, 2],
    ])
    expect(laps.every(({ from, to, careful }) => next.get(from) === to && !careful)).toBe(true)
    expect(new Set(laps.map(({ keeper }) => keeper)).size).toBe(1)
  })

  test('is one, though all begin to watch at once and each of them makes one', () => {
    const { world, passes, since } = circulate([1, 2, 3, 4, 5], {})
    world.runUntil(5_000_000)
    expect(new Set(passes.map(({ keeper }) => keeper)).size).toBeGreaterThan(1)
    const laps = since(2_000_000).map(({ lap }) => lap)
    expect(laps).toEqual(laps.toSorted((a, b) => a - b)) // no two in different laps at a time
  })

  test('is replaced when it is lost with its keeper, and skips members that are down', () => {
    const { world, passes, since } = circulate([1, 2, 3], {})
    world.runUntil(3_000_000)
    const { keeper } = passes.at(-1)!
    world.inject({ kind: 'crash', node: keeper, at: world.now })
    world.runUntil(5_000_000)
    const later = since(4_500_000)
    expect(later.length).toBeGreaterThan(0)
    expect(later.filter(({ from, to }) => from === keeper || to === keeper)).toEqual([])
    expect(new Set(later.map((pass) => pass.keeper)).size).toBe(1)
    expect(later[0].keeper).not.toBe(keeper)
  })

  test('visits a member that has recovered', () => {
    const { world, since } = circulate([1, 2], {})
    world.runUntil(2_000_000)
    world.inject({ kind: 'crash', node: 4, at: world.now })
    world.runUntil(4_000_000)
    expect(since(3_500_000).some(({ to }) => to === 4)).toBe(false)
    world.inject({ kind: 'recover', node: 4, at: world.now })
    world.runUntil(6_000_000)
    expect(since(5_500_000).some(({ to }) => to === 4)).toBe(true)
  })

  test('of one that has forgotten its laps in a crash is accepted in the end', () => {
    const { world, since } = circulate([1], { members: 3 })
    world.runUntil(3_000_000)
    world.inject({ kind: 'crash', node: 1, at: world.now })
    world.runUntil(5_000_000)
    world.inject({ kind: 'recover', node: 1, at: world.now })
    world.runUntil(8_000_000)
    const later = since(7_000_000)
    expect(new Set(later.map(({ to }) => to))).toEqual(new Set([1, 2, 3]))
    expect(later.some(({ careful }) => careful)).toBe(false)
  })
})
