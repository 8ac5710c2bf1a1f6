/** The page's end of the worker: a question, and a promise of its answer. */
import type { Answer, Question, Questions, Topic } from './protocol.ts'

/** The worker refused: the sentence is meant for people. */
class EngineError extends Error {
  override readonly name = 'EngineError'
}

export class Engine {
  private readonly worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  private readonly open = new Map<number, (answer: Answer) => void>()
  private asked = 0

  constructor() {
    this.worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      this.open.get(data.id)?.(data)
      this.open.delete(data.id)
    })
  }

  ask<T extends Topic>(topic: T, ask: Questions[T]['ask']): Promise<Questions[T]['answer']> {
    const id = ++this.asked
    return new Promise((resolve, reject) => {
      this.open.set(id, (answer) => {
        if ('complaint' in answer) reject(new EngineError(answer.complaint))
        else resolve(answer.answer as Questions[T]['answer'])
      })
      this.worker.postMessage({ id, topic, ask } satisfies Question<T>)
    })
  }
}

let shared: Engine | undefined

/** One worker serves the whole page. */
export function engine(): Engine {
  return (shared ??= new Engine())
}
