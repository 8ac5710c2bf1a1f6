/** Tests in Chromium what lessons ask and show: questions, pseudocode with the lines of a step; and the page in Korean and Japanese, on a phone too. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, LabBench, serious, until } from '../../scripts/support/browser.ts'

const STILL = { reducedMotion: 'reduce' } as const
const PHONE = { ...STILL, viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true }

describe.runIf(hasBrowser())('a student', () => {
  let bench: LabBench
  beforeAll(async () => {
    bench = await LabBench.open()
  })
  afterAll(async () => bench.close())

  test('answers the question at the end of a section, and reads why', async () => {
    const { page, mistakes, close } = await bench.page('#/learn/bully', STILL)
    const question = page.getByRole('region', { name: 'A question about this section' }).first()
    await question.getByRole('button', { name: 'To all members' }).click()
    await question.getByText('No.', { exact: true }).waitFor()
    await question.getByRole('button', { name: /To 3, 4 and 5/u }).click()
    await question.getByText('Right.', { exact: true }).waitFor()
    await question.getByText(/It asks its superiors only/u).waitFor()
    expect(mistakes).toEqual([])
    await close()
  })

  test('sees the pseudocode of a lesson, with the lines that the step took', async () => {
    const { page, mistakes, close } = await bench.page('#/learn/bully', STILL)
    const figure = page.locator('[data-run=bully-worst]')
    await figure.getByText('Pseudocode, with the lines of this step').click()
    const code = figure.getByRole('list', { name: 'Pseudocode of bully' })
    await code.waitFor()
    await figure.getByRole('button', { name: 'Step', exact: true }).click()
    const taken = code.locator('[aria-current=step]')
    await taken.first().waitFor()
    expect(await taken.allTextContents()).toContainEqual(
      expect.stringContaining('send election to every superior'),
    )
    expect(mistakes).toEqual([])
    await close()
  })

  test('sees the pseudocode of the run in the lab, and other lines with other steps', async () => {
    const { page, mistakes, close } = await bench.page(
      '#/lab?algorithm=raft&nodes=3&seed=1&until=300ms',
      STILL,
    )
    await page.getByRole('tab', { name: 'Code' }).click()
    const taken = page.getByRole('list', { name: 'Pseudocode of raft' }).locator('[aria-current]')
    const step = page.getByRole('button', { name: 'Step', exact: true })
    await step.click()
    await taken.first().waitFor()
    const first = await taken.allTextContents()
    for (let i = 0; i < 4; i++) await step.click()
    await expect.poll(() => taken.allTextContents()).not.toEqual(first)
    expect(mistakes).toEqual([])
    await close()
  })

  test('compares two algorithms on a phone: promises and reasons of both, nothing beside the screen', async () => {
    const { page, mistakes, close } = await bench.page('#/lab?preset=compare&at=90ms', PHONE)
    for (const name of ['bully', 'bully-fd']) {
      const side = page.getByRole('region', { name, exact: true })
      await side.getByTestId('why').scrollIntoViewIfNeeded()
      await side.getByTestId('why').waitFor()
      expect(await side.getByTestId('why').textContent()).not.toMatch(/has not started/u)
      expect(await side.getByRole('group', { name: 'Promises' }).count()).toBe(1)
      expect(await side.getByRole('region', { name: 'Space-time diagram' }).count()).toBe(1)
    }
    await until(page, 'document.documentElement.scrollWidth <= innerWidth')
    expect(await serious(page)).toEqual([])
    expect(mistakes).toEqual([])
    await close()
  })

  test.each([
    ['ko', '배우기', /가장 약한 멤버가 시작할 때/u, '직접 깨뜨려 보기'],
    ['ja', '学ぶ', /最も弱いメンバーが始める/u, '自分で壊してみる'],
  ])('reads the whole page in %s', async (language, learn, lesson, challenges) => {
    const { page, mistakes, close } = await bench.page(`#/learn/bully?lang=${language}`, STILL)
    await page.getByText(lesson).first().waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe(language)
    expect(await page.getByRole('navigation').first().textContent()).toContain(learn)
    expect(await serious(page)).toEqual([])
    await page.goto(`${bench.url}#/challenges?lang=${language}`)
    await page.getByRole('heading', { name: challenges }).waitFor()
    await page.goto(`${bench.url}#/lab?lang=${language}`)
    await page.locator('main[data-hash]').waitFor()
    await page.keyboard.press('End')
    // What is left in English are names: of algorithms, messages, fields, statuses, settings.
    const said = await page.getByTestId('why').textContent()
    expect(said).not.toMatch(/Member|receives|follows/u)
    expect(await serious(page)).toEqual([])
    expect(mistakes).toEqual([])
    await close()
  })

  test('gets the language of the browser', async () => {
    const { page, close } = await bench.page('#/challenges', { locale: 'ja-JP' })
    await page.getByRole('heading', { name: '自分で壊してみる' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('ja')
    await close()
  })
})
