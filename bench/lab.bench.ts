import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { hasBrowser, LabBench, until } from '../scripts/support/browser.ts'
import type { Entry, Row } from './frame.ts'

/** The size of everything that the page loads, as it travels. */
export function bundleKb(folder = new URL('../dist/lab/', import.meta.url)): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  const bytes = files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => gzipSync(readFileSync(`${parentPath}/${name}`), { level: 9 }))
  return bytes.reduce((sum, { length }) => sum + length, 0) / 1000
}

interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** What the page's main thread computes meanwhile (ms): a busy machine does not change that much. */
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
  readonly flying: number
  /** What a frame costs the main thread. */
  readonly frameMs: number
}

/** Frames a second while a burst of messages is under way, and how many were. */
async function framesPerSecond(bench: LabBench, hash: string, atLeast: number): Promise<Frames> {
  const { page, close } = await bench.page(hash)
  await page.locator('[data-flying]').waitFor()
  await until(page, `document.querySelector('[data-flying]').dataset.flying >= ${atLeast}`)
  const measure = `new Promise((resolve) => {
    const flying = Number(document.querySelector('[data-flying]').dataset.flying)
    const started = performance.now()
    let frames = 0
    const tick = (now) => {
      frames += 1
      if (now - started < 2000) requestAnimationFrame(tick)
      else resolve({ fps: (1000 * frames) / (now - started), flying, frames })
    }
    requestAnimationFrame(tick)
  })`
  const { fps, flying } = await page.evaluate<{ fps: number; flying: number }>(measure)
  let frames = 1
  const ms = await mainThreadMs(bench, page, async () => {
    ;({ frames } = await page.evaluate<{ frames: number }>(measure))
  })
  await close()
  return { fps, flying, frameMs: ms / frames }
}

interface Seeks {
  readonly ms: number
  readonly events: number
  readonly cpuMs: number
}

/** Milliseconds from a jump on the time line until the picture is there, the slowest of twenty but one. */
async function seekMs(bench: LabBench): Promise<Seeks> {
  const { page, close } = await bench.page(
    '#/lab?algorithm=bully&nodes=25&seed=1&until=12s&detector=heartbeat',
  )
  await page.locator('main[data-hash]').waitFor()
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

const bundle = (): Row => ({
  metric: 'the page, gzip',
  value: bundleKb(),
  unit: 'kB',
  bound: { max: 150 },
})

async function measured(bench: LabBench): Promise<Row[]> {
  // The first page of a browser pays for all that follow.
  await eventsPerSecond(bench, false)
  const few = await framesPerSecond(bench, '#/lab?algorithm=bully&nodes=25&seed=1&slow=512', 250)
  const down = Array.from({ length: 36 }, (_, i) => i + 1).join(',')
  const many = await framesPerSecond(
    bench,
    `#/lab?algorithm=bully&nodes=100&seed=1&down=${down}&slow=512`,
    1500,
  )
  const seek = await seekMs(bench)
  const note = 'headless, software rendering'
  return [
    {
      metric: `25 nodes, ${few.flying} messages under way`,
      value: few.fps,
      unit: 'frames/s',
      bound: { min: 57 },
      note: `${note}; aim 60`,
    },
    {
      metric: '  main thread a frame',
      value: few.frameMs,
      unit: 'ms',
      bound: { max: 1000 / 60 },
      note: 'computing time, waiting left out',
    },
    {
      metric: `100 nodes, ${many.flying} messages under way`,
      value: many.fps,
      unit: 'frames/s',
      bound: { min: 30 },
      note,
    },
    {
      metric: '  main thread a frame',
      value: many.frameMs,
      unit: 'ms',
      bound: { max: 1000 / 30 },
      note: 'computing time, waiting left out',
    },
    {
      metric: `seek in a run of ${seek.events} steps`,
      value: seek.ms,
      unit: 'ms',
      bound: { max: 50 },
      note: 'until painted; the slowest but one of twenty',
    },
    { metric: '  main thread a seek', value: seek.cpuMs, unit: 'ms', bound: { max: 50 } },
    {
      metric: 'engine in the worker',
      value: (await eventsPerSecond(bench, false)) / 1000,
      unit: 'thousand events/s',
      bound: { min: 200 },
    },
    {
      metric: 'engine in the worker, everything recorded and written',
      value: (await eventsPerSecond(bench, true)) / 1000,
      unit: 'thousand events/s',
    },
  ]
}

/** The small size only weighs the page: a browser takes seconds to start. */
async function run(scale: 'tiny' | 'full'): Promise<Row[]> {
  if (scale === 'tiny' || !hasBrowser()) return [bundle()]
  const bench = await LabBench.open()
  try {
    return [bundle(), ...(await measured(bench))]
  } finally {
    await bench.close()
  }
}

export default {
  name: 'lab',
  describe: 'the web lab: its weight, frames a second, seeking, the engine in the worker',
  run,
} satisfies Entry
