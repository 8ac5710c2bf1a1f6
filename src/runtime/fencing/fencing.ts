/**
 * Runs the fencing of one member: takes the engine's next token when the member is elected, holds it while it can be
 * renewed, follows other holders, and answers the peers' fencing messages.
 *
 * Failover waits for no time to live: the election has decided, so the winner takes the next token at once, and
 * the resource refuses the old one. Only a member that another holder has deposed waits, for then both may reach
 * the engine and not each other (see deposed-holder.ts).
 *
 * The files of this folder are one layer, below the election: they share its `FencingEvents`.
 */
import { sleep } from '../../clock/sleep.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Register } from '../../engines/engine.ts'
import type { HostMessage } from '../host/wire.ts'
import { DeposedHolder } from './deposed-holder.ts'
import { EngineAccess } from './engine-access.ts'
import { EngineReachability } from './engine-reachability.ts'
import {
  contextOf,
  type Arbiter,
  type FencingConfig,
  type FencingContext,
  type FencingEvents,
} from './fencing-config.ts'
import { HeldToken, type Grant } from './held-token.ts'
import { KnownHolder } from './known-holder.ts'
import { TokenInquiry } from './token-inquiry.ts'
import { Vouching } from './vouching.ts'

const RETRY_MIN_MS = 20
const RETRY_MAX_MS = 250

export class Fencing implements Arbiter {
  private readonly known: KnownHolder
  private readonly context: FencingContext
  private readonly closed = new AbortController()
  private candidacy: AbortController | null = null
  private readonly vouching: Vouching
  private readonly deposed: DeposedHolder
  private readonly reachability: EngineReachability
  private readonly held: HeldToken
  private readonly inquiry: TokenInquiry

  constructor(config: FencingConfig, events: FencingEvents) {
    const context = contextOf(config, { events, access: new EngineAccess(config, events) })
    this.context = context
    this.known = new KnownHolder(context)
    this.vouching = new Vouching(context)
    this.deposed = new DeposedHolder(context, this.vouching)
    this.reachability = new EngineReachability(context, this.closed.signal)
    const { known, vouching, deposed } = this
    this.held = new HeldToken(context, { known, vouching, deposed })
    this.inquiry = new TokenInquiry(context, async () => this.readRegister(), this.closed.signal)
  }

  /** The largest token that this member has seen, in this incarnation or before. */
  get token(): number {
    return this.context.store.largest
  }

  /** Until when this member may lead, on the monotonic clock. */
  get deadline(): number {
    return this.held.deadline
  }

  get holder(): string {
    return this.context.names[this.known.holder]
  }

  /** Why the engine cannot be used, for the operator. */
  get trouble(): Error | null {
    return this.context.access.trouble
  }

  open(): void {
    const { engine, group } = this.context
    engine.watch(group, { changed: (register) => this.changed(register) }, this.closed.signal)
    void this.pollRegister()
  }

  async close(): Promise<void> {
    this.leave()
    this.closed.abort()
    await this.context.engine.close()
  }

  /** The election elected this member: it takes the next token as soon as it can. */
  stand(): void {
    if (this.candidacy !== null || this.closed.signal.aborted) return
    this.deposed.elected()
    this.candidacy = new AbortController()
    void this.run(this.candidacy.signal)
  }

  /** The election elected another member, or this one steps down. The next token supersedes its own. */
  leave(): void {
    this.candidacy?.abort()
    this.candidacy = null
    this.held.release()
  }

  /** Lets an overdue deadline act now. */
  check(): void {
    this.held.check()
  }

  // Messages of peers.

  /** Returns whether the message was for this layer. */
  received(peer: NodeId, message: HostMessage): boolean {
    switch (message.type) {
      case 'fence':
        if (this.known.announced(peer, message.token)) this.inquiry.ask()
        return true
      case 'vouch?':
        this.vouching.vouchFor(peer, message.token, message.round)
        return true
      case 'vouch':
        this.held.extend(this.vouching.vouched(peer, message.round))
        return true
      case 'reach?':
        void this.reachability.answer(peer)
        return true
      case 'reach':
        this.standAside(peer)
        return true
      case 'leaving':
      case 'takeover':
      case 'declined':
        return false
    }
  }

  /** A peer that has just connected may have missed the announcement. */
  connected(peer: NodeId): void {
    const { token } = this.held
    if (token !== null) this.context.events.send(peer, { type: 'fence', token })
  }

  /** The peer reaches the engine and this member does not. */
  private standAside(peer: NodeId): void {
    const isWaiting = this.candidacy !== null && this.held.token === null
    if (!isWaiting || !this.reachability.isMissing) return
    this.leave()
    void this.reachability.standAside(peer)
  }

  // The engine.

  private changed(register: Register): void {
    if (this.known.read(register)) this.held.yieldTo(register.token)
  }

  /** Polls the register once per lease unless elected, because a watch can stall without reporting an error. */
  private async pollRegister(): Promise<void> {
    const { signal } = this.closed
    while (!signal.aborted) {
      await sleep(this.context.leaseMs, signal)
      if (!signal.aborted && this.candidacy === null) await this.readRegister()
    }
  }

  private async readRegister(): Promise<void> {
    const { access } = this.context
    try {
      this.changed(await access.read(this.closed.signal))
      access.trouble = null
    } catch (error) {
      access.trouble = error as Error
    }
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const grant = await this.obtain(signal)
      if (grant !== null && !signal.aborted) await this.held.hold(grant, signal)
    }
  }

  private async obtain(signal: AbortSignal): Promise<Grant | null> {
    let known = this.known.watched
    for (let failures = 0; !signal.aborted;) {
      try {
        const grant = await this.tryToTake(known, signal)
        if (grant !== null) return grant
        failures = 0
      } catch (error) {
        if (signal.aborted) return null
        this.context.access.report(error as Error)
        this.reachability.failed(error as Error)
        failures += 1
        await sleep(Math.random() * Math.min(RETRY_MIN_MS * 2 ** failures, RETRY_MAX_MS), signal)
      }
      known = null
    }
    return null
  }

  private async tryToTake(known: Register | null, signal: AbortSignal): Promise<Grant | null> {
    const { clock, store } = this.context
    const isFresh = known !== null && known.token >= store.largest
    const current = isFresh ? known : await this.context.access.read(signal)
    if (await this.deposed.mayTake(current, signal)) {
      const sentAt = clock.now()
      const register = await this.context.access.take(current, signal)
      if (register !== null) {
        store.see(register.token) // durable before anything depends on it
        this.context.access.trouble = null
        this.reachability.succeeded()
        return { register, sentAt }
      }
    }
    this.reachability.succeeded()
    return null
  }
}
