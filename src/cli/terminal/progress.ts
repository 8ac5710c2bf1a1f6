/** Prints the progress line of long work: only on a terminal, only after a second, erased at the end. */
export class ProgressLine {
  private readonly started = performance.now()
  private shownAt = 0
  private readonly describe: () => string

  constructor(describe: () => string) {
    this.describe = describe
  }

  /** Call often; draws at most ten times a second. */
  tick(): void {
    if (!process.stderr.isTTY) return
    const now = performance.now()
    if (now - this.started < 1000 || now - this.shownAt < 100) return
    this.shownAt = now
    const line = `${this.describe()} (${((now - this.started) / 1000).toFixed(0)} s)`
    process.stderr.write(`\r\u001b[2K${line.slice(0, (process.stderr.columns || 80) - 1)}`)
  }

  end(): void {
    if (this.shownAt > 0) process.stderr.write('\r\u001b[2K')
  }
}
