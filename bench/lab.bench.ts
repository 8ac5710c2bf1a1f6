/** Measures the lab in Chromium: bundle size, frames per second, time of a seek, main-thread time of both, and events per second of the simulator in the worker. */
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { hasBrowser, LabBench, until } from '../scripts/support/browser.ts'
import { smallChecks } from '../scripts/support/small-checks.ts'
import { check } from '../src/check/index.ts'
import { settingsOfCheck } from '../src/explore/check-settings.ts'
import { row, type Entry, type Row, type Scale } from './harness.ts'

/** The gzipped size of what the page loads at first: what index.html names, and the worker. The other pages load on demand. */
export function bundleKb(): number {
  const folder = new URL('../dist/lab/', import.meta.url)
  const page = readFileSync(new URL('index.html', folder), 'utf8')
  const isFirst = (name: string): boolean =>
    name === 'index.html' || name.startsWith('worker-') || page.includes(name)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  const bytes = files
    .filter((file) => file.isFile() && isFirst(file.name))
    .map(({ parentPath, name }) => gzipSync(readFileSync(`${parentPath}/${name}`), { level: 9 }))
  return bytes.reduce((sum, { length }) => sum + length, 0) / 1000
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** CPU time of the page's main thread during an action (ms). It depends little on other load of the machine. */
async function mainThreadMs(
  bench: LabBench,
  page: Page,
  act: () => Promise<unknown>,
): Promise<number> {
  await bench.browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] })
  await act()
  const trace = (await bench.browser.stopTracing()).toString()
  const { traceEvents } = JSON.parse(trace) as { traceEvents: TraceEvent[] }
  const threads = traceEvents.filter(({ args }) => args?.name === 'CrRendererMain')
  const isMain = ({ pid, tid }: TraceEvent): boolean =>
    threads.some((thread) => thread.pid === pid && thread.tid === tid)
  const tasks = traceEvents.filter((event) => event.name === 'RunTask' && isMain(event))
  return tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1000
}

interface Frames {
  readonly fps: number
  readonly inFlight: number
  /** CPU time of the main thread for each frame. */
  readonly frameMs: number
}

/** Frames per second while many messages are in flight, and how many there were. */
async function framesPerSecond(bench: LabBench, hash: string, atLeast: number): Promise<Frames> {
  const { page, close } = await bench.page(hash)
  await page.locator('[data-in-flight]').waitFor()
  await until(page, `document.querySelector('[data-in-flight]').dataset.inFlight >= ${atLeast}`)
  const measure = `new Promise((resolve) => {
    const inFlight = Number(document.querySelector('[data-in-flight]').dataset.inFlight)
    const started = performance.now()
    let frames = 0
    const tick = (now) => {
      frames += 1
      if (now - started < 2000) requestAnimationFrame(tick)
      else resolve({ fps: (1000 * frames) / (now - started), inFlight, frames })
    }
    requestAnimationFrame(tick)
  })`
  const { fps, inFlight } = await page.evaluate<{ fps: number; inFlight: number }>(measure)
  let frames = 1
  const ms = await mainThreadMs(bench, page, async () => {
    ;({ frames } = await page.evaluate<{ frames: number }>(measure))
  })
  await close()
  return { fps, inFlight, frameMs: ms / frames }
}

/** From the address to the first picture of a run with all its members, the better of two loads. */
async function firstPictureMs(bench: LabBench, hash: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 2; i++) {
    const context = await bench.browser.newContext({ viewport: { width: 1440, height: 900 } })
    await context.addInitScript(`{
      const look = () => {
        if (document.querySelector('main[data-hash]') === null) requestAnimationFrame(look)
        else requestAnimationFrame((now) => (window.firstPicture = now))
      }
      requestAnimationFrame(look)
    }`)
    const page = await context.newPage()
    await page.goto(`${bench.url}${hash}`)
    await until(page, 'window.firstPicture')
    times.push(await page.evaluate<number>('window.firstPicture'))
    await context.close()
  }
  return Math.min(...times)
}

interface Seeks {
  readonly ms: number
  readonly events: number
  readonly cpuMs: number
}

/** Milliseconds from a jump on the timeline until the page is painted, the second slowest of twenty. */
async function seekMs(bench: LabBench): Promise<Seeks> {
  const { page, close } = await bench.page(
    '#/lab?algorithm=bully&nodes=25&seed=1&until=12s&detector=heartbeat',
  )
  // The page shows the beginning of the run before it has the rest.
  const shown = `/of (\\d+)$/.exec(document.querySelector('input[type=range]')?.ariaValueText ?? '')`
  await until(page, `Number(${shown}?.[1]) > 10000`)
  await page.keyboard.press('Space')
  const measure = `(async () => {
    const range = document.querySelector('input[type=range]')
    const painted = () => new Promise((done) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = done
        port2.postMessage(null)
      })
    })
    const times = []
    for (let i = 0; i < 20; i++) {
      await painted()
      const started = performance.now()
      range.value = String(Number(range.max) * ((i * 7919) % 1000) / 1000)
      range.dispatchEvent(new Event('input', { bubbles: true }))
      await painted()
      times.push(performance.now() - started)
    }
    const run = /of (\\d+)$/.exec(range.getAttribute('aria-valuetext'))
    return { ms: times.sort((a, b) => a - b)[18], events: Number(run[1]) }
  })()`
  const found = await page.evaluate<{ ms: number; events: number }>(measure)
  const cpu = await mainThreadMs(bench, page, () => page.evaluate(measure))
  await close()
  return { ...found, cpuMs: cpu / 20 }
}

async function eventsPerSecond(bench: LabBench, recorded: boolean): Promise<number> {
  const { page, close } = await bench.page('#/learn')
  const ask = `bellwether.ask('speed', { events: ${recorded ? 50_000 : 1_000_000}, recorded: ${recorded} })`
  await page.evaluate(ask)
  const { events, ms } = await page.evaluate<{ events: number; ms: number }>(ask)
  await close()
  return (1000 * events) / ms
}

interface CheckerShare {
  readonly checks: number
  readonly states: number
  /** Of all checks together, and of the slowest. */
  readonly share: number
  readonly least: number
}

/** The speed of the checker in the page as a share of its speed here, for each check the best of three that take turns. */
async function checkerShare(bench: LabBench): Promise<CheckerShare> {
  const { page, close } = await bench.page('#/check')
  await page.getByRole('button', { name: 'Check', exact: true }).waitFor()
  const small = smallChecks()
  let [sumHere, sumThere, states, least] = [0, 0, 0, Infinity]
  for (const options of small) {
    const settings = JSON.stringify(settingsOfCheck(options))
    let [there, here, found] = [Infinity, Infinity, 0]
    for (let i = 0; i < 3; i++) {
      const { ms } = await page.evaluate<{ ms: number }>(`bellwether.check(${settings})`)
      const started = performance.now()
      found = check(options).states
      here = Math.min(here, performance.now() - started)
      there = Math.min(there, ms)
    }
    states += found
    sumHere += here
    sumThere += there
    least = Math.min(least, here / there)
  }
  await close()
  return { checks: small.length, states, share: sumHere / sumThere, least }
}

const bundle = (): Row => row('the page, gzip', bundleKb(), 'kB', { bound: { max: 200 } })

const CPU = 'CPU time'

async function frameRows(
  bench: LabBench,
  [name, hash, atLeast]: readonly [name: string, hash: string, atLeast: number],
  { fps, frameMs }: { readonly fps: number; readonly frameMs: number },
): Promise<Row[]> {
  const found = await framesPerSecond(bench, hash, atLeast)
  return [
    row(`${name}, ${found.inFlight} messages in flight`, found.fps, 'frames/s', {
      bound: { min: fps },
      note: 'headless, software rendering',
    }),
    row('  main thread per frame', found.frameMs, 'ms', { bound: { max: frameMs }, note: CPU }),
  ]
}

const DOWN = Array.from({ length: 36 }, (_, i) => i + 1).join(',')
const [FEW, MANY, RING] = [
  ['25 members', '#/lab?algorithm=bully&nodes=25&seed=1&slow=512', 250],
  ['100 members', `#/lab?algorithm=bully&nodes=100&seed=1&down=${DOWN}&slow=512`, 1500],
  ['chang-roberts, 1,000 members', '#/lab?algorithm=chang-roberts&nodes=1000&seed=1&slow=512', 500],
] as const

/** What is measured of a base too, one after the other, so that both have much the same load. */
const SHOWN: readonly ((bench: LabBench) => Promise<Row[]>)[] = [
  // The first page of a browser is slower.
  async (bench) => (await eventsPerSecond(bench, false), []),
  (bench) => frameRows(bench, FEW, { fps: 57, frameMs: 1000 / 60 }),
  (bench) => frameRows(bench, MANY, { fps: 30, frameMs: 1000 / 30 }),
  (bench) => frameRows(bench, RING, { fps: 30, frameMs: 1000 / 30 }),
  async (bench) => [
    row(
      '100 members, first picture',
      await firstPictureMs(bench, '#/lab?algorithm=bully&nodes=100&seed=1'),
      'ms',
      { bound: { max: 1000 }, note: 'from the address until drawn; the better of two' },
    ),
  ],
  async (bench) => {
    const { events, ms, cpuMs } = await seekMs(bench)
    return [
      row(`seek in a run of ${events} steps`, ms, 'ms', {
        bound: { max: 50 },
        note: 'until painted; second slowest of twenty',
      }),
      row('  main thread per seek', cpuMs, 'ms', { bound: { max: 50 }, note: CPU }),
    ]
  },
]

/** A base may refuse what this version shows: then it has no row. */
async function shown(bench: LabBench, base: LabBench | null): Promise<Row[]> {
  const rows: Row[] = []
  for (const part of SHOWN) {
    rows.push(...(await part(bench)))
    const before = base === null ? [] : await part(base).catch(() => [])
    rows.push(...before.map(({ metric, value, unit }) => row(`  base: ${metric}`, value, unit)))
  }
  return rows
}

async function measured(bench: LabBench, base: LabBench | null): Promise<Row[]> {
  const rows = await shown(bench, base)
  const { checks, states, share, least } = await checkerShare(bench)
  return [
    ...rows,
    row(
      'simulator in the worker',
      (await eventsPerSecond(bench, false)) / 1000,
      'thousand events/s',
      { bound: { min: 200 } },
    ),
    row(
      'simulator in the worker, with recording and trace',
      (await eventsPerSecond(bench, true)) / 1000,
      'thousand events/s',
    ),
    row('checker in the page, of its speed in Node', 100 * share, '%', {
      bound: { min: 50 },
      note: `${checks} checks with at most 100,000 states, ${states} together; one thread each`,
    }),
    row('  the slowest of these checks', 100 * least, '%', { bound: { min: 50 } }),
  ]
}

/** The tiny scale measures the bundle only, because a browser takes seconds to start. */
async function run(scale: Scale, _: unknown, folder?: string): Promise<Row[]> {
  if (scale === 'tiny' || !hasBrowser()) return [bundle()]
  const bench = await LabBench.open()
  const base = folder === undefined ? null : await LabBench.open(folder)
  try {
    return [bundle(), ...(await measured(bench, base))]
  } finally {
    await bench.close()
    await base?.close()
  }
}

export default {
  name: 'lab',
  describe: 'the lab: bundle size, frames per second, seeking, the simulator in the worker',
  run,
} satisfies Entry
