/**
 * Holds a value that can be watched: each watcher gets the current value, then the latest; a slow one misses those
 * between.
 */
export class LatestValue<T> {
  value: T
  private version = 0
  private closed = false
  private readonly waiting = new Set<() => void>()

  constructor(value: T) {
    this.value = value
  }

  set(value: T): void {
    this.value = value
    this.version += 1
    this.wake()
  }

  close(): void {
    this.closed = true
    this.wake()
  }

  /** Ends after the last value when this is closed, or when the signal is aborted. */
  async *watch(signal?: AbortSignal): AsyncGenerator<T, void, void> {
    let seen = -1
    for (;;) {
      if (signal?.aborted === true) return
      if (seen !== this.version) {
        seen = this.version
        yield this.value
      } else if (this.closed) return
      else await this.next(signal)
    }
  }

  private wake(): void {
    this.waiting.forEach((wake) => wake())
  }

  private async next(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.waiting.delete(wake)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      this.waiting.add(wake)
      signal?.addEventListener('abort', wake)
    })
  }
}
