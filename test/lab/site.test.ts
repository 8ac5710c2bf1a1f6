/** Tests the search of the documentation site in Chromium, and that its pages can be used without a mouse. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { addressOf, writeSite } from '../../scripts/docs/site.ts'
import { hasBrowser, launch, serious } from '../../scripts/support/browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'bellwether-site-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.runIf(hasBrowser())('the documentation site in Chromium', () => {
  test('finds a section by its words, and opens it', async () => {
    writeSite(folder)
    const browser = await launch()
    try {
      const page = await browser.newPage()
      await page.goto(pathToFileURL(join(folder, addressOf('docs/guide/start.md'))).href)
      expect(await serious(page)).toEqual([])
      await page.getByRole('searchbox').fill('replace certificate')
      await page.getByRole('link', { name: 'Replace a certificate', exact: true }).click()
      await page.waitForURL(/docs\/guide\/change\.html#replace-a-certificate$/u)
      await page.getByRole('searchbox').fill('no such words anywhere')
      await page.getByText('Nothing found.').waitFor()
    } finally {
      await browser.close()
    }
  })
})
