import { describe, expect, test } from 'vitest'
import { brokenIn, cells, nameOf } from './matrix.ts'

/** `npm run conformance` runs a thousand. */
const SEEDS = Array.from({ length: 40 }, (_, i) => 1001 + i)

describe('every algorithm over every detector', () => {
  test.each(cells.map((cell) => [cell.algorithm.name, nameOf(cell.detector), cell] as const))(
    '%s over %s keeps its promises',
    (_algorithm, _detector, cell) => {
      expect(brokenIn(cell, SEEDS)).toEqual([])
    },
  )
})
