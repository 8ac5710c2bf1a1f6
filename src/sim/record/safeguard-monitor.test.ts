import { describe, expect, test } from 'vitest'
import { bullyFdQuorum } from '../../algorithms/bully-fd-quorum.ts'
import type { AnyState } from '../../core/algorithm.ts'
import { LeaseMonitor } from './lease-monitor.ts'
import { SafeguardMonitor } from './safeguard-monitor.ts'

const TERM = 1024 + 3

/** Three members, of which 3 leads until 400. */
function group() {
  const broken: string[] = []
  const leases = new LeaseMonitor(
    3,
    (id) => id,
    () => undefined,
  )
  const monitor = new SafeguardMonitor(
    bullyFdQuorum.promises.safeguards!,
    3,
    leases,
    (id) => id,
    (property) => broken.push(property),
  )
  const step = (node: number, s: Partial<Record<string, unknown>>, ends = 0): void => {
    const state = { leader: 3, term: TERM, vote: TERM, admitted: true, bonded: false, ...s }
    const ended = { s: state as unknown as AnyState, endOf: () => ends, deadline: ends }
    monitor.stepped(node, { ...ended, configuration: null }, 0)
  }
  const lead = (): void => {
    leases.shown(3, TERM, 400, 0)
    step(3, {})
  }
  return { broken, monitor, step, lead }
}

describe('a lease is kept', () => {
  test.each([
    ['one member is bonded to the leader for as long', { bonded: true, bondedTo: 3 }, 400, true],
    ['one member is bonded to a leader that it forgot', { bonded: true, bondedTo: 0 }, 400, true],
    ['one member without state waits for as long', { admitted: false }, 400, true],
    ['the bond ends earlier', { bonded: true, bondedTo: 3 }, 399, false],
    ['the wait ends earlier', { admitted: false }, 399, false],
    ['the bond is to another member', { bonded: true, bondedTo: 2 }, 500, false],
    ['there is no bond', { bonded: false, bondedTo: 3 }, 500, false],
  ])('%s', (_, state, ends, isKept) => {
    const { broken, step, lead } = group()
    step(2, { bonded: false })
    step(1, state, ends)
    lead()
    expect(broken).toEqual(isKept ? [] : ['kept leases'])
  })

  test('by a member that is down: it binds itself when it starts', () => {
    const { broken, monitor, step, lead } = group()
    step(2, { bonded: false })
    monitor.wentDown(1, { admitted: true, vote: TERM } as unknown as AnyState, null, 0)
    lead()
    expect(broken).toEqual([])
    step(1, { bonded: false })
    expect(broken).toEqual(['kept leases'])
  })
})

test('votes are kept while a minority of those that may vote lack one for a term that was led in', () => {
  const { broken, step, lead } = group()
  step(1, { bonded: true, bondedTo: 3, vote: TERM - 1024 }, 400)
  step(2, { bonded: true, bondedTo: 3, vote: TERM + 1024 }, 400)
  lead()
  expect(broken).toEqual([])
  step(2, { admitted: false, vote: 0 }, 400)
  expect(broken).toEqual([])
  step(2, { bonded: true, bondedTo: 3, vote: TERM - 1024 }, 400)
  expect(broken).toEqual(['kept votes'])
})
