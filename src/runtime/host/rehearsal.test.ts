import { describe, expect, test } from 'vitest'
import { algorithms } from '../../algorithms/index.ts'
import { bullyFdQuorum } from '../../algorithms/bully-fd-quorum.ts'
import { handlersOf, type Algorithm, type AnyHandlers } from '../../core/algorithm.ts'
import { Group } from '../../core/group.ts'
import { link } from '../../detectors/link.ts'
import { rehearse } from './rehearsal.ts'

const timing = { messageMs: 50, processingMs: 1, detectionMs: 500, watchMs: 500, periodMs: 100 }

/** The types of the messages that a rehearsal delivers, one entry for each message. */
function played(algorithm: Algorithm, members: number): string[] {
  const ring =
    algorithm.topology === 'ring' ? Array.from({ length: members }, (_, i) => i + 1) : null
  const group = new Group(members, timing, ring)
  const own = handlersOf(algorithm, group)
  const types: string[] = []
  const handlers: AnyHandlers = {
    ...own,
    message: (s, from, message, out) => {
      types.push(message.type)
      own.message(s, from, message, out)
    },
  }
  rehearse({ algorithm, group, detector: link }, handlers)
  return types
}

describe('a rehearsal', () => {
  test.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    'of %s ends by itself in small groups, and at its limit of 4 × 400 steps in large ones',
    (_, algorithm) => {
      expect(played(algorithm, 1)).toEqual([])
      for (const members of [2, 3, 5]) {
        expect(played(algorithm, members).length).toBeLessThan(400)
        expect(algorithm.specimen || played(algorithm, members).length > 0).toBe(true)
      }
      expect(played(algorithm, 50).length).toBeLessThanOrEqual(4 * 400)
    },
  )

  test('plays heartbeats, a handover and an election', () => {
    expect([...new Set(played(bullyFdQuorum, 5))].toSorted()).toEqual([
      'ack',
      'halt',
      'ldr',
      'norm',
      'norm?',
      'resign',
      'endorse',
    ])
  })
})
