/**
 * Runs the worker of the sandbox in a frame without an origin, from which nothing can be fetched. Passes messages to
 * and fro, and tells when the worker has been silent for too long, which a handler that never returns causes.
 */
import type { WorkerAnswer, WorkerLike } from '../simulation/worker-client.ts'
// oxlint-disable-next-line import/default
import workerAddress from './worker/sandbox-worker.ts?worker&url'

/** How long a worker that was asked may say nothing. */
export const SILENCE_MS = 4000

let text: Promise<string> | undefined

/** The script of the worker: the frame may not load it itself. */
function workerText(): Promise<string> {
  return (text ??= fetch(workerAddress).then((response) => response.text()))
}

export class SandboxedWorker implements WorkerLike {
  private readonly frame = document.createElement('iframe')
  private readonly hearers: ((event: MessageEvent<WorkerAnswer>) => void)[] = []
  private readonly onSilence: () => void
  private ready = false
  private waiting: unknown[] = []
  /** Questions without an answer. */
  private open = 0
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly hear = (event: MessageEvent<unknown>): void => {
    if (event.source === this.frame.contentWindow) this.receive(event)
  }

  constructor(onSilence: () => void) {
    this.onSilence = onSilence
    addEventListener('message', this.hear)
    this.frame.hidden = true
    this.frame.title = 'sandbox'
    this.frame.setAttribute('sandbox', 'allow-scripts')
    this.frame.src = './sandbox.html'
    document.body.append(this.frame)
  }

  postMessage(question: unknown): void {
    if (!this.ready) {
      this.waiting.push(question)
      return
    }
    this.open += 1
    this.frame.contentWindow?.postMessage(question, '*')
    this.expect()
  }

  addEventListener(_: 'message', hear: (event: MessageEvent<WorkerAnswer>) => void): void {
    this.hearers.push(hear)
  }

  /** The worker ends with its frame. */
  terminate(): void {
    clearTimeout(this.timer)
    removeEventListener('message', this.hear)
    this.frame.remove()
  }

  private receive(event: MessageEvent<unknown>): void {
    const { data } = event
    if (data === 'sandbox') {
      void workerText().then((script) => this.frame.contentWindow?.postMessage(script, '*'))
    } else if (data === 'ready') {
      this.ready = true
      for (const question of this.waiting) this.postMessage(question)
      this.waiting = []
    } else if (isAnswer(data)) {
      if (!('progress' in data)) this.open -= 1
      this.expect()
      for (const hear of this.hearers) hear(event as MessageEvent<WorkerAnswer>)
    }
  }

  private expect(): void {
    clearTimeout(this.timer)
    if (this.open > 0) this.timer = setTimeout(this.onSilence, SILENCE_MS)
  }
}

function isAnswer(data: unknown): data is WorkerAnswer {
  return typeof data === 'object' && data !== null && 'id' in data
}
