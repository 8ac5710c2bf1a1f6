/**
 * Asks the engine about a token that a peer announces and that this member does not know: the word of a peer is only
 * a reason to ask. One question at a time, with a pause in between, so that no peer can make a member flood the engine.
 */
import { sleep } from '../../clock/sleep.ts'
import type { FencingContext } from './fencing-config.ts'

/** The part of a period that passes between two questions. */
const PAUSE = 0.1

export class TokenInquiry {
  private readonly context: FencingContext
  private readonly read: () => Promise<void>
  private readonly closed: AbortSignal
  private isRunning = false
  private isAskedAgain = false

  constructor(context: FencingContext, read: () => Promise<void>, closed: AbortSignal) {
    this.context = context
    this.read = read
    this.closed = closed
  }

  ask(): void {
    this.isAskedAgain = true
    if (!this.isRunning) void this.run()
  }

  private async run(): Promise<void> {
    this.isRunning = true
    while (this.isAskedAgain && !this.closed.aborted) {
      this.isAskedAgain = false
      await this.read()
      await sleep(PAUSE * this.context.periodMs, this.closed)
    }
    this.isRunning = false
  }
}
