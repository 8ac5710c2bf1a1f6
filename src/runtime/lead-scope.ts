/** The user's work: entered for each term, one at a time, and awaited before leadership goes. */
import { monotonic } from '../clock/monotonic.ts'
import { sleep } from '../clock/sleep.ts'
import type { Duration } from './options/options.ts'
import type { Term } from './term.ts'

export interface LeadOptions {
  /** How long the work may take to stop once its signal is aborted. */
  readonly drain?: Duration
  /** What follows when it throws: others lead and it is entered again later, or `lead` rejects too. */
  readonly onError?: 'step-down' | 'throw'
}

interface Owner {
  /** Lets an overdue deadline act. */
  check(): void
  /** The work failed after so long. */
  stepDown(options: { reason: string }, ranMs: number): Promise<void>
  /** Something is wrong that only the user can mend. */
  warn(error: Error): void
}

export class LeadScope<T extends Term> {
  private readonly owner: Owner
  private work: ((term: T) => unknown) | null = null
  private drainMs = 0
  private onError: 'step-down' | 'throw' = 'step-down'
  private running: Promise<void> = Promise.resolve()
  /** Terms whose work has not stopped. */
  private entered = 0
  private readonly closed = new AbortController()
  private resolve: () => void = () => undefined
  private reject: (error: Error) => void = () => undefined

  constructor(owner: Owner) {
    this.owner = owner
  }

  /** Resolves when the election is closed. */
  async use(
    work: (term: T) => unknown,
    drainMs: number,
    onError: 'step-down' | 'throw',
  ): Promise<void> {
    if (this.work !== null) throw new Error('lead() was called before: one group, one work')
    if (this.closed.signal.aborted) return
    this.work = work
    this.drainMs = drainMs
    this.onError = onError
    await new Promise<void>((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }

  /** A term was won: begins when the work of the last one has stopped. */
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

  /** Resolves when nothing runs, or when the drain has passed. */
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
    term.signal.addEventListener('abort', () => void this.watch(term, stopped.signal))
    try {
      await this.work!(term)
    } catch (error) {
      // What a stopped work throws is how it stopped.
      if (!term.signal.aborted) {
        const ranMs = monotonic.now() - startedAt
        this.failed(error instanceof Error ? error : new Error(String(error)), ranMs)
      }
    } finally {
      stopped.abort()
    }
  }

  /** Nobody can stop code that does not stop by itself: whoever wrote it should hear of it. */
  private async watch({ number }: T, stopped: AbortSignal): Promise<void> {
    const { drainMs } = this
    await sleep(drainMs, AbortSignal.any([stopped, this.closed.signal]))
    if (stopped.aborted || this.closed.signal.aborted) return
    this.owner.warn(
      new Error(
        `the work of term ${number} has not stopped within its drain of ${drainMs} ms: it may run beside ` +
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
