/** Tests in Chromium what a viewer expects of links, history, quick input, long runs and narrow screens. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, LabBench, until, type LabPage } from '../../scripts/support/browser.ts'

async function shown(page: Page, name: string): Promise<string> {
  return (await page.locator('main').getAttribute(`data-${name}`)) ?? ''
}

async function loaded(page: Page): Promise<string> {
  await page.locator('main[data-hash]').waitFor()
  return shown(page, 'hash')
}

/** Waits until the page shows a text. */
async function expectText(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor()
}

function hash(page: Page): string {
  return decodeURIComponent(new URL(page.url()).hash)
}

describe.runIf(hasBrowser())('a viewer of the lab', () => {
  let bench: LabBench
  const pages: LabPage[] = []
  beforeAll(async () => {
    bench = await LabBench.open()
  })
  afterAll(async () => bench.close())

  async function open(address: string, options = {}): Promise<Page> {
    const opened = await bench.page(address, options)
    pages.push(opened)
    return opened.page
  }

  test('who presses keys quickly injects every fault', async () => {
    const page = await open('#/lab?algorithm=bully-fd&nodes=5&seed=1', { reducedMotion: 'reduce' })
    await loaded(page)
    await page.keyboard.press('End')
    for (const key of ['5', 'x', '4', 'c']) await page.keyboard.press(key)
    await until(page, `/cut=.*crash=4/.test(decodeURIComponent(location.hash))`)
    expect(hash(page)).toMatch(/cut=5\|[\d,]+@.*crash=4@/u)
  })

  test('who goes back undoes the last fault at the moment that was shown, and can redo it', async () => {
    const page = await open('#/lab?algorithm=bully-fd&nodes=3&seed=1', { reducedMotion: 'reduce' })
    const before = await loaded(page)
    await page.keyboard.press('End')
    const index = await shown(page, 'index')
    await page.keyboard.press('3')
    await page.keyboard.press('c')
    await until(page, `location.hash.includes('crash=3')`)
    await page.goBack()
    await until(page, `!location.hash.includes('crash=3')`)
    await until(page, `document.querySelector('main').dataset.hash === '${before}'`)
    expect(await shown(page, 'index')).toBe(index)
    await page.keyboard.press('Control+Shift+z')
    await until(page, `location.hash.includes('crash=3')`)
    await page.keyboard.press('Control+z')
    await until(page, `document.querySelector('main').dataset.hash === '${before}'`)
  })

  test('who visits another page finds the run again', async () => {
    const page = await open('#/lab?algorithm=bully&nodes=4&seed=9')
    const before = await loaded(page)
    await page.getByRole('link', { name: 'Lab', exact: true }).click()
    expect(await shown(page, 'hash')).toBe(before)
    await page.getByRole('link', { name: 'Learn', exact: true }).click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Lab', exact: true }).click()
    expect(await loaded(page)).toBe(before)
  })

  test('who adds a fault to a preset no longer reads the title of the preset', async () => {
    const page = await open('#/lab?preset=race', { reducedMotion: 'reduce' })
    await loaded(page)
    const picker = page.getByLabel('Preset')
    expect(await picker.inputValue()).toBe('race')
    await page.keyboard.press('End')
    await page.keyboard.press('5')
    await page.keyboard.press('c')
    await until(
      page,
      `location.hash.includes('crash=5@200') || location.hash.split('crash=').length > 3`,
    )
    expect(await picker.inputValue()).toBe('')
  })

  test('who shares a speed gets it back, and a slow member is a fault', async () => {
    const page = await open('#/lab?algorithm=bully-fd&nodes=3&seed=1&slow=2%2B20ms@30ms&speed=1/64')
    await loaded(page)
    expect(await page.getByLabel('Speed').locator('option:checked').textContent()).toBe('1/64×')
    await page.getByRole('button', { name: 'Share' }).click()
    await until(page, `document.querySelector('#share-link').value !== ''`)
    const link = decodeURIComponent(await page.getByLabel(/^Link to this run/u).inputValue())
    expect(link).toContain('slow=2+20ms@30ms')
    expect(link).toContain('speed=1/64')
    const earlier = await open('#/lab?algorithm=bully-fd&nodes=3&slow=16')
    await loaded(earlier)
    expect(await earlier.getByLabel('Speed').locator('option:checked').textContent()).toBe('1/16×')
  })

  test('who shares a moment and a selection gets them back', async () => {
    const page = await open('#/lab?algorithm=bully-fd&nodes=3&seed=1&at=30ms&select=2', {
      reducedMotion: 'reduce',
    })
    await loaded(page)
    await page.getByRole('heading', { name: 'Member 2' }).waitFor()
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByLabel('Begin at this moment').check()
    await until(page, `document.querySelector('#share-link').value.includes('at=')`)
    expect(await page.getByLabel(/^Link to this run/u).inputValue()).toMatch(/at=30ms&select=2/u)
  })

  test('who opens a preset at a moment sees that moment', async () => {
    const page = await open('#/lab?preset=quorum&at=2s', { reducedMotion: 'reduce' })
    await loaded(page)
    await expectText(page, '2000.0 ms')
  })

  test('who compares with an algorithm that does not exist is told so', async () => {
    const page = await open('#/lab?algorithm=bully&nodes=3&with=nope')
    await expectText(page, 'There is no algorithm nope to compare with.')
  })

  test('who opens a link of another version is told so', async () => {
    const page = await open('#/lab?v=9.9.9&algorithm=bully&nodes=3')
    await page.getByText(/made by bellwether 9\.9\.9/u).waitFor()
    expect(hash(page)).toContain('v=9.9.9')
  })

  test('who opens more settings closes them with Escape, or with a click elsewhere', async () => {
    const page = await open('#/lab', { reducedMotion: 'reduce' })
    await loaded(page)
    const more = page.getByText('More', { exact: true })
    const sheet = page.getByPlaceholder('1ms..5ms')
    await more.click()
    await sheet.waitFor()
    await page.keyboard.press('Escape')
    expect(await sheet.isVisible()).toBe(false)
    await more.click()
    await page.getByRole('heading', { level: 2 }).first().click()
    expect(await sheet.isVisible()).toBe(false)
  })

  test('who prefers reduced motion still chooses the speed', async () => {
    const page = await open('#/lab?algorithm=bully-fd&nodes=3&seed=1', { reducedMotion: 'reduce' })
    await loaded(page)
    await page.getByLabel('Speed').selectOption({ label: '4×' })
    await page.keyboard.press('Space')
    await until(page, `Number(document.querySelector('main').dataset.index) > 20`, 15_000)
  })

  test('who opens a link with 100,000 members is asked first', async () => {
    const page = await open('#/lab?algorithm=chang-roberts&nodes=100000')
    await page.getByRole('alert').getByText('100,000 members').waitFor()
    expect(await page.locator('main[data-hash]').count()).toBe(0)
    await page.getByRole('button', { name: 'Show the first election' }).click()
    await loaded(page)
  })

  test('who waits for a long run sees its beginning and its progress, and can cancel it', async () => {
    const page = await open('#/lab?algorithm=bully&nodes=180&seed=1', { reducedMotion: 'reduce' })
    await loaded(page)
    await page.getByText(/^Simulating: [\d,]+ steps/u).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText(/^Simulating/u).waitFor({ state: 'hidden' })
    await page.getByLabel('Algorithm').selectOption('bully-fd')
    await until(page, `location.hash.includes('algorithm=bully-fd')`)
  })

  test('who is offline reads why a page is missing', async () => {
    const page = await open('#/lab')
    await page.context().setOffline(true)
    await loaded(page)
    await page.getByRole('link', { name: 'Learn', exact: true }).click()
    await expectText(page, /could not be loaded|How a group elects a leader/u)
  })

  test('who has a narrow screen scrolls in one direction only', async () => {
    for (const address of ['#/lab', '#/lab?preset=compare', '#/learn/bully', '#/live']) {
      const page = await open(address)
      await page.getByRole('navigation').first().waitFor()
      if (address.startsWith('#/lab')) await loaded(page)
      for (const width of [320, 390, 740, 780, 1024]) {
        await page.setViewportSize({ width, height: 800 })
        await until(page, 'document.documentElement.scrollWidth <= innerWidth')
      }
    }
  })

  test('has met no error in any of these pages', () => {
    // The Live page asks whether the server shows a live group; this one does not.
    const expected =
      /ERR_INTERNET_DISCONNECTED|ERR_SOCKET_NOT_CONNECTED|Failed to fetch dynamically|404 \(Not Found\)/u
    const mistakes = pages.flatMap((page) => page.mistakes).filter((text) => !expected.test(text))
    expect(mistakes).toEqual([])
  })
})
