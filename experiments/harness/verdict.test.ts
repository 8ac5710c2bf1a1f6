/** Tests the one rule for verdicts: which cases are met, which run decides, and what our formula explains. */
import { describe, expect, test } from 'vitest'
import type { Case, Claim, Run } from './claim.ts'
import { isMet, judged, kindOf, verdictOf } from './verdict.ts'

const CLAIM: Claim = { id: '000-a', source: '000', claim: 'a', published: '1', formula: '1' }
const at = (published: Case['published'], measured: number): Case => ({ published, measured })
const run = (algorithm: string, ...cases: Case[]): Run => ({ algorithm, shown: algorithm, cases })
const of = (...runs: Run[]) => judged(CLAIM, { runs, why: 'why', figures: {} })

describe('a case is met', () => {
  test.each<[Case['published'], number, number, boolean]>([
    [10, 10, 0, true],
    [10, 10.4, 0, false],
    [10, 10.4, 0.05, true],
    [{ atMost: 10 }, 10, 0, true],
    [{ atMost: 10 }, 10.4, 0, false],
    [{ atMost: 10 }, 10.4, 0.05, true],
    [{ atLeast: 10 }, 9.6, 0.05, true],
    [{ below: 10 }, 10, 0.05, false],
    [{ above: 10 }, 10.1, 0, true],
    [10, NaN, 1, false],
    [{ atMost: 10 }, NaN, 1, false],
  ])('%j, measured %d, tolerance %d: %s', (published, measured, tolerance, expected) => {
    expect(isMet(at(published, measured), tolerance)).toBe(expected)
  })

  test('within its margin, if a value is published, but not if a bound is', () => {
    expect(isMet({ published: 10, measured: 11, margin: 1 })).toBe(true)
    expect(isMet({ published: { below: 10 }, measured: 10.5, margin: 1 })).toBe(false)
  })
})

describe('a verdict', () => {
  test.each([
    ['holds', [at(1, 1), at(2, 2)]],
    ['nearly holds', [at(10, 9), at(10, 10)]],
    ['holds in part', [at(1, 1), at(1, 5)]],
    ['does not hold', [at(1, 5), at(1, NaN)]],
    ['does not hold', []],
  ])('%s', (expected, cases) => {
    expect(verdictOf(cases)).toBe(expected)
  })

  test('is that of what a document prints or describes, not of the corrected algorithm or ours', () => {
    const printed = run('bully-as-printed', at(1, 5))
    expect(of(run('bully', at(1, 1)), printed)).toMatchObject({
      verdict: 'does not hold',
      judgedBy: 'printed',
    })
    expect(of(run('bully', at(1, 1)), run('raft', at(1, 5))).judgedBy).toBe('described')
    expect(of(run('bully', at(1, 1)), run('bully-fd-quorum', at(1, 5))).judgedBy).toBe('corrected')
  })

  test('is the most charitable of several readings', () => {
    const readings = [run('ring-as-printed', at(1, 5)), run('ring-as-printed', at(1, 1))]
    expect(of(...readings).verdict).toBe('holds')
  })

  test('of two readings with the same verdict is shown of the one that is nearer to what is printed', () => {
    const [far, near, endless] = [9, 4, NaN].map((ms) => run('ring-as-printed', at(1, ms)))
    const named = (one: Run, shown: string): Run => ({ ...one, shown })
    expect(of(far, named(near, 'near'), endless).measured).toBe('near')
    expect(of(endless, named(far, 'far')).measured).toBe('far')
  })

  test('is not that of a run that stands beside the claim', () => {
    const beside = { ...run('roulette-as-printed', at(1, 1)), beside: true } as const
    expect(of(beside, run('roulette-as-printed', at(1, 5))).verdict).toBe('does not hold')
  })

  test('is not that of a run that was fitted to the published value', () => {
    const fitted = { ...run('roulette-as-printed', at(1, 1)), fitted: true } as const
    expect(of(fitted, run('roulette-as-printed', at(1, 5))).verdict).toBe('does not hold')
  })
})

test('our formula explains a claim if it was measured in every case of every run', () => {
  const explained = (measured: number, formula: number): boolean =>
    of(run('bully', { published: 1, measured, formula })).explained
  expect([explained(2, 2), explained(2, 3), explained(NaN, NaN), explained(2, NaN)]).toEqual([
    true,
    false,
    true,
    false,
  ])
})

test('an algorithm is printed, described, corrected or ours', () => {
  expect(['ring-as-printed', 'le-lann', 'ring', 'bully-fd-quorum'].map(kindOf)).toEqual([
    'printed',
    'described',
    'corrected',
    'ours',
  ])
})
