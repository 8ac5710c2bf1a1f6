/** Tests in Chromium what a viewer takes away: the exported folder, a frame for another page, pictures and a video. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Download, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, LabBench, serious, until } from '../../scripts/support/browser.ts'

const BIN = new URL('../../bin/bellwether.js', import.meta.url).pathname
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

async function downloaded(page: Page, button: string): Promise<{ name: string; bytes: Buffer }> {
  const waiting: Promise<Download> = page.waitForEvent('download', { timeout: 60_000 })
  await page.getByRole('button', { name: button }).click()
  const download = await waiting
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
}

describe.runIf(hasBrowser())('taken away', () => {
  let bench: LabBench
  let folder = ''
  beforeAll(async () => {
    bench = await LabBench.open()
    folder = mkdtempSync(join(tmpdir(), 'bellwether-export-'))
    execFileSync(process.execPath, [BIN, 'lab', '--export', join(folder, 'lab')])
  })
  afterAll(async () => {
    await bench.close()
    rmSync(folder, { recursive: true })
  })

  test('the exported folder is a page that a browser opens as a file: it runs, checks and teaches', async () => {
    const { page, mistakes, close } = await bench.page('#/lab')
    await page.goto(`${pathToFileURL(join(folder, 'lab/index.html')).href}#/lab`)
    await page.getByRole('button', { name: /^member 5, leader/u }).waitFor()
    await page.getByRole('link', { name: 'Check', exact: true }).click()
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByRole('heading', { name: 'Broken: agreement.' }).waitFor()
    await page.getByRole('link', { name: 'Learn', exact: true }).click()
    await page.getByRole('heading', { name: 'How a group elects a leader' }).waitFor()
    // The style sheet of a page that is loaded later is there too.
    await until(page, `getComputedStyle(document.querySelector('.idea')).fontSize === '19px'`)
    expect(mistakes).toEqual([])
    await close()
  })

  test('the exported folder works from a web server, below any path and in a frame of another page', async () => {
    const server = createServer(({ url = '/' }, response) => {
      const path = url.split('?')[0]
      if (path === '/') {
        response.setHeader('content-type', 'text/html')
        return response.end(
          '<iframe id="f" src="/some/lab/index.html#/lab?algorithm=bully&nodes=4&seed=2&embed=1"></iframe>',
        )
      }
      if (!path.startsWith('/some/lab/')) return response.writeHead(404).end()
      response.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain')
      return createReadStream(join(folder, path.replace('/some/', '/'))).pipe(response)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { page, mistakes, close } = await bench.page('#/lab')
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const frame = page.frameLocator('#f')
    await frame.getByRole('button', { name: /^member 4, leader/u }).waitFor()
    expect(await frame.getByRole('navigation', { name: 'Pages' }).count()).toBe(0)
    expect(
      await frame.getByRole('link', { name: 'Open in the lab' }).getAttribute('href'),
    ).not.toContain('embed')
    expect(mistakes.filter((text) => !/404/u.test(text))).toEqual([])
    await close()
    server.closeAllConnections()
    server.close()
  })

  test('a folder that is not empty is left alone', () => {
    const again = spawnSync(process.execPath, [BIN, 'lab', '--export', join(folder, 'lab')], {
      encoding: 'utf8',
    })
    expect([again.status, again.stderr]).toEqual([
      2,
      expect.stringContaining('the folder is not empty'),
    ])
  })

  test('a frame shows the run with playback and faults, without navigation, and axe finds nothing serious', async () => {
    const { page, mistakes, close } = await bench.page(
      '#/lab?algorithm=bully-fd&nodes=4&seed=3&embed=1',
      {
        viewport: { width: 800, height: 560 },
      },
    )
    await page.getByRole('button', { name: /^member 4, leader/u }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Pages' }).count()).toBe(0)
    await until(page, 'document.documentElement.scrollHeight <= innerHeight + 1')
    await page.keyboard.press('4')
    await page.getByRole('button', { name: 'Crash' }).click()
    await until(page, `location.hash.includes('crash=4') && location.hash.includes('embed=1')`)
    expect(await serious(page)).toEqual([])
    expect(mistakes).toEqual([])
    await close()
  })

  test('the dialog copies a frame, and saves the diagram as SVG and PNG, and a video', async () => {
    const { page, mistakes, close } = await bench.page(
      '#/lab?algorithm=bully&nodes=3&seed=1&speed=1/32',
      {
        permissions: ['clipboard-read', 'clipboard-write'],
      },
    )
    await page.locator('main[data-hash]').waitFor()
    await page.getByRole('button', { name: 'Share' }).click()
    await until(page, `document.querySelector('#share-link').value !== ''`)
    await page.bringToFront() // the clipboard is for the page in focus
    await page.getByRole('button', { name: 'Copy frame' }).click()
    await page.getByText('Copied the frame.').waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toMatch(
      /^<iframe src="http:.*#\/lab\?.*algorithm=bully.*&amp;embed=1" title="bellwether: bully, 3 members"/u,
    )
    const svg = await downloaded(page, 'Save diagram as SVG')
    expect(svg.bytes.toString()).toContain('<svg')
    const png = await downloaded(page, 'Save diagram as PNG')
    expect(png.name).toMatch(/^bully-[\da-f]{8}\.png$/u)
    expect(png.bytes.subarray(1, 4).toString()).toBe('PNG')
    expect(png.bytes.readUInt32BE(16)).toBeGreaterThan(400)
    const video = await downloaded(page, 'Record a video from here (WebM)')
    // A WebM file begins with the header of EBML.
    expect(video.bytes.readUInt32BE(0)).toBe(0x1a45dfa3)
    expect(video.bytes.length).toBeGreaterThan(1000)
    expect(mistakes).toEqual([])
    await close()
  })
})
