import { describe, expect, test } from 'vitest'
import { algorithms } from '../../algorithms/index.ts'
import { bullyFdQuorum } from '../../algorithms/bully-fd-quorum.ts'
import { handlersOf, type Algorithm, type AnyHandlers } from '../../core/algorithm.ts'
import { Group } from '../../core/group.ts'
import { link } from '../../detectors/link.ts'
import { rehearse } from './rehearsal.ts'

const timing = { messageMs: 50, processingMs: 1, detectionMs: 500, watchMs: 500, periodMs: 100 }

function played(algorithm: Algorithm, members: number): Set<string> {
  const ring =
    algorithm.topology === 'ring' ? Array.from({ length: members }, (_, i) => i + 1) : null
  const group = new Group(members, timing, ring)
  const own = handlersOf(algorithm, group)
  const seen = new Set<string>()
  const handlers: AnyHandlers = {
    ...own,
    message: (s, from, message, out) => {
      seen.add(message.type)
      own.message(s, from, message, out)
    },
  }
  rehearse({ algorithm, group, detector: link }, handlers)
  return seen
}

describe('a rehearsal', () => {
  test.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    'of %s comes to an end, alone and in groups small and large',
    (_, algorithm) => {
      for (const members of [1, 2, 3, 5, 50]) played(algorithm, members)
    },
  )

  test('plays heartbeats, a handover and an election', () => {
    expect([...played(bullyFdQuorum, 5)].toSorted()).toEqual([
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
