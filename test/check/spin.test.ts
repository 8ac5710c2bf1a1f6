import { describe, expect, test } from 'vitest'
import { ask, questions } from '../../bench/peers/opinions.ts'
import { hasSpin } from '../../bench/peers/spin.ts'

describe.runIf(hasSpin())(
  'SPIN, on a model that was written from the text of Bully_FD',
  async () => {
    test.each(await questions(1))(
      'gives the same verdict as the checker: $what, $property',
      (question) => {
        const { check, spin } = ask(question)
        expect(spin.ok).toBe(question.mutant === 0)
        expect(check.ok).toBe(spin.ok)
        // A whole search; SPIN also counts the state before all members start.
        const isWhole = spin.ok && question.property === 'always'
        expect(isWhole ? check.states : 0).toBe(isWhole ? spin.states - 1 : 0)
      },
      30_000,
    )
  },
)
