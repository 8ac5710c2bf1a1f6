/**
 * Runs the user's work of one call of `lead`: once for each term, one at a time, awaited within the drain before
 * leadership is given up; reports its failures.
 */
import { monotonic } from '../clock/monotonic.ts'
import { sleep } from '../clock/sleep.ts'
import { WorkFailedError, WorkOverdueError } from './errors.ts'
import type { Duration } from './options/option-kinds.ts'
import type { Term } from './term.ts'

/**
 * What happens when the work throws while its term is valid. It is reported as the event `error`, and the member steps
 * down; then, with
 * - `step-down`: the work runs again in the next term that this member wins; repeated failures make it wait longer;
 * - `throw`: `lead` rejects with the error and runs the work no more. The member still takes part: call `lead` again,
 *   or `close`.
 */
export type OnError = 'step-down' | 'throw'

export interface LeadOptions {
  /** How long the work may take to stop once its signal is aborted. */
  readonly drain?: Duration
  readonly onError?: OnError
  /** Ends this `lead`: the member steps down if it leads, and `lead` rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface Work<T> {
  readonly run: (term: T) => unknown
  readonly drainMs: number
  readonly onError: OnError
}

export interface LeadScopeOwner {
  /** Lets an overdue deadline act. */
  check(): void
  /** The work failed after it had run for `ranMs`, or is not wanted any more. */
  stepDown(options: { reason: string }, ranMs: number): Promise<void>
  /** Reports an error that only the user can mend. */
  warn(error: Error): void
}

export class LeadScope<T extends Term> {
  /** Settles when no work will run any more. */
  readonly done: Promise<void>
  private readonly owner: LeadScopeOwner
  private readonly work: Work<T>
  private running: Promise<void> = Promise.resolve()
  /** How many terms have work that has not stopped. */
  private entered = 0
  private readonly closed = new AbortController()
  /** No term begins the work any more. */
  private isOver = false
  private resolve: () => void = () => undefined
  private reject: (error: unknown) => void = () => undefined

  constructor(work: Work<T>, owner: LeadScopeOwner) {
    this.work = work
    this.owner = owner
    this.done = new Promise<void>((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }

  /** Runs the work for a term, after the work of the last one has stopped. */
  enter(term: T): void {
    if (this.isOver) return
    const before = this.running
    this.entered += 1
    this.running = before
      .then(async () => this.run(term))
      .finally(() => {
        this.entered -= 1
      })
  }

  get isIdle(): boolean {
    return this.entered === 0
  }

  /** Resolves when no work runs, or when the drain has passed. */
  async settled(drainMs = this.work.drainMs): Promise<void> {
    if (this.isIdle) return
    const passed = new AbortController()
    const running = this.running.then(() => passed.abort())
    await Promise.race([running, sleep(drainMs, passed.signal)])
  }

  /** The election has closed. */
  close(): void {
    this.isOver = true
    this.closed.abort()
    this.resolve()
  }

  /** No term begins the work any more; `done` rejects when it has stopped. */
  async cancel(reason: unknown): Promise<void> {
    if (this.isOver) return
    this.isOver = true
    if (!this.isIdle) {
      await this.owner.stepDown({ reason: 'the signal of lead() was aborted' }, Infinity)
      await this.running
    }
    this.reject(reason)
  }

  private async run(term: T): Promise<void> {
    this.owner.check()
    if (term.signal.aborted) return
    const stopped = new AbortController()
    const startedAt = monotonic.now()
    term.signal.addEventListener('abort', () => void this.warnUnlessStopped(term, stopped.signal))
    try {
      await this.work.run(term)
    } catch (error) {
      // Work whose signal is aborted may stop by throwing.
      if (!term.signal.aborted) {
        const ranMs = monotonic.now() - startedAt
        this.failed(error instanceof Error ? error : new Error(String(error)), term, ranMs)
      }
    } finally {
      stopped.abort()
    }
  }

  private async warnUnlessStopped({ number, text }: T, stopped: AbortSignal): Promise<void> {
    const { drainMs } = this.work
    const closed = this.closed.signal
    await sleep(drainMs, AbortSignal.any([stopped, closed]))
    if (stopped.aborted || closed.aborted) return
    this.owner.warn(new WorkOverdueError(number, text, drainMs))
  }

  private failed(error: Error, { number, text }: T, ranMs: number): void {
    this.owner.warn(new WorkFailedError(number, text, error))
    if (this.work.onError === 'throw') {
      this.isOver = true
      this.reject(error)
    }
    // Not awaited: stepping down waits for this very work.
    void this.owner.stepDown({ reason: `the work failed: ${error.message}` }, ranMs)
  }
}
