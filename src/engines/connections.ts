/**
 * Opens the connections of an engine: the one that its calls share, which the first call after a loss opens again, and
 * those of its watches, which are opened again after a growing random delay.
 */
import { sleep } from '../clock/sleep.ts'
import { bounded, changesTo, EngineError, type Register, type Watcher } from './engine.ts'

/** A server that accepts a connection and then answers no more must not hold up all later calls. */
const OPENED_MS = 6000

interface SharedConnectionOptions<T> {
  /** Ends what it has begun when the signal is aborted, and rejects. */
  open(signal: AbortSignal): Promise<T>
  /** Ends a connection whose call was aborted or that is broken; what waits in it must never be sent. */
  end?(connection: T): void
  isBroken?(error: unknown, connection: T): boolean
}

/** Opened by the first call, and again after it was lost. */
export class SharedConnection<T> {
  private readonly engine: string
  private readonly options: SharedConnectionOptions<T>
  private readonly openedMs: number
  private opening: Promise<T> | null = null
  private current: T | null = null
  private closed = false

  constructor(engine: string, options: SharedConnectionOptions<T>, openedMs = OPENED_MS) {
    this.engine = engine
    this.options = options
    this.openedMs = openedMs
  }

  async get(): Promise<T> {
    if (this.closed) throw new EngineError(`${this.engine}: the engine is closed`)
    const opening = (this.opening ??= this.open())
    try {
      return await opening
    } catch (error) {
      if (this.opening === opening) this.opening = null
      throw error
    }
  }

  async use<R>(signal: AbortSignal, work: (connection: T) => Promise<R>): Promise<R> {
    return bounded(this.engine, signal, async () => {
      const connection = await this.get()
      const discard = (): void => this.options.end?.(connection)
      signal.addEventListener('abort', discard, { once: true })
      if (signal.aborted) discard()
      try {
        return await work(connection)
      } catch (error) {
        if (this.options.isBroken?.(error, connection) === true) discard()
        throw error
      } finally {
        signal.removeEventListener('abort', discard)
      }
    })
  }

  private async open(): Promise<T> {
    const limit = AbortSignal.timeout(this.openedMs)
    const opening = this.options.open(limit)
    this.current = await bounded(this.engine, limit, async () => opening)
    return this.current
  }

  /** The next call opens a new connection, unless that has happened already. */
  forget(lost: T): void {
    if (this.current !== lost) return
    this.opening = null
    this.current = null
  }

  /** Returns the connection that is open, if any; none is opened from now on. */
  async close(): Promise<T | null> {
    this.closed = true
    return (await this.opening?.catch(() => null)) ?? null
  }
}

const MIN_DELAY_MS = 20
const MAX_DELAY_MS = 1000

/**
 * Runs `session` again and again until the signal is aborted, with a growing delay and full jitter in between. A
 * session reports registers, calls `connected` once its watch is active, and resolves or rejects when its connection
 * is lost.
 */
export function keepWatching(
  watcher: Watcher,
  signal: AbortSignal,
  session: (report: (register: Register) => void, connected: () => void) => Promise<void>,
): void {
  const report = changesTo(watcher, signal)
  void (async () => {
    let limitMs = MIN_DELAY_MS
    while (!signal.aborted) {
      try {
        await session(report, () => (limitMs = MIN_DELAY_MS))
      } catch {
        // The calls of the engine report the error.
      }
      await sleep(Math.random() * limitMs, signal)
      limitMs = Math.min(2 * limitMs, MAX_DELAY_MS)
    }
  })()
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
