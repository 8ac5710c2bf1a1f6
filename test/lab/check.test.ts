/** Tests the Check page in Chromium: the same states and verdicts as the command, progress, cancelling, and the walk. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasBrowser,
  LabBench,
  serious,
  until,
  type LabPage,
} from '../../scripts/support/browser.ts'
import { smallChecks } from '../../scripts/support/small-checks.ts'
import { check } from '../../src/check/index.ts'
import { settingsOfCheck } from '../../src/explore/check-settings.ts'

const SMALL = smallChecks().map((options) => {
  return [JSON.stringify(settingsOfCheck(options)), options] as const
})

describe.runIf(hasBrowser())('the checker in the page', () => {
  let bench: LabBench
  beforeAll(async () => {
    bench = await LabBench.open()
  })
  afterAll(async () => {
    await bench.close()
  })

  describe('finds what the command finds', () => {
    let there: LabPage
    beforeAll(async () => {
      there = await bench.page('#/check')
      await there.page.getByRole('button', { name: 'Check', exact: true }).waitFor()
    })
    afterAll(async () => there.close())

    test('in more than twenty checks of at most 100,000 states', () => {
      expect(SMALL.length).toBeGreaterThan(20)
    })

    test.each(SMALL)('in the check %s', async (settings, options) => {
      const { ok, complete, states, transitions, depth, properties, counterexample } =
        check(options)
      const found = await there.page.evaluate(
        `bellwether.check(${settings}).then(({ counterexample, ...outcome }) =>
          ({ ...outcome, steps: counterexample?.steps, property: counterexample?.property }))`,
      )
      expect(found).toMatchObject({
        ok,
        complete,
        states,
        transitions,
        depth,
        properties: properties.map(({ name, holds, broken }) => ({ name, holds, broken })),
        property: counterexample?.property,
        steps: counterexample?.steps.length,
      })
      expect(there.mistakes).toEqual([])
    })
  })

  test('shows a broken promise, walks to it, and opens it in the lab', async () => {
    const { page, mistakes, close } = await bench.page('#/check')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    const result = page.getByRole('region', { name: 'Result' })
    await result.getByRole('heading', { name: 'Broken: agreement.' }).waitFor()
    await result.getByRole('button', { name: 'Walk to the violation' }).click()
    const walk = page.getByRole('region', { name: 'Walk', exact: true })
    await walk.getByText('Step 15', { exact: true }).waitFor()
    await walk.getByText('✗ agreement', { exact: true }).first().waitFor()
    await walk.getByText('a shortest way to this state').waitFor()
    await walk.getByRole('button', { name: 'One step back' }).click()
    await walk.getByText('Step 14', { exact: true }).waitFor()
    // The choice that breaks the promise says so.
    await walk
      .getByRole('button', { name: /✗ agreement/u })
      .first()
      .click()
    await walk.getByText('Step 15', { exact: true }).waitFor()
    await walk.getByRole('link', { name: 'Open in the lab' }).click()
    await page.getByRole('button', { name: /agreement, always\s*broken/u }).waitFor()
    expect(mistakes).toEqual([])
    await close()
  })

  test('lets the viewer choose each event, keeps the way in the link, and jumps to a state and a violation', async () => {
    const { page, mistakes, close } = await bench.page(
      '#/check?algorithm=bully-as-printed&nodes=2&crashes=1&recoveries=1&start=settled',
    )
    await page.getByRole('button', { name: 'Walk by hand' }).click()
    const walk = page.getByRole('region', { name: 'Walk', exact: true })
    await walk.getByRole('button', { name: 'Member 2 crashes' }).click()
    await walk.getByRole('button', { name: 'member 2, crashed' }).waitFor()
    await walk.getByRole('button', { name: 'Member 2 recovers' }).click()
    await walk.getByText('Step 2', { exact: true }).waitFor()
    await until(page, `/walk=\\d+\\.\\d+$/.test(location.hash)`)
    const link = await page.evaluate<string>('location.hash')
    const state = await walk.getAttribute('data-state')
    await walk.getByText(/^\d+ states/u).waitFor()
    await walk.locator('circle[data-state="0"]').click()
    await walk.getByText('Step 0', { exact: true }).waitFor()

    const again = await bench.page(link)
    await again.page.locator(`[data-state="${state}"][aria-label=Walk]`).waitFor()
    expect([...mistakes, ...again.mistakes]).toEqual([])
    await again.close()
    await close()
  })

  test('shows progress and can be cancelled, and refuses impossible settings with a sentence', async () => {
    const { page, mistakes, close } = await bench.page(
      '#/check?algorithm=bully&nodes=5&crashes=2&recoveries=2',
    )
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page
      .getByTestId('progress')
      .getByText(/^\d{1,3},\d{3}/u)
      .waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Check', exact: true }).waitFor()
    await page.goto(`${bench.url}#/check?algorithm=bully&nodes=2&resignations=1`)
    await page.getByText('bellwether check bully --nodes 2 --resignations 1').waitFor()
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByRole('alert').getByText('bully does not support resigning').waitFor()
    expect(mistakes).toEqual([])
    await close()
  })

  test.each(['light', 'dark'] as const)('has no serious finding of axe in %s', async (theme) => {
    const { page, close } = await bench.page('#/check', { colorScheme: theme })
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByRole('button', { name: 'Walk to the violation' }).click()
    await page.getByText('Step 15', { exact: true }).waitFor()
    expect(await serious(page)).toEqual([])
    for (const width of [320, 390, 780]) {
      await page.setViewportSize({ width, height: 844 })
      await until(page, 'document.documentElement.scrollWidth <= innerWidth')
    }
    expect(await serious(page)).toEqual([])
    await close()
  })
})
