/** Lets an elected member that cannot reach the engine stand aside for a peer that can. */
import type { NodeId } from '../../core/node-id.ts'
import { EngineError } from '../../engines/engine.ts'
import { sleep } from '../../clock/sleep.ts'
import type { EngineAccess } from './engine-access.ts'
import { broadcast, type FencingConfig, type FencingEvents } from './fencing-config.ts'

export class EngineReachability {
  private readonly config: FencingConfig
  private readonly events: FencingEvents
  private readonly access: EngineAccess
  private readonly closed: AbortSignal
  /** Since when calls of this candidate have failed because the engine is out of reach. */
  private failsSince = Infinity
  private askedAt = -Infinity

  constructor(
    config: FencingConfig,
    events: FencingEvents,
    access: EngineAccess,
    closed: AbortSignal,
  ) {
    this.config = config
    this.events = events
    this.access = access
    this.closed = closed
  }

  /** A call of a candidate failed: asks the peers once the engine has been missing for the detection time. */
  failed(error: Error): void {
    if (!(error instanceof EngineError)) return
    const { clock, periodMs } = this.config
    const now = clock.now()
    this.failsSince = Math.min(this.failsSince, now)
    if (!this.isMissing || now - this.askedAt < periodMs) return
    this.askedAt = now
    broadcast(this.config, this.events, { type: 'reach?' })
  }

  succeeded(): void {
    this.failsSince = Infinity
  }

  /** Whether the engine has been out of reach for the detection time. */
  get isMissing(): boolean {
    const { clock, detectionMs } = this.config
    return clock.now() - this.failsSince >= detectionMs
  }

  /** Answers a peer that asks, if this member reaches the engine. */
  async answer(peer: NodeId): Promise<void> {
    try {
      await this.access.read(this.closed)
    } catch {
      return
    }
    if (!this.closed.aborted) this.events.send(peer, { type: 'reach' })
  }

  /** Takes no part until this member reaches the engine again. */
  async standAside(successor: NodeId): Promise<void> {
    this.failsSince = Infinity
    this.events.standAside(successor)
    while (!this.closed.aborted) {
      await sleep(this.config.periodMs * (0.5 + Math.random()), this.closed)
      try {
        await this.access.read(this.closed)
        if (!this.closed.aborted) this.events.rejoin()
        return
      } catch (error) {
        this.access.trouble = error as Error
      }
    }
  }
}
