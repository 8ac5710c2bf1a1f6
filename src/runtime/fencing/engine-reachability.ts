/** An elected member that cannot reach the engine must not stand in the way of one that can. */
import type { NodeId } from '../../core/node-id.ts'
import { EngineError } from '../../engines/engine.ts'
import { sleep } from '../../clock/sleep.ts'
import type { EngineAccess } from './engine-access.ts'
import { peersOf, type FencingConfig, type FencingEvents } from './fencing-config.ts'

export class EngineReachability {
  private readonly config: FencingConfig
  private readonly events: FencingEvents
  private readonly access: EngineAccess
  /** Of this member: nothing is done after it. */
  private readonly life: AbortSignal
  /** Since when a candidature of mine fails, as the engine is out of reach. */
  private failsSince = Infinity
  private askedAt = -Infinity

  constructor(
    config: FencingConfig,
    events: FencingEvents,
    access: EngineAccess,
    life: AbortSignal,
  ) {
    this.config = config
    this.events = events
    this.access = access
    this.life = life
  }

  /** A call for my candidature failed: asks the others when that has gone on for a while. */
  failed(error: Error): void {
    if (!(error instanceof EngineError)) return
    const { clock, periodMs } = this.config
    const now = clock.now()
    this.failsSince = Math.min(this.failsSince, now)
    if (!this.isMissing || now - this.askedAt < periodMs) return
    this.askedAt = now
    for (const peer of peersOf(this.config)) this.events.tell(peer, { type: 'reach?' })
  }

  succeeded(): void {
    this.failsSince = Infinity
  }

  /** Whether the engine has been out of reach for a while. */
  get isMissing(): boolean {
    const { clock, detectionMs } = this.config
    return clock.now() - this.failsSince >= detectionMs
  }

  /** Tells a peer that asks, if the engine is within my reach. */
  async answer(peer: NodeId): Promise<void> {
    try {
      await this.access.read(this.life)
    } catch {
      return
    }
    if (!this.life.aborted) this.events.tell(peer, { type: 'reach' })
  }

  /** Takes no part until the engine is within reach again. */
  async standAside(successor: NodeId): Promise<void> {
    this.failsSince = Infinity
    this.events.standAside(successor)
    while (!this.life.aborted) {
      await sleep(this.config.periodMs * (0.5 + Math.random()), this.life)
      try {
        await this.access.read(this.life)
        if (!this.life.aborted) this.events.comeBack()
        return
      } catch (error) {
        this.access.trouble = error as Error
      }
    }
  }
}
