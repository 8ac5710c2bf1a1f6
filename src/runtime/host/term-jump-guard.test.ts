import { describe, expect, test } from 'vitest'
import { algorithms } from '../../algorithms/index.ts'
import type { AnyMessage } from '../../core/algorithm.ts'
import { TermJumpGuard } from './term-jump-guard.ts'

/** Elections on rings without faults have no terms. */
const withTerms = algorithms.filter(
  ({ specimen, assumes }) => !specimen && (assumes.crashes || assumes.loss),
)

describe.each(withTerms)('$name', ({ name, messages }) => {
  const guard = new TermJumpGuard(messages)
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

  test('a term that a group can have reached is accepted, and so is an old one', () => {
    for (const message of naming(1e12)) expect(guard.isTooFar(message, 0)).toBe(false)
    for (const message of naming(0)) expect(guard.isTooFar(message, 1e15)).toBe(false)
  })

  test('a term near the largest number is rejected', () => {
    for (const message of naming(2 ** 52)) expect(guard.isTooFar(message, 2 ** 51)).toBe(true)
  })
})
