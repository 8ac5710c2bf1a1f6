/**
 * Runs the user's work of `lead`: once for each term, one at a time, awaited within the drain before leadership is
 * given up; reports its failures.
 */
import { monotonic } from '../clock/monotonic.ts'
import { sleep } from '../clock/sleep.ts'
import type { Duration } from './options/option-kinds.ts'
import type { Term } from './term.ts'

export interface LeadOptions {
  /** How long the work may take to stop once its signal is aborted. */
  readonly drain?: Duration
  /** When the work throws, the member steps down and runs it again in a later term; with `throw`, `lead` rejects too. */
  readonly onError?: 'step-down' | 'throw'
}

interface LeadScopeOwner {
  /** Lets an overdue deadline act. */
  check(): void
  /** The work failed after it had run for `ranMs`. */
  stepDown(options: { reason: string }, ranMs: number): Promise<void>
  /** Reports an error that only the user can mend. */
  warn(error: Error): void
}

export class LeadScope<T extends Term> {
  private readonly owner: LeadScopeOwner
  private work: ((term: T) => unknown) | null = null
  private drainMs = 0
  private onError: 'step-down' | 'throw' = 'step-down'
  private running: Promise<void> = Promise.resolve()
  /** How many terms have work that has not stopped. */
  private entered = 0
  private readonly closed = new AbortController()
  private resolve: () => void = () => undefined
  private reject: (error: Error) => void = () => undefined

  constructor(owner: LeadScopeOwner) {
    this.owner = owner
  }

  /** Resolves when the election is closed. */
  async use(
    work: (term: T) => unknown,
    drainMs: number,
    onError: 'step-down' | 'throw',
  ): Promise<void> {
    if (this.work !== null)
      throw new Error('lead() was already called: call it once for each join()')
    if (this.closed.signal.aborted) return
    this.work = work
    this.drainMs = drainMs
    this.onError = onError
    await new Promise<void>((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }

  /** Runs the work for a term, after the work of the last one has stopped. */
  enter(term: T): void {
    if (this.work === null) return
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
  async settled(drainMs = this.drainMs): Promise<void> {
    if (this.isIdle) return
    const passed = new AbortController()
    const running = this.running.then(() => passed.abort())
    await Promise.race([running, sleep(drainMs, passed.signal)])
  }

  close(): void {
    this.closed.abort()
    this.resolve()
  }

  private async run(term: T): Promise<void> {
    this.owner.check()
    if (term.signal.aborted) return
    const stopped = new AbortController()
    const startedAt = monotonic.now()
    term.signal.addEventListener('abort', () => void this.warnUnlessStopped(term, stopped.signal))
    try {
      await this.work!(term)
    } catch (error) {
      // Work whose signal is aborted may stop by throwing.
      if (!term.signal.aborted) {
        const ranMs = monotonic.now() - startedAt
        this.failed(error instanceof Error ? error : new Error(String(error)), ranMs)
      }
    } finally {
      stopped.abort()
    }
  }

  /** Warns about work that does not stop: it cannot be stopped from outside. */
  private async warnUnlessStopped({ text }: T, stopped: AbortSignal): Promise<void> {
    const { drainMs } = this
    await sleep(drainMs, AbortSignal.any([stopped, this.closed.signal]))
    if (stopped.aborted || this.closed.signal.aborted) return
    this.owner.warn(
      new Error(
        `the work of term ${text} has not stopped within its drain of ${drainMs} ms: it may run beside ` +
          'the next leader, and this member begins no other work until it has stopped',
      ),
    )
  }

  private failed(error: Error, ranMs: number): void {
    if (this.onError === 'throw') this.reject(error)
    // Not awaited: stepping down waits for this very work.
    void this.owner.stepDown({ reason: `the work failed: ${error.message}` }, ranMs)
  }
}
