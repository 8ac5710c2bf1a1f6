/** Tests roles and configurations in the lab: who votes is drawn, a click changes it, and the inspector shows what each member knows. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, LabBench, serious, until } from '../../scripts/support/browser.ts'

const START = '#/lab?algorithm=bully-fd-quorum&nodes=4&voters=1,2,3&seed=3&until=60ms'

async function member(page: Page, label: number, words: RegExp): Promise<void> {
  const name = new RegExp(`^member ${label}, .*${words.source}`, 'u')
  await page.getByRole('button', { name }).waitFor()
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('group', { name: 'Faults' }).getByRole('button', { name }).click()
}

/** The rows of the inspector's table of the configuration. */
async function configuration(page: Page): Promise<string> {
  return page.locator('table[data-configuration]').innerText()
}

describe.runIf(hasBrowser())('roles in the lab', () => {
  let bench: LabBench
  beforeAll(async () => {
    bench = await LabBench.open()
  })
  afterAll(async () => bench.close())

  test('clicks add a member as an observer, make it a voter and remove another, and the page shows each', async () => {
    const { page, mistakes, close } = await bench.page(START)
    await page.keyboard.press('End')
    await member(page, 3, /leader, voter/u)
    await member(page, 4, /outside/u)
    await page.keyboard.press('4')
    await press(page, 'Add member 4')
    await member(page, 4, /follower, observer/u)
    const radius = "getComputedStyle(document.querySelector('.node.observer')).borderRadius"
    expect(await page.evaluate<string>(radius)).toBe('22%')
    await page.keyboard.press('End')
    expect(await configuration(page)).toMatch(/voters\s+1, 2, 3\s+observers\s+4/u)
    await press(page, 'Make it a voter')
    await member(page, 4, /follower, voter/u)
    await page.keyboard.press('End')
    expect(await configuration(page)).toMatch(/voters\s+1, 2, 3, 4\s+observers\s+none/u)
    await page.keyboard.press('2')
    await press(page, 'Remove')
    await member(page, 2, /outside/u)
    expect(await serious(page)).toEqual([])
    expect(mistakes).toEqual([])
    await close()
  })

  test('the keys a and o add a member that the run did not have, and remove it', async () => {
    const { page, mistakes, close } = await bench.page(
      '#/lab?algorithm=bully-fd-quorum&nodes=3&seed=3&until=60ms',
    )
    await page.keyboard.press('End')
    // Where all members vote, none is called a voter.
    await member(page, 3, /leader, term/u)
    await page.keyboard.press('a')
    await member(page, 4, /follower, observer/u)
    expect(page.url()).toMatch(/nodes=4&.*voters=1(?:,|%2C)2(?:,|%2C)3/u)
    await page.keyboard.press('4')
    await page.keyboard.press('o')
    await member(page, 4, /outside/u)
    expect(mistakes).toEqual([])
    await close()
  })

  test('the legend names observers where the group can change, and an algorithm that cannot has no such buttons', async () => {
    const { page, close } = await bench.page(START)
    await page.getByRole('list', { name: 'Symbols' }).getByText('observer').waitFor()
    await page.getByRole('combobox', { name: 'Algorithm' }).selectOption('bully')
    await until(
      page,
      "document.querySelector('main').dataset.hash && location.hash.includes('algorithm=bully&')",
    )
    await page.keyboard.press('4')
    const faults = page.getByRole('group', { name: 'Faults' })
    await faults.getByRole('button', { name: 'Crash' }).waitFor()
    expect(await faults.getByRole('button', { name: 'Remove' }).count()).toBe(0)
    expect(page.url()).not.toContain('voters')
    await close()
  })
})
