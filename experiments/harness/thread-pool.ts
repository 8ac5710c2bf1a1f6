/** Runs experiments in worker threads, or in this thread where none is asked for, and collects their findings. */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Experiment, Findings } from './claim.ts'
import { setupOf, type SetupOptions } from './setup.ts'

export interface MeasureOptions extends SetupOptions {
  /** 0: none, everything in this thread. */
  readonly threads?: number
  readonly signal?: AbortSignal
  started?(name: string): void
  finished?(name: string, seconds: number): void
}

/** The findings of each experiment, by its name. */
export async function measureAll(
  wanted: readonly Experiment[],
  options: MeasureOptions,
): Promise<Map<string, Findings>> {
  const found = new Map<string, Findings>()
  const threads = Math.min(options.threads ?? Math.min(2, availableParallelism()), wanted.length)
  if (threads === 0) {
    const setup = setupOf(options)
    for (const experiment of wanted) {
      await timed(experiment.name, options, () => {
        found.set(experiment.name, experiment.measure(setup))
      })
    }
    return found
  }
  const waiting = wanted.map(({ name }) => name)
  const { seed, effort, only = [] } = options
  const workers = Array.from(
    { length: threads },
    () =>
      new Worker(new URL('./worker.js', import.meta.url), { workerData: { seed, effort, only } }),
  )
  try {
    await Promise.all(
      workers.map(async (worker) => {
        for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
          const current = name
          await timed(current, options, async () => {
            found.set(current, await ask(worker, current, options.signal))
          })
        }
      }),
    )
  } finally {
    await Promise.all(workers.map(async (worker) => worker.terminate()))
  }
  return found
}

async function timed(
  name: string,
  options: MeasureOptions,
  work: () => void | Promise<void>,
): Promise<void> {
  options.signal?.throwIfAborted()
  options.started?.(name)
  const started = performance.now()
  await work()
  options.finished?.(name, (performance.now() - started) / 1000)
}

async function ask(worker: Worker, name: string, signal?: AbortSignal): Promise<Findings> {
  // An error of the thread rejects, too.
  const answer = once(worker, 'message', signal && { signal })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(name)
  const [findings] = (await answer.catch((error: unknown) => {
    signal?.throwIfAborted()
    throw error
  })) as [Findings]
  return findings
}
