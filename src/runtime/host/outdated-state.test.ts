import { describe, expect, test } from 'vitest'
import { bullyFdQuorum } from '../../algorithms/bully-fd-quorum.ts'
import { raft } from '../../algorithms/raft.ts'
import type { Algorithm, AnyState } from '../../core/algorithm.ts'
import { MemoryStore } from '../../stores/memory.ts'
import { DurableState } from './durable-state.ts'
import { OutdatedState } from './outdated-state.ts'

const [B, C, D] = [2, 3, 4]

/** Member a of four in its third incarnation. */
async function begun(algorithm: Algorithm, more: Partial<AnyState> = {}) {
  const names = ['', 'a', 'b', 'c', 'd']
  const store = new MemoryStore()
  const roles = new Map([1, 2, 3, 4].map((seat) => [seat, 'voter' as const]))
  const config = { algorithm, store, names, me: 1, roles, fixedMembers: true, key: '' }
  await new DurableState(config).begin(null)
  const durable = new DurableState(config)
  await durable.begin(store.read())
  const state = { ...(await durable.begin(store.read())), ...more } as AnyState
  const done: (string | number)[] = []
  const outdated = new OutdatedState(durable, 'the store', config, {
    told: ({ message }) => done.push(message),
    beginAfter: (incarnation) => done.push(incarnation),
  })
  return { state, outdated, done, number: () => store.read()!.incarnation }
}

describe('without votes', () => {
  test('a member begins after the incarnation that a peer has seen', async () => {
    const { outdated, state, done } = await begun(bullyFdQuorum)
    outdated.rejected(state, B, 2)
    expect(done).toEqual([])
    outdated.rejected(state, B, 9)
    expect(done).toEqual([9])
  })

  test('a peer that lies makes it do so once, and not further than other peers accept', async () => {
    const { outdated, state, done } = await begun(bullyFdQuorum)
    for (const seen of [5, 6, 700]) outdated.rejected(state, B, seen)
    for (const seen of [2 ** 32, 900, 901]) outdated.rejected(state, C, seen)
    outdated.rejected(state, D, 500)
    expect(done).toEqual([5, 900])
  })
})

describe.each([
  ['with votes', bullyFdQuorum, { admitted: true }],
  ['under an algorithm that admits nobody', raft, {}],
] as const)('%s', (_, algorithm, more) => {
  test('the next process has the same number while no peer has accepted it, and the file is named once', async () => {
    const { outdated, state, done, number } = await begun(algorithm, more)
    expect(number()).toBe(3)
    outdated.rejected(state, B, 9)
    expect(number()).toBe(2)
    outdated.connected(B) // it dials this member, and rejects it all the same
    expect(number()).toBe(2)
    outdated.connected(C)
    expect(number()).toBe(3)
    outdated.rejected(state, D, 9)
    expect(number()).toBe(3)
    expect(done).toEqual([
      'the store: b has seen incarnation 9 of this member, and this is 3: either another process runs as a elsewhere, such ' +
        'as one with a copied configuration: stop that one, keep this file, and wait for up to ten minutes; or this file was restored from an old copy: ' +
        'stop this member, delete the file and start it again',
    ])
  })
})
