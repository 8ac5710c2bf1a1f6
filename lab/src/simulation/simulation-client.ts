/** The page's end of the worker: a question, and a promise of its answer. */
import type { WorkerAnswer, WorkerQuestion, WorkerQuestions, Topic } from './worker-protocol.ts'

/** The worker refused: the sentence is meant for people. */
class SimulationError extends Error {
  override readonly name = 'SimulationError'
}

export class SimulationClient {
  private readonly worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  private readonly open = new Map<number, (answer: WorkerAnswer) => void>()
  private asked = 0

  constructor() {
    this.worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => {
      this.open.get(data.id)?.(data)
      this.open.delete(data.id)
    })
  }

  ask<T extends Topic>(
    topic: T,
    ask: WorkerQuestions[T]['ask'],
  ): Promise<WorkerQuestions[T]['answer']> {
    const id = ++this.asked
    return new Promise((resolve, reject) => {
      this.open.set(id, (answer) => {
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
