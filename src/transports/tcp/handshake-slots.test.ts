import { describe, expect, test } from 'vitest'
import { victimOf, type HandshakeSlot } from './handshake-slots.ts'

function slot(
  name: string,
  { spoken = false, proved = false, peer = false, source = '10.0.0.9' } = {},
): HandshakeSlot & { readonly name: string } {
  return {
    name,
    source,
    isPeerAddress: peer,
    hasSpoken: () => spoken,
    hasProved: () => proved,
  }
}

describe('the handshake that gives way is', () => {
  test.each([
    ['one that has sent nothing', [slot('silent'), slot('b', { spoken: true })], 'silent'],
    ['one of an unknown address', [slot('unknown'), slot('b', { peer: true })], 'unknown'],
    [
      'one of the address with the most',
      [slot('a', { source: '10.0.0.1' }), slot('crowd'), slot('crowd')],
      'crowd',
    ],
    [
      'one that has not proved itself',
      [slot('a', { proved: true }), slot('talker', { peer: true, spoken: true })],
      'talker',
    ],
  ])('%s', (_, slots, name) => {
    for (const drawn of [0, 0.5, 0.999]) expect(victimOf(slots, () => drawn)?.name).toBe(name)
  })

  test('a random one of equals', () => {
    const equals = ['a', 'b', 'c', 'd'].map((name) => slot(name))
    const drawn = [0, 0.3, 0.6, 0.9].map((at) => victimOf(equals, () => at)?.name)
    expect(drawn).toEqual(['a', 'b', 'c', 'd'])
  })

  test('none of none', () => {
    expect(victimOf([])).toBeUndefined()
  })
})
