import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { algorithmOf, ELSEWHERE, ERRATA } from '../../scripts/mutants/errata-list.ts'
import { check } from '../../src/check/index.ts'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/errata.md', root), 'utf8')

/** The cells of the row of a defect. */
function rowOf(defect: string, what: string): string[] {
  const rows = page.split('\n').map((line) => line.split(' | ').map((cell) => cell.trim()))
  return rows.find(([first, second]) => first === `| ${defect}` && second === what) ?? []
}

describe('every defect that a run can show', () => {
  it.each(ERRATA.map((shown) => [shown.defect, shown.what, shown] as const))(
    '%s: %s',
    async (defect, what, shown) => {
      const algorithm = await algorithmOf(shown)
      const { counterexample } = check({ algorithm, ...shown.given })
      expect(counterexample?.property).toBe(shown.property)
      const steps = `${shown.property}, ${counterexample!.steps.length} steps`
      expect(rowOf(defect, what)[3]).toBe(steps)
    },
  )

  it.each(ELSEWHERE)('%s: %s is tested in %s', (defect, what, test) => {
    const text = readFileSync(new URL(`src/algorithms/${test}`, root), 'utf8')
    expect(text).toMatch(new RegExp(`['"\`]${defect}[:, ]`, 'u'))
    expect(rowOf(defect, what)[2]).toContain(test)
  })
})

describe('docs/errata.md', () => {
  it('names every defect', () => {
    const marks = [...ERRATA.map(({ defect }) => defect), ...ELSEWHERE.map(([defect]) => defect)]
    const letters = (kind: string, last: string): string[] =>
      'abcdefghi'
        .split('')
        .filter((one) => one <= last)
        .map((one) => `${kind}-${one}`)
    const all = [
      ...Array.from({ length: 16 }, (_, i) => `B${i + 1}`),
      ...letters('T', 'f'),
      ...letters('C', 'c'),
      ...letters('R', 'e'),
      ...letters('W', 'i'),
      'Q2',
      'Q3',
    ]
    const shown = new Set(marks.flatMap((defect) => defect.split(', ')))
    expect([...shown].toSorted()).toEqual(all.toSorted())
  })

  it('has one row for each defect', () => {
    const rows = page.split('\n').filter((line) => /^\| [A-Z]-?[a-z0-9]/u.test(line))
    expect(rows).toHaveLength(ERRATA.length + ELSEWHERE.length)
  })

  it('names only files that exist', () => {
    const named = [...page.matchAll(/`((?:src|test|scripts)\/[^`]+)`/gu)].map(([, path]) => path)
    expect(named.length).toBeGreaterThan(ELSEWHERE.length)
    expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
    expect(page).not.toMatch(/`[^`/]+\.test\.ts`/u)
  })
})
