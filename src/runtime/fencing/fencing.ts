/**
 * A member's dealings with the engine: whoever the election elects takes the next token before it leads,
 * shows that it lives while it does, and stops by a deadline of its own clock when it no longer can.
 *
 * Fail-over waits for nobody's time to live: the election has decided, so the winner takes the next token at
 * once, and the resource refuses the old one. Only a member that was deposed by another holder is careful, for
 * then both may reach the engine and not each other: see `caution.ts`.
 */
import type { NodeId } from '../../core/node-id.ts'
import type { Register } from '../../engines/engine.ts'
import { DeposedHolder } from './deposed-holder.ts'
import type { Cancel } from '../../clock/monotonic.ts'
import { sleep } from '../../clock/sleep.ts'
import { EngineAccess } from './engine-access.ts'
import { EngineResetError } from '../errors.ts'
import { peersOf, type FencingConfig, type FencingEvents } from './fencing-config.ts'
import { KnownHolder } from './known-holder.ts'
import { EngineReachability } from './engine-reachability.ts'
import type { LostReason } from '../term.ts'
import { Vouching } from './vouching.ts'
import type { HostMessage } from '../host/wire.ts'

interface Held {
  readonly register: Register
  /** When the request went out that showed it to be mine: the lease counts from then. */
  readonly sentAt: number
}

const RETRY_MS: readonly [number, number] = [20, 250]

export class Fencing {
  /** Until when I may lead, on the monotonic clock. */
  deadline = -Infinity
  readonly known: KnownHolder
  private readonly config: FencingConfig
  private readonly events: FencingEvents
  private readonly life = new AbortController()
  private campaign: AbortController | null = null
  private held: Register | null = null
  private heldSince = 0
  private loss = new AbortController()
  private cancelDeadline: Cancel = () => undefined
  private readonly access: EngineAccess
  private readonly vouching: Vouching
  private readonly caution: DeposedHolder
  private readonly reach: EngineReachability

  constructor(config: FencingConfig, events: FencingEvents) {
    this.config = config
    this.events = events
    this.access = new EngineAccess(config, events)
    this.known = new KnownHolder(config, events, this.access)
    this.vouching = new Vouching(config, events)
    this.caution = new DeposedHolder(config, events, this.access, this.vouching)
    this.reach = new EngineReachability(config, events, this.access, this.life.signal)
  }

  /** The largest token that I have seen, in this life or before. */
  get token(): number {
    return this.config.store.largest
  }

  /** What keeps the engine from being used, for the operator. */
  get trouble(): Error | null {
    return this.access.trouble
  }

  open(): void {
    const { engine, group } = this.config
    engine.watch(group, { changed: (register) => this.changed(register) }, this.life.signal)
    void this.look()
  }

  async close(): Promise<void> {
    this.leave()
    this.life.abort()
    await this.config.engine.close()
  }

  /** The election elected me: a token is taken as soon as there is one to be had. */
  stand(): void {
    if (this.campaign !== null || this.life.signal.aborted) return
    this.caution.elected()
    this.campaign = new AbortController()
    void this.run(this.campaign.signal)
  }

  /** The election elected somebody else, or I step down. What I held, the next one supersedes. */
  leave(): void {
    this.campaign?.abort()
    this.campaign = null
    if (this.held === null) return
    this.letGo()
    this.announce(0)
  }

  /** Lets an overdue deadline act now. */
  check(): void {
    if (this.held === null || this.config.clock.now() < this.deadline) return
    // No renewal has failed, so none was tried in time: it is this process that stood still.
    this.lose(this.trouble === null ? 'paused' : 'engine-lost')
  }

  // What peers say.

  heard(peer: NodeId, message: HostMessage): boolean {
    switch (message.type) {
      case 'fence':
        if (this.known.heard(peer, message.token)) this.yieldTo(message.token)
        return true
      case 'vouch?':
        this.vouching.vouchFor(peer, message.token, message.round)
        return true
      case 'vouch':
        this.vouched(this.vouching.heard(peer, message.round))
        return true
      case 'reach?':
        void this.reach.answer(peer)
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

  /** Tells a peer that has just been reached what it may have missed. */
  introduce(peer: NodeId): void {
    if (this.held !== null) this.events.tell(peer, { type: 'fence', token: this.held.token })
  }

  private announce(token: number): void {
    for (const peer of peersOf(this.config)) this.events.tell(peer, { type: 'fence', token })
  }

  // What the engine says.

  private changed(register: Register): void {
    if (this.known.read(register)) this.yieldTo(register.token)
  }

  /** A watch may fall silent without an end: whoever has nothing else to do reads from time to time. */
  private async look(): Promise<void> {
    const { signal } = this.life
    while (!signal.aborted) {
      await sleep(this.config.leaseMs, signal)
      if (signal.aborted || this.campaign !== null) continue
      try {
        this.changed(await this.access.read(signal))
        this.access.trouble = null
      } catch (error) {
        this.access.trouble = error as Error
      }
    }
  }

  // Candidature.

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const held = await this.obtain(signal)
      if (held !== null && !signal.aborted) await this.hold(held, signal)
    }
  }

  private async obtain(signal: AbortSignal): Promise<Held | null> {
    const { clock, store } = this.config
    let from = this.known.told
    for (let failures = 0; !signal.aborted;) {
      try {
        const isFresh = from !== null && from.token >= store.largest
        const current = isFresh ? from! : await this.access.read(signal)
        if (await this.caution.isMyTurn(current, signal)) {
          const sentAt = clock.now()
          const register = await this.access.take(current, signal)
          if (register !== null) return this.kept({ register, sentAt })
        }
        failures = 0
        this.reach.succeeded()
      } catch (error) {
        if (signal.aborted) return null
        this.access.report(error as Error)
        this.reach.failed(error as Error)
        failures += 1
        const [least, most] = RETRY_MS
        await sleep(Math.random() * Math.min(least * 2 ** failures, most), signal)
      }
      from = null
    }
    return null
  }

  /** Durable before anybody acts on it. */
  private kept(held: Held): Held {
    this.config.store.see(held.register.token)
    this.access.trouble = null
    this.reach.succeeded()
    return held
  }

  // Holding.

  private async hold({ register, sentAt }: Held, signal: AbortSignal): Promise<void> {
    const { clock, leaseMs, periodMs, me } = this.config
    // A grant whose lease is over before it came is none: take the next one.
    if (clock.now() >= sentAt + leaseMs) return
    this.held = register
    this.heldSince = clock.now()
    this.loss = new AbortController()
    this.arm(sentAt + leaseMs)
    this.known.note(me, register.token)
    this.announce(register.token)
    this.events.granted(register.token)
    this.events.renewed(this.deadline)
    const over = AbortSignal.any([signal, this.loss.signal])
    while (!over.aborted) {
      await sleep(Math.min(periodMs, leaseMs / 4), over)
      if (!over.aborted) await this.renew(register, over)
    }
  }

  /** "Cannot renew yet" is not "lost": the deadline decides, or the engine by naming another. */
  private async renew(register: Register, over: AbortSignal): Promise<void> {
    const { clock, leaseMs } = this.config
    const sentAt = clock.now()
    try {
      const renewed = await this.access.renew(register, over)
      if (over.aborted) return
      this.access.trouble = null
      if (!renewed) return await this.superseded(over)
      this.extend(sentAt)
      if (sentAt - this.heldSince > 10 * leaseMs) this.caution.forgive()
    } catch (error) {
      if (over.aborted) return
      this.access.report(error as Error)
      this.vouched(this.vouching.ask(register.token))
    }
  }

  /** Another took the token; or the engine has forgotten mine. */
  private async superseded(over: AbortSignal): Promise<void> {
    try {
      await this.access.read(over)
    } catch (error) {
      if (over.aborted || !(error instanceof EngineResetError)) return
      this.access.report(error)
      return this.lose('engine-lost')
    }
    if (!over.aborted) this.deposed()
  }

  /** Enough peers, if any, let me go on as of then. */
  private vouched(sentAt: number | undefined): void {
    if (sentAt !== undefined) this.extend(sentAt)
  }

  /** What is overdue ends, even if the answer that would have saved it has come by now. */
  private extend(sentAt: number): void {
    this.check()
    const until = sentAt + this.config.leaseMs
    if (this.held === null || until <= this.deadline) return
    this.arm(until)
    this.events.renewed(until)
  }

  private arm(until: number): void {
    const { clock } = this.config
    this.deadline = until
    this.cancelDeadline()
    this.cancelDeadline = clock.after(Math.max(0, until - clock.now()), () => this.check())
  }

  private yieldTo(token: number): void {
    if (this.held !== null && token > this.held.token) this.deposed()
  }

  private deposed(): void {
    this.caution.deposed()
    this.lose('deposed')
  }

  private lose(reason: LostReason): void {
    this.letGo()
    this.events.revoked(reason)
    this.announce(0)
  }

  private letGo(): void {
    this.held = null
    this.deadline = -Infinity
    this.cancelDeadline()
    this.loss.abort()
    this.known.letGo(this.config.me)
  }

  /** A peer has what I lack. */
  private standAside(peer: NodeId): void {
    const waits = this.campaign !== null && this.held === null
    if (!waits || !this.reach.isMissing) return
    this.leave()
    void this.reach.standAside(peer)
  }
}
