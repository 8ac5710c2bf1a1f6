import { describe, expect, test } from 'vitest'
import { algorithms } from '../../algorithms/index.ts'
import { bullyFdQuorum } from '../../algorithms/bully-fd-quorum.ts'
import type { Algorithm, AnyHandlers } from '../../core/algorithm.ts'
import { Group } from '../../core/group.ts'
import { link } from '../../detectors/link.ts'
import { warmUp } from './warm-up.ts'

const timing = { messageMs: 50, processingMs: 1, detectionMs: 500, watchMs: 500, periodMs: 100 }

/** The types of the messages that a warm-up delivers, and whether it ended before it was cut off. */
function run(algorithm: Algorithm, members: number) {
  const ring =
    algorithm.topology === 'ring' ? Array.from({ length: members }, (_, i) => i + 1) : null
  const group = new Group(members, timing, ring)
  const types: string[] = []
  const spied: Algorithm = {
    ...algorithm,
    handlers: (...args) => {
      const own = algorithm.handlers(...args) as AnyHandlers
      const message: AnyHandlers['message'] = (s, from, m, out) => {
        types.push(m.type)
        own.message(s, from, m, out)
      }
      return { ...own, message }
    },
  }
  const hasEnded = warmUp({ algorithm: spied, group, detector: link, options: {} })
  return { hasEnded, types }
}

describe('a warm-up', () => {
  test.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    'of %s ends by itself in small groups, and at its limit of 4 × 400 steps in large ones',
    (_, algorithm) => {
      expect(run(algorithm, 1).types).toEqual([])
      for (const members of [2, 3, 5]) {
        const { hasEnded, types } = run(algorithm, members)
        expect(hasEnded).toBe(true)
        // Rings without faults have no leader to lose: nothing happens.
        const loses = !algorithm.specimen && algorithm.assumes.crashes
        expect(types.length > 0 || !loses).toBe(true)
      }
      expect(run(algorithm, 50).types.length).toBeLessThanOrEqual(4 * 400)
    },
  )

  test('runs heartbeats, a handover and an election', () => {
    expect([...new Set(run(bullyFdQuorum, 5).types)].toSorted()).toEqual([
      'ack',
      'endorse',
      'halt',
      'ldr',
      'norm',
      'norm?',
      'resign',
    ])
  })
})
