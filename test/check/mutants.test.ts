/** The lists of mutants: each still names one place in the algorithm that it changes. */
import { expect, test } from 'vitest'
import { MUTANTS } from '../../scripts/mutants/mutants-list.ts'
import { ALL_MUTANTS } from '../../scripts/mutants/lease-mutants.ts'
import { sourcesOf, type Edit } from '../../scripts/mutants/mutate.ts'

interface Listed {
  readonly algorithm: string
  readonly what: string
  readonly edits: readonly Edit[]
}

/** Why a mutant cannot be made; empty: it can. */
function troubleOf({ algorithm, what, edits }: Listed): string[] {
  try {
    sourcesOf(algorithm, edits)
    return []
  } catch (error) {
    return [`${what}: ${(error as Error).message}`]
  }
}

test('the text that a mutant changes occurs once in its algorithm', () => {
  const checked = MUTANTS.map((mutant): Listed => ({
    ...mutant,
    edits: [[mutant.from, mutant.to]],
  }))
  expect([...checked, ...ALL_MUTANTS].flatMap(troubleOf)).toEqual([])
})

test('no two mutants of leases are the same', () => {
  const sources = ALL_MUTANTS.map(({ algorithm, edits }) => JSON.stringify([algorithm, edits]))
  expect(new Set(sources).size).toBe(sources.length)
})
