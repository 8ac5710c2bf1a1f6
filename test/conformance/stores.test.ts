/** The conformance suite of stores. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { FileStore } from '../../src/stores/file.ts'
import { MemoryStore } from '../../src/stores/memory.ts'
import { StoreError, type Store, type Stored } from '../../src/stores/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'bellwether-stores-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0

interface Kind {
  readonly name: string
  /** Gives the member's store; called again, it gives the next life's. */
  readonly member: () => () => Store
}

const kinds: Kind[] = [
  {
    name: 'memory',
    member: () => {
      const store = new MemoryStore()
      return () => {
        store.reopen()
        return store
      }
    },
  },
  {
    name: 'file',
    member: () => {
      const path = join(folder, `state-${(files += 1)}`)
      return () => new FileStore(path, { cluster: 'test', member: 'a' })
    },
  },
]

describe.each(kinds)('$name', ({ member }) => {
  const stored: Stored = {
    incarnation: 3,
    algorithm: 'bully-fd-quorum',
    state: { promised: 2 ** 53 - 1, voted: 'ü "b"\n', none: null, list: ['a', 1, [true]] },
  }

  test('a member that has never run has no stored state', () => {
    const store = member()()
    expect(store.read()).toBeNull()
    store.close()
  })

  test('returns what was written last', () => {
    const store = member()()
    store.write({ incarnation: 1, state: {} })
    store.write(stored)
    expect(store.read()).toEqual(stored)
    store.close()
  })

  test('returns it to the next incarnation too', () => {
    const open = member()
    const first = open()
    first.write(stored)
    first.close()
    const second = open()
    expect(second.read()).toEqual(stored)
    second.close()
  })

  test('returns to the next incarnation what may become durable later', () => {
    const open = member()
    const first = open()
    first.write({ incarnation: 1, state: {} })
    if (first.writeSoon === undefined) first.write(stored)
    else first.writeSoon(stored)
    first.close()
    const second = open()
    expect(second.read()).toEqual(stored)
    second.close()
  })

  test('is not changed by later changes of the object', () => {
    const store = member()()
    const state = { term: 1 }
    store.write({ incarnation: 1, state })
    state.term = 2
    expect(store.read()).toEqual({ incarnation: 1, state: { term: 1 } })
    store.close()
  })

  test('refuses everything once it is closed; closing twice is fine', () => {
    const store = member()()
    store.close()
    store.close()
    expect(() => store.read()).toThrow(StoreError)
    expect(() => store.write(stored)).toThrow(StoreError)
  })
})
