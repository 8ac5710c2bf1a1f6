/**
 * Opens and shares the one connection of an engine's calls: the first call opens it, and the next one after a loss
 * opens it again.
 */
import { bounded, EngineError } from './engine.ts'

interface SharedConnectionOptions<T> {
  open(): Promise<T>
  /** Ends a connection whose call was aborted or that is broken; what waits in it must never be sent. */
  end?(connection: T): void
  isBroken?(error: unknown, connection: T): boolean
}

export class SharedConnection<T> {
  private readonly engine: string
  private readonly options: SharedConnectionOptions<T>
  private opening: Promise<T> | null = null
  private closed = false

  constructor(engine: string, options: SharedConnectionOptions<T>) {
    this.engine = engine
    this.options = options
  }

  async get(): Promise<T> {
    if (this.closed) throw new EngineError(`${this.engine}: the engine is closed`)
    this.opening ??= this.options.open()
    try {
      return await this.opening
    } catch (error) {
      this.forget()
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

  /** The next call opens a new connection. */
  forget(): void {
    this.opening = null
  }

  /** Returns the connection that is open, if any; none is opened from now on. */
  async close(): Promise<T | null> {
    this.closed = true
    return (await this.opening?.catch(() => null)) ?? null
  }
}
