/** Tests the Learn page in Chromium. lab/src/learn/lessons.test.ts checks the figures of the lessons without a browser. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, LabBench, serious } from '../../scripts/support/browser.ts'

describe.runIf(hasBrowser())('the lessons', () => {
  let bench: LabBench
  beforeAll(async () => {
    bench = await LabBench.open()
  })
  afterAll(async () => {
    await bench.close()
  })

  test('play without a click until there is a leader', async () => {
    const { page, mistakes, close } = await bench.page('#/learn')
    await page.getByRole('button', { name: /^member 5, leader, term 1/u }).waitFor()
    const phone = await bench.page('#/learn', { viewport: { width: 390, height: 844 } })
    await phone.page.getByRole('button', { name: /^member 5, leader, term 1/u }).waitFor()
    await phone.close()
    await page.getByRole('link', { name: 'Bully_FD', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Bully_FD' }).waitFor()
    expect(await page.title()).toBe('Bully_FD · bellwether')
    expect(mistakes).toEqual([])
    await close()
  })

  test('play a printed algorithm when it becomes visible, and stop at the step that breaks a promise', async () => {
    const { page, close } = await bench.page('#/learn/bully-fd')
    const figure = page.locator('figure[data-run=bully-fd-fifteen]')
    await figure.scrollIntoViewIfNeeded()
    await figure.evaluate((element) => element.scrollIntoView({ block: 'center' }))
    await figure.getByLabel('Speed').selectOption({ label: '1/4×' })
    await figure.getByText('broken · show step').waitFor()
    await figure.getByRole('button', { name: 'Play' }).waitFor()
    await figure.getByRole('link', { name: /Open in the lab/u }).click()
    await page.getByText('broken · show step').first().waitFor()
    expect(new URL(page.url()).hash).toMatch(/^#\/lab\?trace=/u)
    await close()
  })

  test('ask what a member does next, and judge the answer by the run', async () => {
    const { page, mistakes, close } = await bench.page('#/learn', { reducedMotion: 'reduce' })
    const figure = page.locator('figure').first()
    await figure.getByRole('button', { name: /^member 1,/u }).waitFor()
    // All have started; the next step is the arrival of a message.
    for (let step = 0; step < 5; step++) {
      await figure.getByRole('button', { name: 'Step', exact: true }).click()
    }
    await figure.getByRole('button', { name: 'Predict the next step' }).click()
    const prediction = figure.getByRole('region', { name: 'Prediction' })
    await prediction.getByText('What does the member do?').waitFor()
    await prediction.getByRole('listitem').first().getByRole('button').click()
    await prediction.getByText(/of 1 right\./u).waitFor()
    // The right answer is what the step that follows did.
    const answer = await prediction.locator('.right').textContent()
    const effect = (answer ?? '').replace('✓', '').replaceAll(/[“”]/gu, '').trim()
    expect(effect).toMatch(/^sends /u)
    const why = await figure.getByTestId('why').textContent()
    expect((why ?? '').replaceAll(/\s+/gu, ' ')).toContain(effect.replaceAll(/\s+/gu, ' '))
    expect(await serious(page)).toEqual([])
    expect(mistakes).toEqual([])
    await close()
  })

  test('do not play with reduced motion, and can be stepped by keyboard', async () => {
    const { page, close } = await bench.page('#/learn/bully', { reducedMotion: 'reduce' })
    const figure = page.locator('figure[data-run=bully-best]')
    await figure.evaluate((element) => element.scrollIntoView({ block: 'center' }))
    const follower = figure.getByRole('button', { name: /^member 4, follower/u })
    await follower.waitFor()
    await figure.getByRole('button', { name: 'Play' }).waitFor()
    await figure.getByRole('button', { name: 'Step', exact: true }).focus()
    await page.keyboard.press('Enter')
    await figure.getByRole('button', { name: /^member 4, candidate/u }).waitFor()
    expect(await follower.count()).toBe(0)
    await figure.getByRole('button', { name: 'Step back' }).press('Enter')
    await follower.waitFor()
    await close()
  })

  test('have no serious finding of axe, light or dark, wide or narrow', async () => {
    for (const [hash, colorScheme, width] of [
      ['#/learn', 'light', 1280],
      ['#/learn/bully-fd', 'dark', 1280],
      ['#/learn/ring', 'light', 390],
    ] as const) {
      const { page, close } = await bench.page(hash, {
        colorScheme,
        viewport: { width, height: 900 },
      })
      await page
        .getByRole('button', { name: /^member /u })
        .first()
        .waitFor()
      expect({ hash, found: await serious(page) }).toEqual({ hash, found: [] })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      await close()
    }
  })
})
