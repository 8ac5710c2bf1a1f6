/** One connection for all calls of an engine: made by the first that needs it, and again after it was lost. */
import { EngineError } from './engine.ts'

export class Shared<T> {
  private readonly engine: string
  private readonly open: () => Promise<T>
  private opening: Promise<T> | null = null
  private closed = false

  constructor(engine: string, open: () => Promise<T>) {
    this.engine = engine
    this.open = open
  }

  async get(): Promise<T> {
    if (this.closed) throw new EngineError(`${this.engine}: the engine is closed`)
    this.opening ??= this.open()
    try {
      return await this.opening
    } catch (error) {
      this.forget()
      throw error
    }
  }

  /** The next call makes a new one. */
  forget(): void {
    this.opening = null
  }

  /** Gives what there is to end; nothing is opened from now on. */
  async close(): Promise<T | null> {
    this.closed = true
    return (await this.opening?.catch(() => null)) ?? null
  }
}
