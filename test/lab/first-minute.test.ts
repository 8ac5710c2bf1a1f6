/** Tests in Chromium what a student sees in the first minute: true chips, colours of leaders, plain captions, legible members. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, LabBench, until, type LabPage } from '../../scripts/support/browser.ts'
import { layoutOf } from '../../lab/src/topology/member-places.ts'

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

async function boxes(page: Page, selector: string): Promise<Box[]> {
  return page.evaluate<Box[]>(
    `[...document.querySelectorAll('${selector}')].map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect()
      return { x, y, width, height }
    })`,
  )
}

/** Where one of a hundred members is drawn. */
async function placeOf(page: Page, label: number): Promise<{ x: number; y: number }> {
  const [box] = await boxes(page, '.stage')
  const ring = [100, ...Array.from({ length: 99 }, (_, i) => i + 1)]
  return layoutOf({ ring, algorithm: { topology: 'complete' } }, box).places[label]
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

describe.runIf(hasBrowser())('in the first minute', () => {
  let bench: LabBench
  const pages: LabPage[] = []
  beforeAll(async () => {
    bench = await LabBench.open()
  })
  afterAll(async () => bench.close())

  async function open(address: string, options = {}): Promise<Page> {
    const opened = await bench.page(address, { reducedMotion: 'reduce', ...options })
    pages.push(opened)
    return opened.page
  }

  async function loaded(page: Page): Promise<void> {
    await page.locator('main[data-hash]').waitFor()
  }

  test.each([
    ['ring', 'ring-orphan'],
    ['chang-roberts', 'cr-orphan'],
  ])(
    'the lesson on %s ends %s with no leader, and no chip says that they agree',
    async (lesson, id) => {
      const page = await open(`#/learn/${lesson}`)
      const figure = page.locator(`figure[data-run=${id}]`)
      await figure.scrollIntoViewIfNeeded()
      await figure.getByRole('button', { name: /^member 1,/u }).waitFor()
      await figure.getByRole('slider', { name: 'Time' }).press('End')
      const chips = await figure
        .getByRole('group', { name: 'Promises' })
        .locator('.chip')
        .allTextContents()
      const about = chips.filter((text) => /agreement|strongest/u.test(text))
      expect(about.length).toBeGreaterThan(0)
      expect(about.filter((text) => text.includes('✓'))).toEqual([])
    },
  )

  test.each(['#/lab?algorithm=bully-fd&nodes=5&seed=1', '#/learn'])(
    'members of %s have the colour of the leader that they follow, and the legend has every colour',
    async (address) => {
      const page = await open(address)
      const scope = address.startsWith('#/lab')
        ? page.locator('main')
        : page.locator('figure').first()
      await scope.getByRole('button', { name: /^member 1,/u }).waitFor()
      await page.getByRole('slider', { name: 'Time' }).first().press('End')
      await scope.getByRole('button', { name: /, leader/u }).waitFor()
      const tints = await scope
        .locator('button.node')
        .evaluateAll((nodes) =>
          nodes.map((node) =>
            (
              node as unknown as { style: { getPropertyValue: (name: string) => string } }
            ).style.getPropertyValue('--tint'),
          ),
        )
      expect(new Set(tints).size).toBe(1)
      expect(tints[0]).toMatch(/^#/u)
    },
  )

  test('the legend names each role, each kind of message and each leader that is followed', async () => {
    const page = await open('#/lab?algorithm=bully-fd&nodes=5&seed=1')
    await loaded(page)
    await page.keyboard.press('End')
    const legend = page.getByRole('list', { name: 'Symbols' })
    await legend.getByText('follows 5').waitFor()
    for (const name of [
      'leader',
      'follower',
      'candidate',
      'waiting',
      'starting',
      'crashed',
      'suspected',
      'paused',
    ]) {
      expect(await legend.getByText(name, { exact: true }).count()).toBe(1)
    }
    for (const kind of ['election', 'repair', 'heartbeat', 'detector']) {
      expect(await legend.getByText(`${kind} message`).count()).toBe(1)
    }
  })

  test('the run plays slowly with captions in sentences; the formal rule is behind a switch', async () => {
    const page = await open('#/lab', { reducedMotion: 'no-preference' })
    await loaded(page)
    expect(await page.getByLabel('Speed').locator('option:checked').textContent()).toBe('1/256×')
    const why = page.getByTestId('why')
    await why
      .getByText(/^Member \d/u)
      .first()
      .waitFor()
    await page.keyboard.press('Space')
    await page.keyboard.press('End')
    expect(await why.locator('.change').count()).toBe(0)
    await page.keyboard.press('ArrowLeft')
    await why.getByRole('button', { name: 'Details' }).click()
    await page.keyboard.press('Home')
    for (let step = 0; step < 6; step++) await page.keyboard.press('ArrowRight')
    await why.locator('.change, .rule').first().waitFor()
    // A message is a chip, not a word of the sentence.
    await why.locator('.message').first().waitFor()
  })

  test('the inspector groups the fields, explains them and decodes their values', async () => {
    const page = await open('#/lab?algorithm=bully-fd-quorum&nodes=5&seed=3&select=5')
    await loaded(page)
    await page.keyboard.press('End')
    const inspector = page.getByRole('region', { name: 'Inspector' })
    for (const group of [
      'This member',
      'Survives a crash',
      'Other members',
      'Numbers',
      'Yes or no',
    ]) {
      await inspector.getByRole('rowheader', { name: group, exact: true }).waitFor()
    }
    await inspector
      .getByText(/^term \d of 5$/u)
      .first()
      .waitFor()
    await until(page, `document.querySelector('tr[title]') !== null`)
    const row = inspector.getByRole('row', { name: /^vote▣/u })
    expect(await row.getAttribute('title')).toContain("the largest with this member's vote")
    expect(await inspector.getByText(/\b10485\d\d\b/u).count()).toBe(0)
  })

  test('the topology stays where it is from step to step, and labels do not collide', async () => {
    for (const nodes of [3, 5, 7, 9]) {
      const page = await open(`#/lab?algorithm=bully-fd&nodes=${nodes}&seed=2`)
      await loaded(page)
      await page.keyboard.press('ArrowRight')
      const before = await boxes(page, 'button.node')
      for (let step = 0; step < 8; step++) {
        await page.keyboard.press('ArrowRight')
        expect(await boxes(page, 'button.node')).toEqual(before)
      }
      const labels = await boxes(page, '.stage .status')
      expect(labels).toHaveLength(nodes)
      const colliding = labels.flatMap((a, i) => labels.slice(i + 1).filter((b) => overlap(a, b)))
      expect(colliding).toEqual([])
    }
  })

  test('with a finger every target is at least 44 pixels high', async () => {
    const page = await open('#/lab?algorithm=bully-fd&nodes=5&seed=1', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await loaded(page)
    await page.keyboard.press('End')
    for (const tab of ['Topology', 'Space-time', 'Details']) {
      await page.getByRole('tab', { name: tab }).click()
      const targets = await boxes(page, 'button:not(.node), select, nav a, summary')
      expect(targets.filter(({ width, height }) => width > 0 && height < 44)).toEqual([])
    }
  })

  test('a hundred members are counted in words, and what the preset says about their messages is true', async () => {
    const page = await open('#/lab?preset=hundred')
    await loaded(page)
    await page.getByText('3n − 1 = 299 messages').waitFor()
    await page.keyboard.press('End')
    await page.getByText('100 members are up and follow member 100').waitFor()
    const cost = page.getByRole('group', { name: /cost/iu })
    expect(await cost.getByText('299').count()).toBeGreaterThan(0)
  })

  test('a hundred members stand in rows, where a click selects one, and those that follow nobody are counted apart', async () => {
    const page = await open('#/lab?algorithm=bully&nodes=100&seed=1&crash=100@60ms&at=50ms')
    await loaded(page)
    await page.getByText('100 members in rows. The tab Table lists them.').waitFor({
      state: 'attached',
    })
    await page.locator('.stage').click({ position: await placeOf(page, 1) })
    await page.getByRole('heading', { name: 'Member 1', exact: true }).waitFor()
    await page.locator('.stage').click({ position: await placeOf(page, 100) })
    await page.getByRole('heading', { name: 'Member 100', exact: true }).waitFor()
    await page.keyboard.press('c')
    const counts = page.getByText(/\d+ members are up and follow member 100; \d+ follow no leader/u)
    await counts.waitFor()
    const [, followers, others] = /^(\d+) .*100; (\d+) /u.exec(
      (await counts.textContent())!.trim(),
    )!
    expect(Number(followers)).toBeGreaterThan(0)
    expect(Number(followers) + Number(others)).toBeLessThanOrEqual(100)
  })

  test('as many members as the field takes are accepted', async () => {
    const page = await open('#/lab?algorithm=chang-roberts&nodes=200&seed=1')
    await loaded(page)
    expect(await page.getByRole('spinbutton', { name: 'members' }).getAttribute('max')).toBe('1000')
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('no page has an error', () => {
    expect(pages.flatMap(({ mistakes }) => mistakes)).toEqual([])
  })
})
