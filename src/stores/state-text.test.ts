import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodeCopies, encodeCopy } from './state-text.ts'
import type { Stored } from './store.ts'

const OWNER = { cluster: 'test', member: 'ä' }
const STORED: Stored = { incarnation: 4, state: { promised: 2051, voted: 'b' } }

test('a copy fills whole blocks, whatever the length of the record', () => {
  for (const length of [0, 3900, 3990, 4000, 4096, 9000]) {
    const stored: Stored = { ...STORED, members: ['a', 'ä'.repeat(length)] }
    const copy = encodeCopy(OWNER, stored, 1)
    expect(copy.length % 4096).toBe(0)
    expect(decodeCopies(Buffer.concat([copy, copy]))).toMatchObject({ owner: OWNER, stored })
  }
})

test('a flipped bit damages its own copy, and the other one is read; two copies with a flipped bit are refused', () => {
  const copy = encodeCopy(OWNER, STORED, 1)
  const next = encodeCopy(OWNER, { ...STORED, incarnation: 5 }, 2)
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

test('of two whole copies the newer one is read, wherever it is', () => {
  const copies = [9, 10].map((sequence) =>
    encodeCopy(OWNER, { ...STORED, incarnation: sequence }, sequence),
  )
  for (const order of [copies, copies.toReversed()]) {
    expect(decodeCopies(Buffer.concat(order))).toMatchObject({ stored: { incarnation: 10 } })
  }
})

test('of a file of version 3 the first copy is read, which is never the older one', () => {
  const copyOf = (incarnation: number): Buffer => {
    const header = 'bellwether-state 3 crc32 '
    const rest = Buffer.alloc(4096 - header.length - 9, ' ')
    rest.write(JSON.stringify({ ...OWNER, ...STORED, incarnation }))
    rest.write('\n', rest.length - 1)
    const sum = crc32(rest, 3).toString(16).padStart(8, '0')
    return Buffer.concat([Buffer.from(`${header}${sum}\n`), rest])
  }
  const read = decodeCopies(Buffer.concat([copyOf(5), copyOf(4)]))
  expect(read).toMatchObject({ owner: OWNER, stored: { incarnation: 5, version: 3 } })
})
