/** Tests the challenges in Chromium: a solution that is played by hand is recognized, remembered, and refused beyond what is allowed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, LabBench, serious, until } from '../../scripts/support/browser.ts'

describe.runIf(hasBrowser())('the challenges', () => {
  let bench: LabBench
  beforeAll(async () => {
    bench = await LabBench.open()
  })
  afterAll(async () => bench.close())

  test('are listed by difficulty, without serious findings of axe on a wide and a narrow screen', async () => {
    const { page, mistakes, close } = await bench.page('#/challenges')
    await page.getByRole('heading', { level: 1, name: 'Break it yourself' }).waitFor()
    expect(await page.locator('main a').count()).toBeGreaterThanOrEqual(15)
    expect(await page.getByTestId('solved').textContent()).toMatch(/^0 of \d+ solved$/u)
    expect(await serious(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 800 })
    await until(page, 'document.documentElement.scrollWidth <= innerWidth')
    await page.goto(`${bench.url}#/challenges/hard`)
    await until(page, `document.querySelectorAll('main h2').length === 1`)
    expect(mistakes).toEqual([])
    await close()
  })

  test('recognize what the viewer does by hand, remember it, and refuse more faults than are allowed', async () => {
    const { page, mistakes, close } = await bench.page('#/lab?challenge=successor', {
      reducedMotion: 'reduce',
    })
    const panel = page.getByRole('region', { name: 'Challenge' })
    await panel.getByText('Not yet.').waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('5')
    await page.keyboard.press('c')
    await panel.getByText('✓ Solved.').waitFor()
    await until(page, `/challenge=successor/.test(location.hash)`)
    await page.keyboard.press('End')
    await page.keyboard.press('4')
    await page.keyboard.press('c')
    await panel.getByText('This challenge allows 1 × crash; the run has 2.').waitFor()
    await panel.getByRole('link', { name: 'All challenges' }).click()
    await page.getByText(/^1 of \d+ solved$/u).waitFor()
    expect(mistakes).toEqual([])
    await close()
  })

  test('give hints one after another, and then a link to a solution', async () => {
    const { page, mistakes, close } = await bench.page('#/lab?challenge=half', {
      reducedMotion: 'reduce',
    })
    const panel = page.getByRole('region', { name: 'Challenge' })
    for (const name of ['Hint 1 of 3', 'Hint 2 of 3', 'Hint 3 of 3', 'Show a solution']) {
      await panel.getByRole('button', { name }).click()
    }
    expect(await panel.getByRole('listitem').count()).toBe(3)
    await panel.getByRole('link', { name: 'A solution' }).click()
    await panel.getByText('✓ Solved.').waitFor()
    expect(await serious(page)).toEqual([])
    expect(mistakes).toEqual([])
    await close()
  })

  test('take a fault that is written, and say what is wrong with one that is not', async () => {
    const { page, mistakes, close } = await bench.page('#/lab?challenge=half', {
      reducedMotion: 'reduce',
    })
    await page.getByRole('region', { name: 'Challenge' }).getByText('Not yet.').waitFor()
    await page.getByRole('tab', { name: 'Faults' }).click()
    const field = page.getByLabel('A fault, as the command line writes it')
    await field.fill('cut 1,2|3,9@20ms')
    await field.press('Enter')
    await page.getByRole('alert').getByText('there is no member 9').waitFor()
    await field.fill('cut 1,2|3,4@20ms')
    await field.press('Enter')
    await page.getByText('✓ Solved.').waitFor()
    expect(mistakes).toEqual([])
    await close()
  })
})
