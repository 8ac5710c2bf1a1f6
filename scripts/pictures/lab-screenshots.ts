/** `npm run screenshots:lab`: takes screenshots of the Lab and Learn pages in Chromium and writes them to docs/screenshots. */
import type { Page } from 'playwright-core'
import { capture, LabBench, until } from '../support/browser.ts'
import { commandLine } from '../support/command-line.ts'

interface Shot {
  readonly name: string
  readonly hash: string
  readonly dark?: boolean
  readonly narrow?: boolean
  /** Brings the page to the moment of the picture. */
  readonly stage: (page: Page) => Promise<void>
}

commandLine({
  run: 'npm run screenshots:lab',
  does: 'Takes the pictures of the lab in docs/screenshots, in Chromium.',
})

function playUntil(expression: string): (page: Page) => Promise<void> {
  return async (page) => {
    await until(page, expression)
    // Messages that were just sent have left the names of their members by then.
    await page.waitForTimeout(450)
    await page.keyboard.press('Space')
    await page.waitForTimeout(150)
  }
}

const electing = playUntil(
  `document.querySelector('[data-in-flight]')?.dataset.inFlight >= 3 &&
   document.querySelector('.node.crashed') && document.querySelector('.node.candidate')`,
)
const broken = (page: Page): Promise<void> =>
  until(page, `document.querySelector('button.chip.broken')`)

/** A lesson plays its first run when it is visible. */
const leading = async (page: Page): Promise<void> => {
  await page
    .getByRole('button', { name: /^member \d, leader/u })
    .first()
    .waitFor()
}

const SHOTS: readonly Shot[] = [
  { name: 'lab-light', hash: '#/lab', stage: electing },
  { name: 'lab-dark', hash: '#/lab', dark: true, stage: electing },
  { name: 'lab-narrow-light', hash: '#/lab', narrow: true, stage: electing },
  { name: 'lab-narrow-dark', hash: '#/lab', narrow: true, dark: true, stage: electing },
  { name: 'counterexample-light', hash: '#/lab?preset=bully-fd-as-printed', stage: broken },
  {
    name: 'counterexample-dark',
    hash: '#/lab?preset=bully-fd-as-printed',
    dark: true,
    stage: broken,
  },
  {
    name: 'compare-light',
    hash: '#/lab?preset=compare',
    stage: playUntil(
      `Number(document.querySelector('.transport strong').textContent.split(' ')[0]) > 106`,
    ),
  },
  { name: 'learn-light', hash: '#/learn/bully', stage: leading },
  { name: 'learn-narrow-dark', hash: '#/learn', narrow: true, dark: true, stage: leading },
  {
    name: 'statechart-dark',
    hash: '#/lab',
    dark: true,
    stage: async (page) => {
      await page.getByRole('tab', { name: 'States' }).click()
      await page.locator('main').focus()
      await electing(page)
    },
  },
]

const bench = await LabBench.open()
for (const { name, hash, dark = false, narrow = false, stage } of SHOTS) {
  const { page, mistakes, close } = await bench.page(hash, {
    viewport: narrow ? { width: 390, height: 844 } : { width: 1440, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
  })
  await stage(page)
  const kb = await capture(page, name)
  await close()
  process.stdout.write(`${[`${name}.webp ${kb} kB`, mistakes.join('; ')].join(' ').trim()}\n`)
}
await bench.close()
