/** Tests the Live page in Chromium with a group of real processes. */
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LabServer } from '../../src/cli/lab/lab-server.ts'
import { endpointFile, type MemberEndpoint } from '../../src/cli/processes/member-endpoints.ts'
import { watchMembers } from '../../src/cli/lab/watch-members.ts'
import { parseDuration } from '../../src/core/time.ts'
import type { EventRecord } from '../../src/index.ts'
import { isAlive } from '../../scripts/support/linux-processes.ts'
import { atMs, TestCluster, program } from '../../scripts/support/test-cluster.ts'
import { until } from '../../src/testing/wait.ts'
import { hasBrowser, launch, serious } from '../../scripts/support/browser.ts'

const BRISK = ['--detection', '600ms', '--period', '200ms', '--lease', '800ms', '--trust-refusals']

/** A process that runs `bellwether up --lab`. */
class Up {
  readonly entries: EventRecord[] = []
  url = ''
  private readonly child: ChildProcess

  constructor(...flags: readonly string[]) {
    const words = [program, 'up', '--json', '--lab', '--no-open', ...flags]
    this.child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      this.entries.push(JSON.parse(line) as EventRecord)
    })
    this.child.stderr!.on('data', (chunk) => {
      this.url ||= /http:\S+/u.exec(String(chunk))?.[0] ?? ''
    })
  }

  /** The member that was elected last, unless it has exited. */
  async leader(): Promise<EventRecord> {
    return until(() => {
      const elected = this.entries.findLast(({ event }) => event === 'elected')
      const gone = this.entries.some(({ event, pid }) => event === 'exited' && pid === elected?.pid)
      return gone ? undefined : elected
    }, 'a leader')
  }

  async close(): Promise<void> {
    const pids = new Set(this.entries.map(({ pid }) => pid))
    this.child.kill('SIGTERM')
    await until(() => this.child.exitCode !== null || this.child.signalCode !== null, 'the end')
    await until(() => [...pids].every((pid) => !isAlive(pid)), 'the end of all members')
  }
}

/** Records in the page when the shown leader and the number of incidents change. */
async function noteChanges(page: Page): Promise<void> {
  await page.evaluate(`
    window.noted = []
    new MutationObserver(() => {
      const leader = document.querySelector('[data-testid=leader]')?.dataset.leader
      const incidents = document.querySelectorAll('[data-testid=incident]').length
      const bands = document.querySelectorAll('[data-testid=leaderless-band]').length
      const last = window.noted.at(-1)
      if (last?.leader === leader && last.incidents === incidents && last.bands === bands) return
      window.noted.push({ wallMs: Date.now(), leader, incidents, bands })
    }).observe(document.body, { subtree: true, childList: true, attributes: true })
  `)
}

interface Noted {
  readonly wallMs: number
  readonly leader: string
  readonly incidents: number
  readonly bands: number
}

/** The time of day of an event that has a monotonic time. */
function wallOf(entry: EventRecord): number {
  return Date.now() - (Number(process.hrtime.bigint()) / 1e6 - atMs(entry))
}

describe.runIf(hasBrowser())('the live page', () => {
  let up: Up
  let browser: Browser
  beforeAll(async () => {
    up = new Up()
    browser = await launch()
    await until(() => up.url, 'the address of the lab')
    await up.leader()
  })
  afterAll(async () => {
    await up.close()
    await browser.close()
  })

  async function open(hash = '', options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
    const page = await context.newPage()
    const mistakes: string[] = []
    page.on('pageerror', (error) => mistakes.push(String(error)))
    await page.goto(hash === '' ? up.url : `${up.url.split('#')[0]}${hash}`)
    await page.locator('[data-testid=leader]').waitFor()
    return { page, mistakes, close: async () => context.close() }
  }

  test('shows within half a second that a killed leader is gone, and who leads now', async () => {
    const { page, mistakes, close } = await open()
    await noteChanges(page)
    const delays: { band: number; leader: number }[] = []
    // A busy machine may be late once.
    for (let i = 0; i < 3 && !delays.some(({ band, leader }) => band < 500 && leader < 500); i++) {
      const old = await up.leader()
      await page.locator(`[data-testid=leader][data-leader=${old.node}]`).waitFor()
      await until(() => up.entries.filter(({ event }) => event === 'started').length >= 5 + i)
      const before = await page.locator('[data-testid=incident]').count()
      process.kill(old.pid, 'SIGKILL')
      const killedMs = Date.now()
      const next = await until(() =>
        up.entries.find(({ event, at }) => event === 'elected' && BigInt(at) > BigInt(old.at)),
      )
      await page.locator(`[data-testid=leader][data-leader=${next.node}]`).waitFor()
      await expect
        .poll(async () => page.locator('[data-testid=incident]').count())
        .toBeGreaterThan(before)
      const noted = (await page.evaluate('window.noted')) as Noted[]
      const since = noted.filter(({ wallMs }) => wallMs >= killedMs - 5)
      const band = since.find(({ incidents }) => incidents > before)!
      const leader = since.find((one) => one.leader === next.node)!
      delays.push({ band: band.wallMs - killedMs, leader: leader.wallMs - wallOf(next) })
      expect(band.bands).toBeGreaterThan(0)
    }
    console.log(`shown after (ms): ${JSON.stringify(delays)}`)
    expect(delays.at(-1)!.band).toBeLessThan(500)
    expect(delays.at(-1)!.leader).toBeLessThan(500)
    expect(await page.locator('p[aria-live=polite]').textContent()).toMatch(/^\w leads, term \d+/u)
    expect(mistakes).toEqual([])
    await close()
  })

  test('has buttons that pause, cut and heal, if the address has the token', async () => {
    const { page, close } = await open()
    expect(new URL(page.url()).hash).toBe('#/live')
    const { node } = await up.leader()
    const other = ['a', 'b'].find((name) => name !== node)!
    const row = page.locator(`tr[data-member=${other}]`)
    await row.getByRole('button', { name: `Pause ${other}` }).click()
    await row.getByText('paused', { exact: true }).waitFor()
    await row.getByRole('button', { name: `Resume ${other}` }).press('Enter')
    await row.getByRole('button', { name: `Pause ${other}` }).waitFor()
    await page.getByRole('button', { name: 'Cut the link between a and b' }).first().click()
    await page.locator('td.cut').first().waitFor()
    await page.getByRole('button', { name: 'Heal all links' }).first().click()
    await expect.poll(async () => page.locator('td.cut').count()).toBe(0)
    await close()
  })

  test('has no buttons without the token, and explains why', async () => {
    const { page, close } = await open('#/live')
    await page.getByText('read-only').waitFor()
    expect(await page.getByRole('button', { name: /^Kill/u }).count()).toBe(0)
    await close()
  })

  test('goes back by keyboard to before the page was opened, and returns to now', async () => {
    const { page, close } = await open('#/live')
    const slider = page.getByRole('slider', { name: 'Moment to show' })
    await slider.focus()
    await page.keyboard.press('Home')
    await page.getByText('The whole page shows that moment').waitFor()
    expect(await page.locator('[data-testid=leader]').getAttribute('data-leader')).toBe('')
    await page.keyboard.press('End')
    await page.getByText('Live. Drag over').waitFor()
    await close()
  })

  test('opens an incident in the lab as a run of the same size with the same crash', async () => {
    const { page, mistakes, close } = await open('#/live')
    const incident = page.locator('[data-testid=incident]', { hasText: 'SIGKILL' }).first()
    const href = await incident.getByRole('link', { name: /Open in the lab/u }).getAttribute('href')
    const query = new URLSearchParams(href!.split('?')[1])
    expect(query.get('nodes')).toBe('5')
    expect(query.getAll('crash').length).toBeGreaterThan(0)
    await incident.getByRole('link', { name: /Open in the lab/u }).click()
    await page
      .getByRole('button', { name: /^member 5, / })
      .first()
      .waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    // The members keep their names, and the page says what it shows.
    const names = query.get('names')?.split(',') ?? []
    expect(names).toHaveLength(5)
    const shown = await page.locator('.node .number').allTextContents()
    expect(shown.toSorted()).toEqual(names.toSorted())
    await page.getByText('A simulation, not a recording').waitFor()
    // It has the group's detector and times, and what a refused connection proves: a kill is replaced at once in both.
    expect(query.get('detector')).toBe('link')
    expect(query.get('silence')).toBe('1500ms')
    expect(query.getAll('option')).toEqual(['leasePeriods=4'])
    // Each member to which the killed one refused a connection has its proof, whether it asked its detector or not.
    const first = query.getAll('crash').map((fault) => fault.split('@')[0])
    const exits = up.entries.filter(({ event }) => event === 'exited').slice(-first.length)
    const expected = exits.flatMap(({ node, at }) =>
      up.entries.filter((entry) => {
        const near = Math.abs(atMs(entry) - Number(at) / 1e6) < 900
        return entry.event === 'unreachable' && near && entry['peer'] === node
      }),
    )
    const proofs = query.getAll('proof').map((fault) => fault.split('@')[0])
    const label = (name: unknown): number => 1 + names.indexOf(String(name))
    for (const { node, peer } of expected) expect(proofs).toContain(`${label(node)}>${label(peer)}`)
    expect(proofs.length).toBeGreaterThan(0)
    const figures = page.locator('dl[data-live]')
    const us = async (name: string): Promise<number> =>
      Number(await figures.getAttribute(`data-${name}`))
    console.log(
      `without a leader (µs): ${await us('live')} live, ${await us('simulated')} simulated`,
    )
    expect(await us('simulated')).toBeGreaterThan(0)
    // An election has at most eight messages in a row. Where the group was slow, so is its simulation.
    const slowest = parseDuration(query.get('latency')!.split('..')[1])!
    const most = Math.max(400_000, 2 * (await us('live')) + 8 * slowest)
    expect(await us('simulated')).toBeLessThan(most)
    expect(mistakes).toEqual([])
    await close()
  })

  test('shows a paused leader as such, live and in the lab', async () => {
    const { page, mistakes, close } = await open()
    const { node } = await up.leader()
    await page.locator(`[data-testid=leader][data-leader=${node}]`).waitFor()
    await page.getByRole('button', { name: `Pause ${node}` }).click()
    await page.getByText(`${node}, the last leader, is paused.`).waitFor()
    await page.locator('[data-testid=leader]:not([data-leader=""])').waitFor()
    await page.getByRole('button', { name: `Resume ${node}` }).click()
    const incident = page.locator('[data-testid=incident]', { hasText: `${node} was paused` })
    await incident
      .first()
      .getByRole('link', { name: /Open in the lab/u })
      .click()
    // The link begins just before the pause, and the page plays.
    await page.locator('dl[data-live]').waitFor()
    await page.getByText('leader, paused').first().waitFor()
    const us = async (name: string): Promise<number> =>
      Number(await page.locator('dl[data-live]').getAttribute(`data-${name}`))
    console.log(`paused (µs): ${await us('live')} live, ${await us('simulated')} simulated`)
    // The detector counts silence in both.
    expect(await us('live')).toBeGreaterThan(1_000_000)
    expect(await us('simulated')).toBeGreaterThan(1_000_000)
    expect(mistakes).toEqual([])
    await close()
  })

  test('has no serious finding of axe, light or dark, wide or narrow', async () => {
    const { page, close } = await open()
    await page.locator('td.up').first().waitFor()
    for (const [colorScheme, width] of [
      ['light', 1440],
      ['dark', 1440],
      ['dark', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      expect({ colorScheme, width, found: await serious(page) }).toEqual({
        colorScheme,
        width,
        found: [],
      })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
    await close()
  })
})

describe.runIf(hasBrowser())('members that already run', () => {
  let cluster: TestCluster
  let browser: Browser
  let list: string
  beforeAll(async () => {
    cluster = await TestCluster.open({ members: 3, flags: BRISK })
    browser = await launch()
    await cluster.agreed(() => cluster.names)
    list = cluster.names.map((name) => `${name}=${contactOf(cluster, name).http}`).join(',')
  })
  afterAll(async () => {
    await cluster.close()
    await browser.close()
  })

  /** Kills the leader and waits until the page shows the next. */
  async function expectFailover(page: Page): Promise<void> {
    const leader = await cluster.agreed()
    await page.locator(`[data-testid=leader][data-leader=${leader}]`).waitFor()
    cluster.processes.kill(leader)
    const next = await cluster.agreed(cluster.running(), leader)
    await page.locator(`[data-testid=leader][data-leader=${next}]`).waitFor()
    await page.locator(`tr[data-member=${leader}]`).getByText('unreachable').waitFor()
    await page.getByText(`${leader} exited (does not answer)`).first().waitFor()
    expect(await page.getByRole('button', { name: /^Kill/u }).count()).toBe(0)
    cluster.processes.start(leader)
    await cluster.agreed(() => cluster.names)
  }

  test('are shown by `lab --members`, read-only', async () => {
    const watched = watchMembers(list)
    const server = await LabServer.open({ port: 0, route: watched.routes.route })
    const page = await browser.newPage()
    await page.goto(`${server.url}#/live`)
    await expectFailover(page)
    await page.close()
    watched.end()
    await server.close()
  })

  test('are read by the page itself if their addresses are entered there', async () => {
    list = cluster.names.map((name) => `${name}=${contactOf(cluster, name).http}`).join(',')
    const connect = ['http://127.0.0.1:*']
    const server = await LabServer.open({ port: 0, connect })
    const page = await browser.newPage()
    await page.goto(`${server.url}#/live`)
    await page.getByLabel('Or enter the addresses here').fill('nonsense')
    await page.getByRole('button', { name: 'Watch' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.locator('td.up').count()).toBe(0)
    await page.getByLabel('Or enter the addresses here').fill(list)
    await page.keyboard.press('Enter')
    const leader = await cluster.agreed()
    await page.locator(`[data-testid=leader][data-leader=${leader}]`).waitFor()
    await page.locator('td.up').first().waitFor()
    await page.close()
    await server.close()
  })
})

function contactOf({ state }: TestCluster, name: string): MemberEndpoint {
  return JSON.parse(readFileSync(endpointFile(state, 'cluster', name), 'utf8')) as MemberEndpoint
}
