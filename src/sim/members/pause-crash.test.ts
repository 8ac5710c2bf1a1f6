import { expect, test } from 'vitest'
import { bully } from '../../algorithms/bully.ts'
import { configure } from '../config.ts'
import { World } from '../world/world.ts'

test('a member that crashes while it is paused has working timers after it recovers', () => {
  const world = new World(
    configure({
      algorithm: bully,
      members: 2,
      faults: [
        { kind: 'pause', node: 2, at: 50_000 }, // its heartbeat falls due while it is paused
        { kind: 'crash', node: 2, at: 250_000 },
        { kind: 'recover', node: 2, at: 300_000 },
      ],
    }),
  )
  world.runUntil(400_000)
  const before = world.messageCounts.sumOf('heartbeat')
  world.runUntil(900_000)
  expect(world.messageCounts.sumOf('heartbeat')).toBe(before + 5)
})
