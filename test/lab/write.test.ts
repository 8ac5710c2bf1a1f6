/** Tests the Write page in Chromium: a shipped algorithm is changed, runs, is checked and shared; mistakes are told at their lines; a program can neither hang the page nor reach a network. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, LabBench, serious, until } from '../../scripts/support/browser.ts'
import { exportLab } from '../../src/cli/lab/export-lab.ts'

const BULLY = readFileSync(new URL('../../src/algorithms/bully.ts', import.meta.url), 'utf8')

/** The line, from 1, in which a text occurs first. */
function lineOf(text: string, part: string): number {
  return text.slice(0, text.indexOf(part)).split('\n').length
}

/** The shipped text with a part replaced, which occurs once. */
function changed(from: string, to: string): string {
  expect(BULLY.split(from)).toHaveLength(2)
  return BULLY.replace(from, () => to)
}

async function ready(page: Page): Promise<void> {
  await page.locator('[data-ready=true]').waitFor()
  await page.getByText('keeps the contract').waitFor()
}

/** Types a program into the editor, in place of the one that is there. */
async function type(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Your algorithm' }).focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
}

describe.runIf(hasBrowser())('the page on which the viewer writes an algorithm', () => {
  let bench: LabBench
  beforeAll(async () => {
    bench = await LabBench.open()
  })
  afterAll(async () => {
    await bench.close()
  })

  test('runs a shipped algorithm, and marks the lines that each step runs', async () => {
    const { page, mistakes, close } = await bench.page('#/write')
    await ready(page)
    await page.locator('[data-hash]').waitFor()
    await page.getByRole('button', { name: 'Pause', exact: true }).first().click()
    await page.getByLabel('members').fill('3')
    await page.getByLabel('members').press('Tab')
    await page.getByRole('button', { name: 'member 3', exact: false }).first().waitFor()
    await until(
      page,
      `document.querySelectorAll('.executed').length > 0 ||
      (document.querySelector('[aria-label="Step"]')?.click(), false)`,
    )
    expect(mistakes).toEqual([])
    await close()
  })

  test('a change of one line breaks a promise: the checker shows the run, and the line', async () => {
    const { page, mistakes, close } = await bench.page('#/write')
    await ready(page)
    const broken = changed(
      'else if (s.leader !== NONE && group.outranks(s.leader, from)) {',
      'else if (s.leader !== NONE && group.outranks(from, s.leader)) {',
    )
    await type(page, broken.replace("name: 'bully'", "name: 'my-bully'"))
    await page.getByText('my-bully keeps the contract').waitFor()
    await page.getByRole('tab', { name: 'Check' }).click()
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    const result = page.getByRole('region', { name: 'Result' })
    await result.getByRole('heading', { name: 'Broken: the strongest leads.' }).waitFor()
    await result.getByRole('button', { name: 'Show the run that breaks it' }).click()
    // A run of the program, without a clock, which stops where the promise is broken.
    await page
      .getByText(/^step \d+$/u)
      .first()
      .waitFor()
    await page
      .getByTestId('problems')
      .getByText(/Step \d+ breaks a promise/u)
      .waitFor()
    await page
      .getByTestId('problems')
      .getByRole('button', { name: /^Line \d+$/u })
      .waitFor()
    expect(mistakes).toEqual([])
    await close()
  })

  test('an exercise breaks a line, the checker says what for, and the page explains it', async () => {
    const { page, mistakes, close } = await bench.page('#/write')
    await ready(page)
    await page.getByLabel('Start from…').selectOption('twoVotes')
    await page.getByText('a member votes twice in a term: say what will happen').waitFor()
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByRole('heading', { name: 'Broken: one leader per term.' }).waitFor()
    await page.getByText('Two majorities share a member.').waitFor()
    expect(mistakes).toEqual([])
    await close()
  })

  test.each([
    [
      'a syntax error',
      'function start(s: State',
      'function start s: State',
      'This is no TypeScript',
      'function start s',
    ],
    [
      'a contract that is not kept',
      "agreement: 'eventually'",
      "agreement: 'often'",
      'The promise agreement',
      "agreement: 'often'",
    ],
    [
      'an exception',
      's.term += 1\n    const claim',
      's.term += s.no.term\n    const claim',
      'Your code throws: TypeError',
      's.no.term',
    ],
    [
      'an unknown timer',
      "out.set('answer'",
      "out.set('anser'",
      'There is no timer anser',
      "out.set('anser'",
    ],
  ])('tells %s at its line', async (_, from, to, sentence, at) => {
    const { page, mistakes, close } = await bench.page('#/write')
    await ready(page)
    const text = changed(from, to)
    await type(page, text)
    const problems = page.getByTestId('problems')
    await problems.getByText(sentence).waitFor()
    const line = lineOf(text, at)
    await problems.getByRole('button', { name: `Line ${line}`, exact: true }).click()
    // The gutter shows a mark beside the line.
    await page.locator('.cm-lint-marker-error').first().waitFor()
    await page.locator('.cm-activeLineGutter', { hasText: String(line) }).waitFor()
    expect(mistakes).toEqual([])
    await close()
  })

  test('stops a loop without an end, in a handler and outside, and runs the next program', async () => {
    const { page, mistakes, close } = await bench.page('#/write')
    await ready(page)
    await type(
      page,
      changed('s.term += 1\n    const claim', 'for (;;) s.term += 0\n    const claim'),
    )
    await page.getByTestId('problems').getByText('did not return for 4 seconds').waitFor()
    await type(page, `while (true);\n${BULLY}`)
    await page.getByText('keeps the contract').waitFor({ state: 'hidden' })
    await page.getByTestId('problems').getByText('did not return for 4 seconds').waitFor()
    await type(page, BULLY)
    await ready(page)
    expect(mistakes).toEqual([])
    await close()
  })

  test('a link holds the program and its run, which runs when the viewer says so', async () => {
    const { page, mistakes, close } = await bench.page('#/write')
    await ready(page)
    const text = changed("name: 'bully'", "name: 'from-a-link'")
    await type(page, text)
    await page.getByText('from-a-link keeps the contract').waitFor()
    await page.locator('[data-hash]').waitFor()
    const before = await page.locator('[data-hash]').getAttribute('data-hash')
    await page.getByLabel('seed').fill('77')
    await page.getByLabel('seed').press('Tab')
    await until(page, `document.querySelector('[data-hash]').dataset.hash !== '${before}'`)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await until(page, `location.hash.includes('code=')`)
    const link = await page.evaluate<string>('location.hash')

    const there = await bench.page(link)
    await there.page.getByText('This code came with a link.').first().waitFor()
    expect(await there.page.locator('[data-hash]').count()).toBe(0)
    await there.page.getByRole('button', { name: 'Run', exact: true }).click()
    await there.page.getByText('from-a-link keeps the contract').waitFor()
    await expect.poll(() => there.page.getByLabel('seed').inputValue()).toBe('77')
    const saved = there.page.waitForEvent('download')
    await there.page.getByRole('button', { name: 'Download' }).click()
    const download = await saved
    expect(download.suggestedFilename()).toBe('from-a-link.ts')
    expect(readFileSync(await download.path(), 'utf8')).toBe(text)
    // The file opens again.
    await there.page.getByLabel('A file with an algorithm').setInputFiles(await download.path())
    await there.page.getByText('from-a-link keeps the contract').waitFor()
    expect([...mistakes, ...there.mistakes]).toEqual([])
    await there.close()
    await close()
  })

  test('a program reaches no network', async () => {
    const asked: string[] = []
    const server = createServer(({ url }, response) => {
      asked.push(url ?? '')
      response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end('export default 1')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const at = `127.0.0.1:${(server.address() as AddressInfo).port}`
    // The server answers those who may ask.
    await fetch(`http://${at}/control`)
    // Each attempt that fails is told by the exception that a handler then throws.
    const attempts = `
      const g = globalThis as any
      const told: Set<string> = (g.told ??= new Set())
      const attempt = async (name: string, run: () => unknown): Promise<void> => {
        try { if ((await run()) === 'refused') told.add(name) } catch { told.add(name) }
      }
      const failing = (source: any): Promise<string> =>
        new Promise((settle) => {
          source.onerror = () => settle('refused')
          source.onmessage = ({ data }: any) => settle(data)
        })
      const nested = "fetch('http://${at}/nested').then(() => 'reached', () => 'refused').then(postMessage)"
      void attempt('fetch', () => g.fetch('http://${at}/fetch'))
      void attempt('fetch-without-cors', () => g.fetch('http://${at}/fetch', { mode: 'no-cors' }))
      void attempt('own-server', () => g.fetch('${bench.url}index.html', { mode: 'no-cors' }))
      void attempt('xhr', () => { const x = new g.XMLHttpRequest(); x.open('GET', 'http://${at}/xhr', false); x.send() })
      void attempt('socket', () => failing(new g.WebSocket('ws://${at}/socket')))
      void attempt('events', () => failing(new g.EventSource('http://${at}/events')))
      void attempt('script', () => g.importScripts('http://${at}/script'))
      void attempt('import', () => g.eval("import('http://${at}/import')"))
      void attempt('worker', () => failing(new g.Worker('http://${at}/worker')))
      void attempt('nested', () => failing(new g.Worker(g.URL.createObjectURL(new g.Blob([nested])))))
      void attempt('database', () => g.indexedDB.open('leak'))
    `
    const names = [...attempts.matchAll(/void attempt\('([\w-]+)'/gu)].map(([, name]) => name)
    expect(names).toHaveLength(11)
    const { page, close } = await bench.page('#/write')
    await ready(page)
    const telling = changed(
      'if (out.me === group.strongest) return victory(s, out)',
      "throw new Error('refused: ' + [...told].sort().join(' '))",
    )
    await type(page, attempts + telling)
    const problems = page.getByTestId('problems')
    await problems.getByText('Your code throws: Error: refused:').waitFor()
    const refused = async (): Promise<string> => {
      await page.getByRole('button', { name: 'Run again' }).click()
      return (await problems.innerText()).replace(/^[\s\S]*refused: /u, '').trim()
    }
    await expect.poll(refused, { timeout: 10_000 }).toBe(names.toSorted().join(' '))
    expect(asked).toEqual(['/control'])
    await close()
    server.close()
  })

  test('the editor and the sandbox are loaded only when they are asked for', async () => {
    const { page, close } = await bench.page('#/learn')
    const loaded = (): Promise<string[]> =>
      page.evaluate<string[]>(`performance.getEntriesByType('resource').map(({ name }) => name)`)
    // The other pages are fetched when the first is idle.
    await expect
      .poll(async () => (await loaded()).some((name) => /\/write-/u.test(name)), {
        timeout: 15_000,
      })
      .toBe(true)
    expect((await loaded()).filter((name) => /code-editor|sandbox/u.test(name))).toEqual([])
    await page.goto(`${bench.url}#/write`)
    await ready(page)
    expect((await loaded()).some((name) => /code-editor/u.test(name))).toBe(true)
    await close()
  })

  test('works in an exported folder that a browser opens as a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bellwether-write-'))
    rmSync(folder, { recursive: true })
    const file = exportLab(folder)
    const context = await bench.browser.newContext()
    const page = await context.newPage()
    await page.goto(`file://${file}#/write`)
    await ready(page)
    await page.locator('[data-hash]').waitFor()
    expect(await page.evaluate<string>('location.protocol')).toBe('file:')
    await context.close()
    rmSync(folder, { recursive: true })
  })

  test.each(['light', 'dark'] as const)(
    'has no serious finding of axe in %s, and fits',
    async (theme) => {
      const { page, mistakes, close } = await bench.page('#/write', { colorScheme: theme })
      await ready(page)
      await page.locator('[data-hash]').waitFor()
      expect(await serious(page)).toEqual([])
      for (const tab of ['Check', 'Contract']) {
        await page.getByRole('tab', { name: tab }).click()
        if (tab === 'Contract') await page.getByLabel('core/algorithm.ts').waitFor()
        expect(await serious(page)).toEqual([])
      }
      for (const width of [320, 390, 780]) {
        await page.setViewportSize({ width, height: 844 })
        for (const tab of ['Code', 'Run', 'Check']) {
          await page.getByRole('tab', { name: tab, exact: true }).click()
          await until(page, 'document.documentElement.scrollWidth <= innerWidth')
        }
      }
      expect(await serious(page)).toEqual([])
      expect(mistakes).toEqual([])
      await close()
    },
  )
})
