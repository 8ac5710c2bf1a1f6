import { describe, expect, it } from 'vitest'
import { algorithmOf, ERRATA } from '../../scripts/errata-list.ts'
import { check } from '../../src/check/index.ts'

describe('every defect that a run can show', () => {
  it.each(ERRATA.map((shown) => [shown.defect, shown.what, shown] as const))(
    '%s: %s',
    async (_, __, shown) => {
      const algorithm = await algorithmOf(shown)
      const { counterexample } = check({ algorithm, ...shown.given })
      expect(counterexample?.property).toBe(shown.property)
    },
  )
})
