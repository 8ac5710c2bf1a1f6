/** Finds and starts Chromium and the lab's server, opens pages, waits for expressions in them, takes screenshots, and checks accessibility with axe. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { LabServer } from '../../src/cli/lab/lab-server.ts'

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

function chromiumPath(): string | undefined {
  const given = process.env['CHROMIUM']
  return [...(given === undefined ? [] : [given]), ...PLACES].find((place) => existsSync(place))
}

/** Whether Chromium is installed. In CI a missing one is a failure; elsewhere the tests are skipped with a warning. */
export function hasBrowser(): boolean {
  if (chromiumPath() !== undefined) return true
  if (process.env['CI'] === 'true') {
    throw new Error('there is no Chromium: run scripts/ensure-debian.sh as root')
  }
  process.stderr.write('There is no Chromium: the tests of the lab in a browser are skipped.\n')
  return false
}

/** Without network traffic of its own. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-sync',
  '--disable-extensions',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--no-pings',
  '--metrics-recording-only',
  '--force-color-profile=srgb',
]

export async function launch(): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === undefined) throw new Error('there is no Chromium')
  return chromium.launch({ executablePath, args: ARGUMENTS })
}

export class LabBench {
  readonly url: string
  readonly browser: Browser
  private readonly server: LabServer

  private constructor(server: LabServer, browser: Browser) {
    this.server = server
    this.browser = browser
    this.url = server.url
  }

  /** `folder`: a built lab other than that of this version. */
  static async open(folder?: string): Promise<LabBench> {
    const options = folder === undefined ? { port: 0 } : { port: 0, folder }
    const [server, browser] = await Promise.all([LabServer.open(options), launch()])
    return new LabBench(server, browser)
  }

  /** A page in a context of its own, with the errors that it logs. */
  async page(hash: string, options: BrowserContextOptions = {}): Promise<LabPage> {
    const context = await this.browser.newContext({
      viewport: { width: 1440, height: 900 },
      ...options,
    })
    const page = await context.newPage()
    const mistakes: string[] = []
    page.on('pageerror', (error) => mistakes.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') mistakes.push(message.text())
    })
    await page.goto(`${this.url}${hash}`)
    return { page, mistakes, close: () => context.close() }
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.server.close()
  }
}

export interface LabPage {
  readonly page: Page
  readonly mistakes: string[]
  readonly close: () => Promise<void>
}

/** Writes a picture of what the page shows to docs/screenshots; returns its size in kB. */
export async function capture(page: Page, name: string): Promise<number> {
  const folder = new URL('../../docs/screenshots/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const client = await page.context().newCDPSession(page)
  const { data } = await client.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  const bytes = Buffer.from(data, 'base64')
  writeFileSync(new URL(`${name}.webp`, folder), bytes)
  return Math.round(bytes.length / 1000)
}

/** What axe finds that is serious or critical, one line each. */
export async function serious(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  const { violations } = await page.evaluate<AxeResult>("axe.run({ resultTypes: ['violations'] })")
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

interface AxeResult {
  readonly violations: { id: string; impact: string; nodes: { html: string }[] }[]
}

/** Waits until an expression holds in the page. Ours, since the page's policy lets nothing evaluate text. */
export async function until(page: Page, expression: string, withinMs = 30_000): Promise<void> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline;) {
    if (await page.evaluate<boolean>(`Boolean(${expression})`)) return
    await page.waitForTimeout(30)
  }
  throw new Error(`never became true: ${expression}`)
}
