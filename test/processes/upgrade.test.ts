/** The previous release, as it was packed, beside the present code: every mixed pair, forward and back. Real processes. */
import { expect, test } from 'vitest'
import { upgradeTrial } from '../../scripts/campaigns/endure/upgrade-trial.ts'

test('members go from the previous release to this one and back, one at a time: a leader again after each step, one at a time, and terms rise', async () => {
  const { violations, handovers, medianMs } = await upgradeTrial(1, () => undefined)
  expect(violations).toEqual([])
  // The leader is stopped at least once in each direction.
  expect(handovers).toBeGreaterThanOrEqual(2)
  // On a busy machine; `npm run endure -- upgrades` measures it.
  expect(medianMs).toBeLessThan(500)
}, 120_000)
