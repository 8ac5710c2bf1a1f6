/** The short form of `npm run soak`, and its checker against records that are wrong on purpose. */
import { describe, expect, test } from 'vitest'
import { violationsOf, type Noted } from '../../scripts/campaigns/soak-check.ts'
import { soak } from '../../scripts/campaigns/soak.ts'

test('never two valid terms at once, terms rise, one lost per elected, through random faults', async () => {
  const flags = ['--detection', '600ms', '--lease', '800ms']
  const report = await soak({ faults: 14, members: 5, seed: 4, flags })
  expect(report.violations).toEqual([])
  expect(report.terms).toBeGreaterThan(0)
})

describe('the checker', () => {
  function note(node: string, atMs: number, event: Noted['event'], term: number, more = {}): Noted {
    const at = String(BigInt(atMs) * 1_000_000n)
    return {
      at,
      time: '',
      node,
      pid: 1,
      event,
      leader: null,
      term,
      termText: String(term),
      reason: null,
      ...more,
    }
  }
  const held = (node: string, term: number, from: number, until: number): Noted[] => [
    note(node, from, 'elected', term),
    note(node, from, 'renewed', term, { untilMs: until }),
    note(node, until + 50, 'lost', term),
  ]

  test('is content with one after the other', () => {
    expect(violationsOf([...held('a', 1, 0, 100), ...held('b', 2, 100, 200)])).toEqual([])
  })

  test('finds two at once', () => {
    const [sentence] = violationsOf([...held('a', 1, 0, 100), ...held('b', 2, 90, 200)])
    expect(sentence).toContain('both held for 10.000 ms')
  })

  test('finds a term that does not rise', () => {
    const notes = [...held('a', 2, 0, 100), ...held('b', 2, 200, 300)]
    expect(violationsOf(notes)[0]).toContain('after a term as high')
  })

  test('finds a term that was lost twice, or never', () => {
    const twice = [...held('a', 1, 0, 100), note('a', 170, 'lost', 1)]
    expect(violationsOf(twice)).toEqual(['a was elected in term 1 and lost it 2 times'])
    const never = held('a', 1, 0, 100).slice(0, 2)
    expect(violationsOf(never)).toHaveLength(1)
    expect(violationsOf([...never, note('a', 50, 'exited', 1, { reason: 'SIGKILL' })])).toEqual([])
  })

  test('finds an assertion that succeeded after the deadline', () => {
    const notes = [...held('a', 1, 0, 100), note('a', 120, 'valid', 1)]
    expect(violationsOf(notes)).toEqual([
      'term.assert() of a succeeded in term 1 after its deadline',
    ])
  })
})
