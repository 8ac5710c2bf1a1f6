import { describe, expect, test } from 'vitest'
import { bullyFd } from '../../algorithms/bully-fd.ts'
import { bullyFdQuorum } from '../../algorithms/bully-fd-quorum.ts'
import type { Algorithm, AnyState } from '../../core/algorithm.ts'
import type { Store, Stored } from '../../stores/store.ts'
import { DurableState } from './durable-state.ts'

/** Notes which writes the member waits for. */
class NotingStore implements Store {
  readonly writes: string[] = []

  read(): Stored | null {
    return null
  }

  write({ state }: Stored): void {
    this.writes.push(`durable: term ${JSON.stringify(state['term'])}`)
  }

  writeSoon({ state }: Stored): void {
    this.writes.push(`soon: term ${JSON.stringify(state['term'])}`)
  }

  close(): void {}
}

async function begun(algorithm: Algorithm): Promise<{
  store: NotingStore
  durable: DurableState
  state: AnyState
}> {
  const store = new NotingStore()
  const durable = new DurableState({
    algorithm,
    store,
    names: ['', 'a', 'b'],
    roles: new Map([
      [1, 'voter'],
      [2, 'voter'],
    ]),
    fixedMembers: true,
    key: '',
  })
  const state = await durable.begin(null)
  store.writes.length = 0
  return { store, durable, state }
}

describe('a durable state', () => {
  test('waits for no disk where only a field that no guard reads has changed', async () => {
    const { store, durable, state } = await begun(bullyFd)
    state.term = 7
    durable.save(state)
    ;(state as AnyState & { incarn: number }).incarn += 1
    durable.save(state)
    expect(store.writes).toEqual(['soon: term 7', 'durable: term 7'])
  })

  test('waits for the disk where a vote has changed', async () => {
    const { store, durable, state } = await begun(bullyFdQuorum)
    state.term = 1026
    durable.save(state)
    expect(store.writes).toEqual(['durable: term 1026'])
  })
})
