import { describe, expect, test } from 'vitest'
import { algorithms } from '../../algorithms/index.ts'
import type { AnyMessage } from '../../core/algorithm.ts'
import { TermJumpGuard } from './term-jump-guard.ts'

describe.each(algorithms.filter(({ specimen }) => !specimen))('$name', ({ name, messages }) => {
  const leaps = new TermJumpGuard(messages)
  const numbers = name === 'chang-roberts' ? ['round'] : ['term', 'next']
  /** Each message that names a term, with this one. */
  const naming = (term: number): AnyMessage[] =>
    [...messages.variants].flatMap(([type, schema]) =>
      schema.entries
        .filter((entry) => numbers.includes(entry.name))
        .map((entry) => ({ ...schema.init(), type, [entry.name]: term })),
    )

  test('some messages name a term', () => {
    expect(naming(1)).not.toEqual([])
  })

  test('a term that others could have reached while one was away is no leap, nor is an old one', () => {
    for (const message of naming(1e12)) expect(leaps.isTooFar(message, 0)).toBe(false)
    for (const message of naming(0)) expect(leaps.isTooFar(message, 1e15)).toBe(false)
  })

  test('one near the end of the numbers is', () => {
    for (const message of naming(2 ** 52)) expect(leaps.isTooFar(message, 2 ** 51)).toBe(true)
  })
})
