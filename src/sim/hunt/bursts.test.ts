import { expect, test } from 'vitest'
import { bullyFdQuorum } from '../../algorithms/bully-fd-quorum.ts'
import { detectors } from '../../detectors/index.ts'
import { majority } from '../../core/quorum.ts'
import { Random } from '../../core/random.ts'
import { recordRun } from '../run.ts'
import { withBursts } from './bursts.ts'
import { configurationOf, drawRun, type Draft } from './draft.ts'

const plan = { seed: 1, algorithms: [bullyFdQuorum], detectors, families: [] }

/** When a member last changed its leader. */
function agreedIn(draft: Draft): number {
  return recordRun(configurationOf(draft)).world.monitors.changedAt
}

test.each([1, 2, 3, 4, 5])('bursts of faults follow what happens in run %i', (seed) => {
  const draft = { ...drawRun(plan, seed), faults: [] }
  const { faults } = withBursts(draft, ['pause'], new Random(seed))
  const kinds = new Set(faults.map(({ kind }) => kind))
  expect([...kinds].every((kind) => kind === 'pause' || kind === 'resume')).toBe(true)
  const agreed = agreedIn(draft)
  // Without faults all that happens is one election: each burst begins within 150 ms of it.
  expect(faults[0].at).toBeGreaterThan(0)
  expect(faults[0].at).toBeLessThan(agreed + 150_000 + 80_000)
  expect(withBursts(draft, ['pause'], new Random(seed)).faults).toEqual(faults)
})

test('only a minority of the first voters loses its state, also where more members are added', () => {
  const runs = Array.from({ length: 2000 }, (_, number) =>
    drawRun({ ...plan, families: ['change', 'forget'] }, number),
  ).map(({ voters, members, faults }) => {
    const first = voters?.length ?? members
    const forgetting = faults.filter(({ kind }) => kind === 'forget')
    const nodes = new Set(forgetting.map((fault) => (fault as { node: number }).node))
    return { lost: nodes.size, most: Math.max(1, first - majority(first)) }
  })
  expect(runs.filter(({ lost, most }) => lost > most)).toEqual([])
  expect(runs.filter(({ lost, most }) => lost > 1 && lost === most).length).toBeGreaterThan(20)
})
