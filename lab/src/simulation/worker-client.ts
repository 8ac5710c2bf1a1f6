/** The page's side of a worker: starts it, sends a question, returns a promise of the answer, and cancels. */

/** Each topic with the types of its question, its answer, and of what is told on the way. */
export type Questions = Readonly<
  Record<string, { readonly ask: unknown; readonly answer: unknown; readonly progress?: unknown }>
>
interface WorkerQuestion<Q extends Questions, T extends keyof Q = keyof Q> {
  readonly id: number
  readonly topic: T
  readonly ask: Q[T]['ask']
}
export type WorkerAnswer =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly progress: unknown }
  | { readonly id: number; readonly error: string; readonly detail: unknown }

/** How a worker answers each topic. */
export type Answers<Q extends Questions> = {
  readonly [T in keyof Q]: (
    ask: Q[T]['ask'],
    onProgress: (progress: Q[T]['progress']) => void,
  ) => Q[T]['answer']
}

/** What the client needs of a worker. */
export interface WorkerLike {
  postMessage(question: unknown): void
  addEventListener(type: 'message', hear: (event: MessageEvent<WorkerAnswer>) => void): void
  terminate(): void
}

/** The worker refused a question; the message says why, and the detail what else the worker knows. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError'
  readonly detail: unknown

  constructor(message: string, detail: unknown) {
    super(message)
    this.detail = detail
  }
}

/** The viewer cancelled the question. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError'
}

interface Pending {
  readonly settle: (answer: unknown) => void
  readonly fail: (error: Error) => void
  readonly onProgress: (progress: unknown) => void
}

export class WorkerClient<Q extends Questions> {
  private readonly create: () => WorkerLike
  private worker: WorkerLike
  private readonly pending = new Map<number, Pending>()
  private lastId = 0

  constructor(create: () => WorkerLike) {
    this.create = create
    this.worker = this.start()
  }

  ask<T extends keyof Q>(
    topic: T,
    ask: Q[T]['ask'],
    onProgress: (progress: Q[T]['progress']) => void = () => undefined,
  ): Promise<Q[T]['answer']> {
    const id = ++this.lastId
    return new Promise((resolve, reject) => {
      this.pending.set(id, { settle: resolve, fail: reject, onProgress })
      this.worker.postMessage({ id, topic, ask } satisfies WorkerQuestion<Q, T>)
    })
  }

  /** Ends every question that is not answered yet. */
  cancel(reason: Error = new CancelledError('cancelled')): void {
    this.end(reason)
    this.worker = this.start()
  }

  /** Ends the worker for good. */
  close(): void {
    this.end(new CancelledError('closed'))
  }

  private end(reason: Error): void {
    this.worker.terminate()
    for (const { fail } of this.pending.values()) fail(reason)
    this.pending.clear()
  }

  private start(): WorkerLike {
    const worker = this.create()
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => this.hear(data))
    return worker
  }

  private hear(answer: WorkerAnswer): void {
    const asked = this.pending.get(answer.id)
    if (asked === undefined) return
    if ('progress' in answer) return asked.onProgress(answer.progress)
    this.pending.delete(answer.id)
    if ('error' in answer) asked.fail(new WorkerError(answer.error, answer.detail))
    else asked.settle(answer.answer)
  }
}

/** The worker's side: answers each question as it arrives. `detailOf` says what the page should know of an error. */
export function serve<Q extends Questions>(
  answers: Answers<Q>,
  detailOf: (error: unknown) => unknown = () => null,
): void {
  addEventListener('message', ({ data }: MessageEvent<WorkerQuestion<Q>>) => {
    const { id, topic, ask } = data
    try {
      const answer = answers[topic](ask, (progress) => postMessage({ id, progress }))
      postMessage({ id, answer })
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error)
      postMessage({ id, error: sentence, detail: detailOf(error) })
    }
  })
}
