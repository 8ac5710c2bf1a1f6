/** `npm run screenshots:live`: starts five member processes, injects faults, and writes screenshots of the Live page to docs/screenshots. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalCluster } from '../../src/testing/local-cluster.ts'
import { nearestSettings } from '../../src/cli/lab/nearest-settings.ts'
import { UpLab } from '../../src/cli/lab/up-lab.ts'
import { capture, launch } from '../support/browser.ts'
import { commandLine } from '../support/command-line.ts'
import { program } from '../support/test-cluster.ts'

commandLine({
  run: 'npm run screenshots:live',
  does: 'Takes the pictures of the Live page in docs/screenshots, over five real processes.',
})
const SHOTS = [
  { name: 'live-light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'live-dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'live-narrow-light', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const

const names = ['a', 'b', 'c', 'd', 'e']
const state = mkdtempSync(join(tmpdir(), 'bellwether-'))
const lab = await UpLab.open({ names, state, group: 'up', port: 0, settings: nearestSettings({}) })
const flags = ['--group', 'up', '--trust-refusals']
const cluster = await LocalCluster.open({ names, program, state, flags, restart: true }, (entry) =>
  lab.tell(entry),
)
lab.watch(cluster)
const browser = await launch()

// Faults that the pictures show: the leader is killed, a member paused, a link cut, a leader killed again.
const faults: readonly (() => void)[] = [
  () => cluster.kill('e'),
  () => cluster.pause('a'),
  () => cluster.cut('b', 'c'),
  () => cluster.kill('d'),
]
await sleep(4000)
for (const act of faults) {
  act()
  await sleep(4000)
}

for (const { name, colorScheme, viewport } of SHOTS) {
  const context = await browser.newContext({ viewport, colorScheme })
  const page = await context.newPage()
  await page.goto(lab.url)
  await page.locator('td.up').first().waitFor()
  process.stdout.write(`${name}.webp ${await capture(page, name)} kB\n`)
  await context.close()
}
await browser.close()
await cluster.close()
await lab.close()
rmSync(state, { recursive: true, force: true })
