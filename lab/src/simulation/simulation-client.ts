/** The page's side of the worker: starts it, sends a question, returns a promise of the answer, and cancels. */
import type { Topic, WorkerAnswer, WorkerQuestion, WorkerQuestions } from './worker-protocol.ts'

/** The worker refused a question; the message says why. */
class SimulationError extends Error {
  override readonly name = 'SimulationError'
}

/** The viewer cancelled the question. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError'
}

interface Pending {
  readonly settle: (answer: unknown) => void
  readonly fail: (error: Error) => void
  readonly onProgress: (steps: number) => void
}

class SimulationClient {
  private worker = this.start()
  private readonly pending = new Map<number, Pending>()
  private lastId = 0

  /** `onProgress`: is told from time to time how many steps a run has so far. */
  ask<T extends Topic>(
    topic: T,
    ask: WorkerQuestions[T]['ask'],
    onProgress: Pending['onProgress'] = () => undefined,
  ): Promise<WorkerQuestions[T]['answer']> {
    const id = ++this.lastId
    return new Promise((resolve, reject) => {
      const settle = resolve as Pending['settle']
      this.pending.set(id, { settle, fail: reject, onProgress })
      this.worker.postMessage({ id, topic, ask } satisfies WorkerQuestion<T>)
    })
  }

  /** Ends every question that is not answered yet. */
  cancel(): void {
    this.worker.terminate()
    this.worker = this.start()
    for (const { fail } of this.pending.values()) fail(new CancelledError('cancelled'))
    this.pending.clear()
  }

  private start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => this.hear(data))
    return worker
  }

  private hear(answer: WorkerAnswer): void {
    const asked = this.pending.get(answer.id)
    if (asked === undefined) return
    if ('steps' in answer) return asked.onProgress(answer.steps)
    this.pending.delete(answer.id)
    if ('error' in answer) asked.fail(new SimulationError(answer.error))
    else asked.settle(answer.answer)
  }
}

let shared: SimulationClient | undefined

/** One worker serves the whole page. */
export function simulation(): SimulationClient {
  return (shared ??= new SimulationClient())
}
