/** Tests the lab page in Chromium, as a viewer uses it. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, LabBench, serious, until } from '../../scripts/support/browser.ts'

const BIN = new URL('../../bin/bellwether.js', import.meta.url).pathname

/** Waits in the page, so that nothing depends on how fast the machine is. */
async function leads(page: Page, label: number): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^member ${label}, leader`, 'u') }).waitFor()
}

async function shown(page: Page, name: string): Promise<string> {
  return (await page.locator('main').getAttribute(`data-${name}`)) ?? ''
}

async function arrows(page: Page): Promise<number> {
  const region = page.getByRole('region', { name: 'Space-time diagram' })
  return Number(await region.getAttribute('data-arrows'))
}

/** The status with which the server answers a request with this Host header. */
async function statusFor(url: string, host: string): Promise<number | undefined> {
  const [response] = (await once(get(url, { headers: { host } }), 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

/** The options of a command line, as a shell would give them. */
function words(command: string): string[] {
  return command.split(/\s+/u).map((word) => word.replace(/^'(.*)'$/u, '$1'))
}

describe.runIf(hasBrowser())('the lab in Chromium', () => {
  let bench: LabBench
  let folder = ''
  beforeAll(async () => {
    bench = await LabBench.open()
    folder = mkdtempSync(join(tmpdir(), 'bellwether-lab-'))
  })
  afterAll(async () => {
    await bench.close()
    rmSync(folder, { recursive: true })
  })

  test('the first election plays without a click, and a copied link plays the same run elsewhere', async () => {
    const { page, mistakes, close } = await bench.page('#/lab', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await leads(page, 5)

    // Crash the leader by key.
    const before = await arrows(page)
    await page.keyboard.press('5')
    await page.keyboard.press('c')
    await page.getByRole('button', { name: 'member 5, crashed' }).waitFor()
    await leads(page, 4)
    expect(await arrows(page)).toBeGreaterThan(before)

    // Step back, and once more.
    await page.keyboard.press('ArrowLeft')
    const later = Number(await shown(page, 'index'))
    await page.keyboard.press('ArrowLeft')
    const earlier = Number(await shown(page, 'index'))
    expect(earlier).toBeLessThan(later)
    await page.keyboard.press('ArrowRight')
    expect(Number(await shown(page, 'index'))).toBe(later)

    // Copy the link; the command line runs the same.
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Copied the link.').waitFor()
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    const command = await page.getByLabel('The same run on the command line:').inputValue()
    const hash = await page.getByTestId('hash').textContent()
    expect(mistakes).toEqual([])
    await close()

    const [program, verb, ...options] = words(command)
    expect([program, verb]).toEqual(['bellwether', 'simulate'])
    const trace = join(folder, 'trace.txt')
    const json = execFileSync(
      process.execPath,
      [BIN, 'simulate', ...options, '--json', '--trace', trace],
      { encoding: 'utf8' },
    )
    expect((JSON.parse(json) as { traceHash: string }).traceHash).toBe(hash)
    expect(readFileSync(trace, 'utf8')).toMatch(/crash 5@[\d.]+ms/u)

    const again = await bench.page(link.slice(link.indexOf('#')))
    await again.page.locator('main[data-hash]').waitFor()
    expect(await shown(again.page, 'hash')).toBe(hash)
    await again.page.keyboard.press('End')
    await leads(again.page, 5)
    expect(again.mistakes).toEqual([])
    await again.close()
  })

  test('a counterexample that check wrote opens and stops at the violating step', async () => {
    const file = join(folder, 'counterexample.txt')
    const args = ['--nodes', '3', '--crashes', '1', '--recoveries', '1', '--trace', file]
    const check = spawnSync(process.execPath, [BIN, 'check', 'bully-fd-as-printed', ...args])
    // The status of a broken promise.
    expect(check.status).toBe(1)
    const { page, mistakes, close } = await bench.page('#/lab')
    await page.getByLabel('Trace file').setInputFiles(file)
    await page.locator('main[data-mode=stepped]').waitFor()
    const steps = readFileSync(file, 'utf8')
      .split('----\n')[1]
      .split('\n')
      .filter((line) => /^[a-z]/u.test(line))
    expect(Number(await shown(page, 'index'))).toBe(steps.length - 1)
    await page.getByRole('button', { name: /agreement, always\s*broken/u }).waitFor()
    expect(await page.getByTestId('why').textContent()).toContain('agreement: 1 follows 2')
    expect(await page.getByRole('button', { name: 'Play' }).isVisible()).toBe(true)

    // A step earlier the promise is not broken yet; its button goes to the step that breaks it.
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('button', { name: /will break/u }).click()
    expect(Number(await shown(page, 'index'))).toBe(steps.length - 1)

    // The address carries the whole trace.
    await until(page, `location.hash.includes('trace=')`)
    const link = await page.evaluate<string>('location.hash')
    const hash = await shown(page, 'hash')
    const again = await bench.page(link)
    await again.page.locator('main[data-mode=stepped]').waitFor()
    expect(await shown(again.page, 'hash')).toBe(hash)
    expect([...mistakes, ...again.mistakes]).toEqual([])
    await again.close()
    await close()
  })

  test('bellwether lab FILE serves the page with the file open, and ends on SIGTERM', async () => {
    const file = new URL('../../lab/src/run/presets/ring-as-printed.txt', import.meta.url).pathname
    const lab = spawn(process.execPath, [BIN, 'lab', file, '--port', '0', '--no-open', '--json'])
    const [line] = (await once(lab.stdout, 'data')) as [Buffer]
    const { url } = JSON.parse(line.toString()) as { url: string }
    const { page, close } = await bench.page('#/live')
    await page.goto(url)
    await page.locator('main[data-mode=stepped]').waitFor()
    expect(await page.getByLabel('Algorithm').inputValue()).toBe('ring-as-printed')
    await page.locator('button.chip.broken').first().waitFor()
    await close()
    expect([await statusFor(url, '127.0.0.1'), await statusFor(url, 'example.org')]).toEqual([
      200, 403,
    ])
    const ended = once(lab, 'exit')
    lab.kill('SIGTERM')
    expect((await ended)[0]).toBe(0)
  })

  test('faults of links and messages are injected by click and by key', async () => {
    const { page, mistakes, close } = await bench.page('#/lab?algorithm=bully-fd&nodes=3&seed=1')
    await page.locator('[data-in-flight]:not([data-in-flight="0"])').first().waitFor()
    await page.keyboard.press('m')
    await page.getByRole('button', { name: /^Drop/u }).waitFor()
    await page.keyboard.press('d')
    await until(page, `location.hash.includes('discard=')`)
    await page.getByRole('tab', { name: 'Faults' }).click()
    await page.getByRole('button', { name: 'Cut the link from 3 to 1' }).click()
    await page.getByRole('button', { name: 'Heal the link from 3 to 1' }).click()
    await until(page, `location.hash.includes('heal=3%3E1')`)
    await page.getByRole('button', { name: /^Remove cut/u }).click()
    await until(page, `!location.hash.includes('cut=')`)
    expect(mistakes).toEqual([])
    await close()
  })

  test('a leader resigns by key, and by click in favour of the selected member', async () => {
    const { page, mistakes, close } = await bench.page(
      '#/lab?algorithm=bully-fd-quorum&nodes=5&seed=3',
    )
    await leads(page, 5)
    await page.keyboard.press('g')
    await until(page, `location.hash.includes('resign=5@')`)
    await leads(page, 4)
    await page.keyboard.press('2')
    await page.getByRole('button', { name: '4 resigns in favour of 2' }).click()
    await until(page, `location.hash.includes('resign=4%3E2@')`)
    await leads(page, 2)
    await page.getByRole('tab', { name: 'Faults' }).click()
    await page.getByRole('button', { name: /^Remove resign 4>2@/u }).click()
    await until(page, `!location.hash.includes('resign=4')`)
    await page.keyboard.press('End')
    await leads(page, 4)
    expect(mistakes).toEqual([])
    await close()
  })

  test('a comparison names the faults that the other algorithm does not support', async () => {
    const { page, mistakes, close } = await bench.page(
      '#/lab?algorithm=bully-fd-quorum&nodes=3&resign=3>2@50ms&with=bully',
    )
    const rival = page.getByRole('region', { name: 'bully', exact: true })
    await rival.getByText('bully does not support resign 3>2@50ms and runs without it.').waitFor()
    await page.keyboard.press('End')
    await rival.getByRole('button', { name: /^member 3, leader/u }).waitFor()
    expect(mistakes).toEqual([])
    await close()
  })

  test('two algorithms run side by side with the same faults', async () => {
    const { page, mistakes, close } = await bench.page('#/lab?preset=compare')
    await page.getByRole('region', { name: 'bully-fd', exact: true }).waitFor()
    await page.keyboard.press('End')
    const place = (await page.getByRole('columnheader').allTextContents()).indexOf(
      'election messages',
    )
    const rows = page.locator('.costs tbody tr')
    expect(await rows.count()).toBe(2)
    const counts = await Promise.all(
      [0, 1].map((row) => rows.nth(row).locator('th, td').nth(place).textContent()),
    )
    expect(Number(counts[0])).toBeGreaterThan(Number(counts[1]))
    expect(Number(counts[1])).toBeGreaterThan(0)
    expect(mistakes).toEqual([])
    await close()
  })

  test('with reduced motion the page does not play by itself, and steps still work', async () => {
    const { page, close } = await bench.page('#/lab', { reducedMotion: 'reduce' })
    await page.getByRole('button', { name: /^member 5, starting/u }).waitFor()
    expect(await shown(page, 'index')).toBe('-1')
    await page.keyboard.press('ArrowRight')
    expect(await shown(page, 'index')).toBe('0')
    await close()
  })

  test('the page rejects invalid settings with a message', async () => {
    const { page, mistakes, close } = await bench.page('#/lab?algorithm=bully&crash=9@1ms')
    await page.getByRole('alert').getByText('there is no member 9').waitFor()
    expect(mistakes).toEqual([])
    await close()
  })

  test('every preset runs, and every counterexample stops at the step that breaks a promise', async () => {
    const { page, mistakes, close } = await bench.page('#/lab', { reducedMotion: 'reduce' })
    await page.locator('main[data-hash]').waitFor()
    // A loaded page needs no server.
    await page.context().setOffline(true)
    const picker = page.getByLabel('Preset')
    const presets = await picker
      .locator('option:not([disabled])')
      .evaluateAll((options) =>
        options.map((option) => (option as unknown as { value: string }).value),
      )
    expect(presets.length).toBeGreaterThan(15)
    let hash = await shown(page, 'hash')
    for (const id of presets.slice(1)) {
      await picker.selectOption(id)
      await until(page, `document.querySelector('main').dataset.hash !== '${hash}'`)
      hash = await shown(page, 'hash')
      const printed = id.includes('as-printed')
      expect([id, await shown(page, 'mode')]).toEqual([id, printed ? 'stepped' : 'timed'])
      expect(await page.getByRole('alert').count()).toBe(0)
      if (printed) await page.locator('button.chip.broken').first().waitFor()
    }
    expect(mistakes).toEqual([])
    await close()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing serious in ${colorScheme}, on a wide and on a narrow screen`, async () => {
      const { page, close } = await bench.page('#/lab', { colorScheme })
      await leads(page, 5)
      await page.keyboard.press('Space')
      expect(await serious(page)).toEqual([])
      await page.getByRole('tab', { name: 'Faults' }).click()
      await page.getByRole('button', { name: 'Share' }).click()
      await page.getByText('The same run on the command line:').waitFor()
      expect(await serious(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.setViewportSize({ width: 390, height: 844 })
      await page.getByRole('tab', { name: 'Topology' }).waitFor()
      await page.goto(`${bench.url}#/lab?preset=bully-fd-as-printed`)
      await page.getByRole('button', { name: /broken/u }).waitFor()
      expect(await serious(page)).toEqual([])
      await close()
    })
  }
})
