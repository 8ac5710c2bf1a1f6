import { describe, expect, test } from 'vitest'
import { algorithms } from '../../algorithms/index.ts'
import { bullyFdQuorum } from '../../algorithms/bully-fd-quorum.ts'
import type { AnyMessage, AnyState } from '../../core/algorithm.ts'
import { TermJumpGuard } from './term-jump-guard.ts'

/** Elections on rings without faults have no terms. */
const withTerms = algorithms.filter(
  ({ specimen, assumes }) => !specimen && (assumes.crashes || assumes.loss),
)

describe.each(withTerms)('$name', ({ name, messages, state }) => {
  const numbers = name === 'chang-roberts' ? ['round'] : ['term', 'next']
  const stride = state.entries.find((entry) => entry.name === 'term')!.field.stride
  /** Each message that names a term of so many elections. */
  const naming = (elections: number): AnyMessage[] =>
    [...messages.variants].flatMap(([type, schema]) =>
      schema.entries
        .filter((entry) => numbers.includes(entry.name))
        .map((entry) => ({ ...schema.init(), type, [entry.name]: stride * elections })),
    )
  const isTooFar = (message: AnyMessage): boolean =>
    new TermJumpGuard(messages, 3).isTooFar(2, message)

  test('some messages name a term', () => {
    expect(naming(1)).not.toEqual([])
  })

  test('a term that a group can have reached is accepted, and so is an old one', () => {
    for (const message of [...naming(1e9), ...naming(0)]) expect(isTooFar(message)).toBe(false)
  })

  test('a term that no group can have reached yet is rejected', () => {
    for (const message of [...naming(1e12), ...naming(2 ** 52)]) {
      expect(isTooFar(message)).toBe(true)
    }
  })
})

describe('the limit', () => {
  const { messages, state } = bullyFdQuorum
  const STRIDE = 1024
  const DAY_MS = 86_400_000
  let wallMs = Date.UTC(2030, 0, 1)
  const guardOf = (members: number): TermJumpGuard =>
    new TermJumpGuard(messages, members, () => wallMs)
  const ldr = (elections: number): AnyMessage => ({ type: 'ldr', term: STRIDE * elections })

  test('rises with time, not with messages', () => {
    const guard = guardOf(3)
    const perDay = DAY_MS / 10
    const most = (wallMs - Date.UTC(2026, 0, 1)) / 10
    for (let i = 0; i < 3000; i++) {
      expect(guard.isTooFar(2, ldr(most))).toBe(false)
      expect(guard.isTooFar(2, ldr(most + 1))).toBe(true)
    }
    wallMs += DAY_MS
    expect(guard.isTooFar(2, ldr(most + perDay))).toBe(false)
    expect(guard.isTooFar(2, ldr(most + perDay + 1))).toBe(true)
  })

  test('a clock that is years behind still lets a group elect for a century', () => {
    wallMs = 0
    expect(guardOf(3).isTooFar(2, ldr(2 ** 30))).toBe(false)
  })

  test('a term beyond it is believed when a majority names it, and not when one member names it often', () => {
    wallMs = 0
    const guard = guardOf(5)
    const far = 2 ** 40
    for (let i = 0; i < 10; i++) expect(guard.isTooFar(2, ldr(far + 2))).toBe(true)
    expect(guard.isTooFar(3, ldr(far + 1))).toBe(true)
    expect(guard.isTooFar(4, ldr(far))).toBe(false)
    // One of the three is honest, so the group got as far as the least of their terms, and can go on.
    expect(guard.isTooFar(2, ldr(far + 100))).toBe(false)
    expect(guard.isTooFar(2, ldr(2 ** 41))).toBe(true)
  })

  test('a member whose own state is beyond it believes the next elections', () => {
    wallMs = 0
    const guard = guardOf(3)
    const far = 2 ** 40
    const restored = { ...state.init(), term: STRIDE * far } as AnyState
    guard.begin(restored, state)
    expect(guard.isTooFar(2, ldr(far + 100))).toBe(false)
    expect(guard.isTooFar(2, ldr(2 ** 41))).toBe(true)
  })

  test('no majority makes a member believe a term with which the numbers end', () => {
    const guard = guardOf(3)
    for (const from of [2, 3]) expect(guard.isTooFar(from, ldr(2 ** 42 + 1))).toBe(true)
    expect(guard.isTooFar(2, ldr(2 ** 41))).toBe(true)
  })
})
