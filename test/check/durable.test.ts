import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { algorithmOf, VOLATILE_FIELDS, UNDETECTED } from '../../scripts/mutants/volatile-fields.ts'
import { algorithms } from '../../src/algorithms/index.ts'
import { check } from '../../src/check/index.ts'

/** docs/mutants.md without its padding. */
const page = readFileSync(new URL('../../docs/mutants.md', import.meta.url), 'utf8').replaceAll(
  / +/gu,
  ' ',
)

describe('a durable field that is kept in memory only', () => {
  it.each(VOLATILE_FIELDS.map((it) => [it.algorithm, it.field, it.property, it] as const))(
    '%s loses its %s in a crash, and breaks: %s',
    (_, __, property, forgotten) => {
      const { counterexample } = check({ algorithm: algorithmOf(forgotten), ...forgotten.given })
      expect(counterexample?.property).toBe(property)
      const { algorithm, field } = forgotten
      const row = `| ${algorithm} | ${field} | ${property}, ${counterexample!.steps.length} steps, `
      expect(page).toContain(row)
    },
  )

  it('goes undetected only for a reason that is given', () => {
    const durable = algorithms
      .filter(({ specimen }) => !specimen)
      .flatMap(({ name, state }) =>
        state.entries.filter(({ field }) => field.stable).map((entry) => `${name} ${entry.name}`),
      )
    const named = [
      ...VOLATILE_FIELDS.map(({ algorithm, field }) => `${algorithm} ${field}`),
      ...UNDETECTED.map(([algorithm, field]) => `${algorithm} ${field}`),
    ]
    expect([...new Set(named)].toSorted()).toEqual(durable.toSorted())
  })
})
