import { expect, test } from 'vitest'
import { decodeCopies, encodeCopy } from './state-text.ts'
import type { Stored } from './store.ts'

const OWNER = { cluster: 'test', member: 'ä' }
const STORED: Stored = { incarnation: 4, state: { promised: 2051, voted: 'b' } }

test('a copy fills whole blocks, whatever the length of the record', () => {
  for (const length of [0, 3900, 3990, 4000, 4096, 9000]) {
    const stored: Stored = { ...STORED, members: ['a', 'ä'.repeat(length)] }
    const copy = encodeCopy(OWNER, stored)
    expect(copy.length % 4096).toBe(0)
    expect(decodeCopies(Buffer.concat([copy, copy]))).toEqual({ owner: OWNER, stored })
  }
})

test('a flipped bit damages its own copy, and the other one is read; two copies with a flipped bit are refused', () => {
  const copy = encodeCopy(OWNER, STORED)
  const next = encodeCopy(OWNER, { ...STORED, incarnation: 5 })
  const bytes = Buffer.concat([next, copy])
  const wrong: string[] = []
  for (let bit = 0; bit < 8 * copy.length; bit += bit < 400 ? 1 : 5) {
    const [at, mask] = [bit >> 3, 1 << (bit & 7)]
    const judge = (what: string, incarnation: number | undefined): void => {
      if (decodeCopies(bytes)?.stored.incarnation !== incarnation) wrong.push(`${what} ${bit}`)
    }
    bytes[at] ^= mask
    judge('first', 4)
    bytes[copy.length + at] ^= mask
    judge('both', undefined)
    bytes[at] ^= mask
    judge('second', 5)
    bytes[copy.length + at] ^= mask
  }
  expect(wrong).toEqual([])
})
