/** Divides work into numbered parts, runs them on several threads, and hands over their results in the order of the parts. */
import { on } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface PartsOptions<R> {
  /** The program of the threads: it gets `data`, and answers every `Part`. */
  readonly program: URL
  readonly data: unknown
  readonly jobs: number
  /** Parts 0, 1, 2 … have this many items; the last one may have fewer. */
  readonly size: number
  readonly items: number
  /** Gets every result once, in the order of the parts. Returns whether the work goes on. */
  readonly done: (result: R) => boolean
  /** Called for every result as it comes, in any order. */
  readonly progress?: (items: number) => void
}

/** Items `first` to `last` − 1. */
export interface Part {
  readonly first: number
  readonly last: number
}

/** Runs parts until all are done, `done` says no, or the signal is aborted: then those that have begun are completed. */
export async function runParts<R>(options: PartsOptions<R>, signal: AbortSignal): Promise<void> {
  const { program, data, jobs, size, items } = options
  const queue = new ResultQueue(options.done)
  const parts = Math.ceil(items / size)
  let next = 0
  const take = (): number | null =>
    signal.aborted || queue.isEnded || next >= parts ? null : next++
  const run = async (): Promise<void> => {
    const first = take()
    if (first === null) return
    const worker = new Worker(program, { workerData: data })
    const begun: number[] = []
    const begin = (part: number | null): void => {
      if (part === null) return
      begun.push(part)
      const range: Part = { first: part * size, last: Math.min(items, (part + 1) * size) }
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(range)
    }
    try {
      // An error of the thread rejects, too.
      const answers = on(worker, 'message')
      begin(first)
      begin(take()) // the thread has the next part when it ends this one
      for await (const [result] of answers as AsyncIterable<[R]>) {
        const part = begun.shift()!
        queue.add(part, result)
        options.progress?.(Math.min(items - part * size, size))
        begin(take())
        if (begun.length === 0) break
      }
    } finally {
      await worker.terminate()
    }
  }
  await Promise.all(Array.from({ length: jobs }, run))
}

/** Hands results over in the order of their numbers. */
class ResultQueue<R> {
  isEnded = false
  private readonly done: (result: R) => boolean
  private readonly waiting = new Map<number, R>()
  private next = 0

  constructor(done: (result: R) => boolean) {
    this.done = done
  }

  add(number: number, result: R): void {
    this.waiting.set(number, result)
    for (;;) {
      const following = this.waiting.get(this.next)
      if (following === undefined || this.isEnded) return
      this.waiting.delete(this.next)
      this.next += 1
      this.isEnded = !this.done(following)
    }
  }
}
