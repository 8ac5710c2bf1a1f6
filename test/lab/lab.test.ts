import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, LabBench } from './browser.ts'

describe.runIf(hasBrowser())('the lab in Chromium', () => {
  let bench: LabBench
  beforeAll(async () => {
    bench = await LabBench.open()
  })
  afterAll(async () => {
    await bench.close()
  })

  test('opens with a run that plays by itself until there is a leader', async () => {
    const { page, mistakes, close } = await bench.page('#/lab')
    await page.getByRole('button', { name: /^node 5, leader, term 1/u }).waitFor()
    expect(mistakes).toEqual([])
    await close()
  })
})
