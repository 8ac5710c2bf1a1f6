import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { bully } from '../../algorithms/index.ts'
import { configure } from '../config.ts'
import type { Fault } from '../faults/fault-catalogue.ts'
import { World } from './world.ts'

/** The collector itself, so that what is measured is what is alive. */
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function aliveMb(): number {
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}

test('a run of three million events takes no more memory than one of a million', () => {
  const members = 64
  const faults = Array.from({ length: 2000 }, (_, i): Fault => {
    return { at: 300_000 * (i + 1), kind: i % 2 === 0 ? 'crash' : 'recover', node: members }
  })
  const world = new World(
    configure({
      algorithm: bully,
      members,
      faults,
      timing: { periodMs: 25 },
      network: { loss: 0.01 },
    }),
  )
  while (world.steps < 1_000_000 && world.step());
  const before = aliveMb()
  while (world.steps < 3_000_000 && world.step());
  expect(world.steps).toBe(3_000_000)
  expect(aliveMb() - before).toBeLessThan(4)
})
