/**
 * Detects that an elected member cannot reach the engine, asks which peer can, and lets the member stand aside for it
 * until the engine is back.
 */
import type { NodeId } from '../../core/node-id.ts'
import { EngineError } from '../../engines/engine.ts'
import { sleep } from '../../clock/sleep.ts'
import { broadcast, type FencingContext } from './fencing-config.ts'

export class EngineReachability {
  private readonly context: FencingContext
  private readonly closed: AbortSignal
  /** Since when calls of this candidate have failed because the engine is out of reach. */
  private failsSince = Infinity
  private askedAt = -Infinity

  constructor(context: FencingContext, closed: AbortSignal) {
    this.context = context
    this.closed = closed
  }

  /** A call of a candidate failed: asks the peers once the engine has been missing for the detection time. */
  failed(error: Error): void {
    if (!(error instanceof EngineError)) return
    const { clock, periodMs } = this.context
    const now = clock.now()
    this.failsSince = Math.min(this.failsSince, now)
    if (!this.isMissing || now - this.askedAt < periodMs) return
    this.askedAt = now
    broadcast(this.context, { type: 'reach?' })
  }

  succeeded(): void {
    this.failsSince = Infinity
  }

  /** Whether the engine has been out of reach for the detection time. */
  get isMissing(): boolean {
    const { clock, detectionMs } = this.context
    return clock.now() - this.failsSince >= detectionMs
  }

  /** Answers a peer that asks, if this member reaches the engine. */
  async answer(peer: NodeId): Promise<void> {
    try {
      await this.context.access.read(this.closed)
    } catch {
      return
    }
    if (!this.closed.aborted) this.context.events.send(peer, { type: 'reach' })
  }

  /** Takes no part until this member reaches the engine again. */
  async standAside(successor: NodeId): Promise<void> {
    this.failsSince = Infinity
    this.context.events.standAside(successor)
    while (!this.closed.aborted) {
      await sleep(this.context.periodMs * (0.5 + Math.random()), this.closed)
      try {
        await this.context.access.read(this.closed)
        if (!this.closed.aborted) this.context.events.rejoin()
        return
      } catch (error) {
        this.context.access.trouble = error as Error
      }
    }
  }
}
