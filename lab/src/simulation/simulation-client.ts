/** The page's side of the worker: starts it, sends a question, and returns a promise of the answer. */
import type { Topic, WorkerAnswer, WorkerQuestion, WorkerQuestions } from './worker-protocol.ts'

/** The worker refused a question; the message says why. */
class SimulationError extends Error {
  override readonly name = 'SimulationError'
}

class SimulationClient {
  private readonly worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  private readonly pending = new Map<number, (answer: WorkerAnswer) => void>()
  private lastId = 0

  constructor() {
    this.worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => {
      this.pending.get(data.id)?.(data)
      this.pending.delete(data.id)
    })
  }

  ask<T extends Topic>(
    topic: T,
    ask: WorkerQuestions[T]['ask'],
  ): Promise<WorkerQuestions[T]['answer']> {
    const id = ++this.lastId
    return new Promise((resolve, reject) => {
      this.pending.set(id, (answer) => {
        if ('error' in answer) reject(new SimulationError(answer.error))
        else resolve(answer.answer as WorkerQuestions[T]['answer'])
      })
      this.worker.postMessage({ id, topic, ask } satisfies WorkerQuestion<T>)
    })
  }
}

let shared: SimulationClient | undefined

/** One worker serves the whole page. */
export function simulation(): SimulationClient {
  return (shared ??= new SimulationClient())
}
