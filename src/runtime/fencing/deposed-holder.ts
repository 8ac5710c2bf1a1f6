/**
 * Whether to take the next token. The election has decided: yes. But where another holder deposed me and the
 * election still names me, each of us may sit on one side of a cut. Then I take it only if my detector reports
 * the holder down, after holding back, and if it did not move its beat meanwhile: who renews is alive, whatever
 * my links say. Once the other has agreed that I lead, nothing is in the way.
 */
import type { Register } from '../../engines/engine.ts'
import { sleep } from '../../clock/sleep.ts'
import type { EngineAccess } from './engine-access.ts'
import type { FencingConfig, FencingEvents } from './fencing-config.ts'
import type { Vouching } from './vouching.ts'

const MOST_BACKOFFS = 64

export class DeposedHolder {
  private readonly config: FencingConfig
  private readonly events: FencingEvents
  private readonly access: EngineAccess
  private readonly vouching: Vouching
  private won = 0
  /** The election in which another holder deposed me, and how long I hold back. */
  private deposedIn = 0
  private backoffMs: number

  constructor(
    config: FencingConfig,
    events: FencingEvents,
    access: EngineAccess,
    vouching: Vouching,
  ) {
    this.config = config
    this.events = events
    this.access = access
    this.vouching = vouching
    this.backoffMs = config.detectionMs
  }

  /** The election elected me, once more. */
  elected(): void {
    this.won += 1
  }

  /** Whether to take the next token from this register. */
  async isMyTurn(register: Register, signal: AbortSignal): Promise<boolean> {
    const { names, leaseMs, periodMs, me } = this.config
    const { boundMs } = this.vouching
    if (boundMs > 0) {
      await sleep(boundMs, signal)
      return false
    }
    const holder = names.indexOf(register.holder)
    if (this.deposedIn === 0 || holder < 1 || holder === me) return true
    if ((await this.events.inquire(holder)) === 'up') {
      if (this.won > this.deposedIn) return true
      await sleep(periodMs, signal)
      return false
    }
    await sleep(Math.max(leaseMs, this.backoffMs * (0.5 + Math.random())), signal)
    if (signal.aborted) return false
    const now = await this.access.peek(signal)
    if (now.token !== register.token || now.beat !== register.beat) return false
    return (await this.events.inquire(holder)) === 'down'
  }

  deposed(): void {
    const { detectionMs } = this.config
    if (this.deposedIn > 0) {
      this.backoffMs = Math.min(2 * this.backoffMs, MOST_BACKOFFS * detectionMs)
    }
    this.deposedIn = this.won
  }

  forgive(): void {
    this.deposedIn = 0
    this.backoffMs = this.config.detectionMs
  }
}
