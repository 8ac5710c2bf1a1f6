/**
 * Holds the token of this member: renews it at the engine, asks peers to vouch when that fails, and gives it up at a
 * deadline of the member's own clock.
 */
import { ClockLeaps, type Leaps } from '../../clock/leaps.ts'
import type { Cancel } from '../../clock/monotonic.ts'
import { sleepOn } from '../../clock/sleep.ts'
import type { Register } from '../../engines/engine.ts'
import { EngineResetError } from '../errors.ts'
import type { LostReason } from '../term.ts'
import type { DeposedHolder } from './deposed-holder.ts'
import { broadcast, type FencingContext } from './fencing-config.ts'
import type { KnownHolder } from './known-holder.ts'
import type { Vouching } from './vouching.ts'

export interface Grant {
  readonly register: Register
  /** When the request left that took the token: the lease runs from then. */
  readonly sentAt: number
}

interface Parts {
  readonly known: Pick<KnownHolder, 'set' | 'clear'>
  /** Where there are peers. */
  readonly vouching?: Vouching
  readonly deposed?: DeposedHolder
}

export class HeldToken {
  deadline = -Infinity
  private readonly context: FencingContext
  private readonly parts: Parts
  private register: Register | null = null
  private heldSince = 0
  private loss = new AbortController()
  private cancelDeadline: Cancel = () => undefined
  private readonly leaps: Leaps = new ClockLeaps()
  /** When time was last found to have passed that the clock did not count. */
  private leaptAt = -Infinity

  constructor(context: FencingContext, parts: Parts) {
    this.context = context
    this.parts = parts
  }

  get token(): number | null {
    return this.register?.token ?? null
  }

  /** Resolves when the token is lost or the signal is aborted. */
  async hold({ register, sentAt }: Grant, signal: AbortSignal): Promise<void> {
    const { clock, leaseMs, periodMs, me } = this.context
    this.countLeap()
    // A grant that arrives after its lease is worth nothing.
    if (clock.now() >= sentAt + leaseMs || sentAt <= this.leaptAt) return
    this.register = register
    this.heldSince = clock.now()
    this.loss = new AbortController()
    this.setDeadline(sentAt + leaseMs)
    this.parts.known.set(me, register.token)
    this.announce(register.token)
    this.context.events.granted(register.token)
    this.context.events.renewed(this.deadline)
    const over = AbortSignal.any([signal, this.loss.signal])
    while (!over.aborted) {
      await sleepOn(clock, Math.min(periodMs, leaseMs / 4), over)
      if (!over.aborted) await this.renew(register, over)
    }
  }

  /** The member gives the token up by itself. */
  release(): void {
    if (this.register === null) return
    this.clear()
    this.announce(0)
  }

  /** Lets an overdue deadline act now. */
  check(): void {
    this.countLeap()
    if (this.register === null || this.context.clock.now() < this.deadline) return
    // No renewal has failed, so none was tried in time: this process was paused.
    this.lose(this.context.access.trouble === null ? 'paused' : 'engine-lost')
  }

  /** Another member holds this token. */
  yieldTo(token: number): void {
    if (this.register !== null && token > this.register.token) this.depose()
  }

  /** The lease runs from `sentAt`. An overdue deadline acts all the same. */
  extend(sentAt: number | undefined): void {
    if (sentAt === undefined) return
    this.check()
    const until = sentAt + this.context.leaseMs
    if (sentAt <= this.leaptAt) return // how long the answer took is not known
    if (this.register === null || until <= this.deadline) return
    this.setDeadline(until)
    this.context.events.renewed(until)
  }

  /** A renewal that fails is no loss: the deadline decides, or the engine by naming another holder. */
  private async renew(register: Register, over: AbortSignal): Promise<void> {
    const { clock, leaseMs, access } = this.context
    const { vouching, deposed } = this.parts
    const sentAt = clock.now()
    try {
      const renewed = await access.renew(register, over)
      if (over.aborted) return
      access.trouble = null
      if (!renewed) return await this.superseded(over)
      this.extend(sentAt)
      if (sentAt - this.heldSince > 10 * leaseMs) deposed?.reset()
    } catch (error) {
      if (over.aborted) return
      access.report(error as Error)
      this.extend(vouching?.ask(register.token))
    }
  }

  /** Another member took the next token; or the engine has lost this one. */
  private async superseded(over: AbortSignal): Promise<void> {
    const { access } = this.context
    try {
      await access.read(over)
    } catch (error) {
      if (over.aborted || !(error instanceof EngineResetError)) return
      access.report(error)
      return this.lose('engine-lost')
    }
    if (!over.aborted) this.depose()
  }

  private countLeap(): void {
    const leapMs = this.leaps.take()
    if (leapMs === 0) return
    this.leaptAt = this.context.clock.now()
    this.deadline -= leapMs
  }

  private setDeadline(until: number): void {
    const { clock } = this.context
    this.deadline = until
    this.cancelDeadline()
    this.cancelDeadline = clock.after(Math.max(0, until - clock.now()), () => this.check())
  }

  private depose(): void {
    this.parts.deposed?.deposed()
    this.lose('deposed')
  }

  private lose(reason: LostReason): void {
    this.clear()
    this.context.events.revoked(reason)
    this.announce(0)
  }

  private clear(): void {
    this.register = null
    this.deadline = -Infinity
    this.cancelDeadline()
    this.loss.abort()
    this.parts.known.clear(this.context.me)
  }

  private announce(token: number): void {
    broadcast(this.context, { type: 'fence', token })
  }
}
