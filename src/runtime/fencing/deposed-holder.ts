/**
 * Decides whether an elected member may take the next token: not while its vouch for a leader runs, and not while the
 * holder that deposed it may still be up on the other side of a cut.
 *
 * If the detector reports that holder up, only a new election lets this member take the token. If it reports the
 * holder down, this member waits for at least a lease and reads the register again: a holder that has renewed
 * meanwhile is up, whatever the links show.
 */
import { sleep } from '../../clock/sleep.ts'
import type { Register } from '../../engines/engine.ts'
import type { FencingContext } from './fencing-config.ts'
import type { Vouching } from './vouching.ts'

const MAX_BACKOFF_DETECTIONS = 64

export class DeposedHolder {
  private readonly context: FencingContext
  private readonly vouching: Vouching
  private elections = 0
  /** The election in which another holder deposed this member; 0: none. */
  private deposedIn = 0
  private backoffMs: number

  constructor(context: FencingContext, vouching: Vouching) {
    this.context = context
    this.vouching = vouching
    this.backoffMs = context.detectionMs
  }

  elected(): void {
    this.elections += 1
  }

  /** Whether to take the token that follows this register. Waits before it says no. */
  async mayTake(register: Register, signal: AbortSignal): Promise<boolean> {
    const { names, leaseMs, periodMs, me } = this.context
    const { boundMs } = this.vouching
    if (boundMs > 0) {
      await sleep(boundMs, signal)
      return false
    }
    const holder = names.lastIndexOf(register.holder)
    if (this.deposedIn === 0 || holder < 1 || holder === me) return true
    if ((await this.context.events.inquire(holder)) === 'up') {
      if (this.elections > this.deposedIn) return true
      await sleep(periodMs, signal)
      return false
    }
    await sleep(Math.max(leaseMs, this.backoffMs * (0.5 + Math.random())), signal)
    if (signal.aborted) return false
    const now = await this.context.access.readUnchecked(signal)
    if (now.token !== register.token || now.beat !== register.beat) return false
    return (await this.context.events.inquire(holder)) === 'down'
  }

  deposed(): void {
    const { detectionMs } = this.context
    if (this.deposedIn > 0) {
      this.backoffMs = Math.min(2 * this.backoffMs, MAX_BACKOFF_DETECTIONS * detectionMs)
    }
    this.deposedIn = this.elections
  }

  /** This member has held the token for long enough. */
  reset(): void {
    this.deposedIn = 0
    this.backoffMs = this.context.detectionMs
  }
}
