/**
 * A member's dealings with the engine: whoever the election elects takes the next token before it leads,
 * shows that it lives while it does, and stops by a deadline of its own clock when it no longer can.
 *
 * Fail-over waits for nobody's time to live: the election has decided, so the winner takes the next token at
 * once, and the resource refuses the old one. Only a member that was deposed by another holder is careful, for
 * then both may reach the engine and not each other: see `isMyTurn`.
 */
import { NONE, type NodeId } from '../core/node-id.ts'
import type { Json } from '../core/schema.ts'
import { EngineError, type Engine, type Register } from '../engines/engine.ts'
import { pause, type Cancel, type Clock } from './clock.ts'
import { EngineResetError } from './errors.ts'
import type { Vouch } from './fenced.ts'
import type { LostReason } from './term.ts'
import type { TokenStore } from './token-store.ts'
import { Vouching } from './vouching.ts'
import type { HostMessage } from './wire.ts'

export interface FencingConfig {
  readonly engine: Engine
  readonly vouch: Vouch
  readonly group: string
  readonly me: NodeId
  readonly names: readonly string[]
  readonly metadata: Json
  readonly leaseMs: number
  readonly periodMs: number
  readonly detectionMs: number
  readonly clock: Clock
  readonly store: TokenStore
}

export interface FencingEvents {
  /** The token is mine, and durable. */
  granted(token: number): void
  /** It no longer counts. */
  revoked(reason: LostReason): void
  renewed(untilMs: number): void
  /** What is known about the holder has changed. */
  learnt(): void
  failed(error: Error): void
  tell(peer: NodeId, message: HostMessage): void
  /** What the detector says of a peer, asked now. */
  inquire(peer: NodeId): Promise<'up' | 'down'>
  /** Whom the election has elected, as this member knows. */
  leader(): NodeId
  /** The engine is out of my reach, but within that of a peer: others should elect without me. */
  standAside(successor: NodeId): void
  /** It is within my reach again. */
  comeBack(): void
}

interface Held {
  readonly register: Register
  /** When the request went out that showed it to be mine: the lease counts from then. */
  readonly sentAt: number
}

/** An answer that takes longer than this part of the lease is given up. */
const CALL_PART = 0.5
const RETRY_MS: readonly [number, number] = [20, 250]
const MOST_BACKOFFS = 64

export class Fencing {
  /** Until when I may lead, on the monotonic clock. */
  deadline = -Infinity
  /** The latest holder that I know of. */
  known: { readonly holder: NodeId; readonly token: number } = { holder: NONE, token: 0 }
  /** What keeps the engine from being used, for the operator. */
  trouble: Error | null = null
  private readonly config: FencingConfig
  private readonly events: FencingEvents
  private readonly life = new AbortController()
  private campaign: AbortController | null = null
  private held: Register | null = null
  private heldSince = 0
  private loss = new AbortController()
  private cancelDeadline: Cancel = () => undefined
  /** What the watch told last. It may be old: only a read is the truth, and compare-and-set finds out. */
  private told: Register | null = null
  private won = 0
  /** Since when a candidature of mine fails, as the engine is out of reach. */
  private failsSince = Infinity
  /** The election in which another holder deposed me, and how long I hold back. */
  private deposedIn = 0
  private backoffMs: number
  private readonly vouching: Vouching
  private askedReachAt = -Infinity

  constructor(config: FencingConfig, events: FencingEvents) {
    this.config = config
    this.events = events
    this.backoffMs = config.detectionMs
    const { vouch, names, leaseMs, clock } = config
    this.vouching = new Vouching(vouch, names.length - 1, leaseMs, clock)
  }

  /** The largest token that I have seen, in this life or before. */
  get token(): number {
    return this.config.store.largest
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
    this.won += 1
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
        this.learn(peer, message.token)
        return true
      case 'vouch?':
        this.vouchFor(peer, message.token, message.round)
        return true
      case 'vouch':
        this.vouched(peer, message.round)
        return true
      case 'reach?':
        void this.tellReach(peer)
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

  private learn(peer: NodeId, token: number): void {
    if (token === 0) {
      if (this.known.holder === peer) this.note(NONE, this.known.token)
      return
    }
    if (!this.remember(token)) return
    if (token >= this.known.token) this.note(peer, token)
    if (this.held !== null && token > this.held.token) this.deposed()
  }

  private announce(token: number): void {
    for (const peer of this.peers()) this.events.tell(peer, { type: 'fence', token })
  }

  // What the engine says.

  private changed(register: Register): void {
    this.told = register
    const { token } = register
    if (token === 0 || !this.remember(token)) return
    const holder = Math.max(NONE, this.config.names.indexOf(register.holder))
    // Not again for a token that its holder has told me to forget.
    if (token > this.known.token) this.note(holder, token)
    if (this.held !== null && token > this.held.token) this.deposed()
  }

  /** A watch may fall silent without an end: whoever has nothing else to do reads from time to time. */
  private async look(): Promise<void> {
    const { signal } = this.life
    while (!signal.aborted) {
      await pause(this.config.leaseMs, signal)
      if (signal.aborted || this.campaign !== null) continue
      try {
        this.changed(await this.read(signal))
        this.trouble = null
      } catch (error) {
        this.trouble = error as Error
      }
    }
  }

  /** Throws EngineResetError where the register is below what was seen before it was asked. */
  private async read(signal: AbortSignal): Promise<Register> {
    const { engine, group, store } = this.config
    const seen = store.largest
    const register = await this.ask(signal, async (soon) => engine.read(group, soon))
    if (register.token >= seen) return register
    throw new EngineResetError(engine.name, group, register.token, seen)
  }

  // Candidature.

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const held = await this.obtain(signal)
      if (held !== null && !signal.aborted) await this.hold(held, signal)
    }
  }

  private async obtain(signal: AbortSignal): Promise<Held | null> {
    const { engine, group, names, me, metadata, clock, store } = this.config
    const claim = { holder: names[me], metadata }
    let from = this.told
    for (let failures = 0; !signal.aborted;) {
      try {
        const isFresh = from !== null && from.token >= store.largest
        const current = isFresh ? from! : await this.read(signal)
        if (await this.isMyTurn(current, signal)) {
          const sentAt = clock.now()
          const register = await this.ask(signal, async (soon) =>
            engine.take(group, current, claim, soon),
          )
          if (register !== null) return this.kept({ register, sentAt })
        }
        failures = 0
        this.failsSince = Infinity
      } catch (error) {
        if (signal.aborted) return null
        this.report(error as Error)
        this.askReach(error as Error)
        failures += 1
        const [least, most] = RETRY_MS
        await pause(Math.random() * Math.min(least * 2 ** failures, most), signal)
      }
      from = null
    }
    return null
  }

  /** Durable before anybody acts on it. */
  private kept(held: Held): Held {
    this.config.store.see(held.register.token)
    this.trouble = null
    this.failsSince = Infinity
    return held
  }

  /**
   * Whether to take the next token from this register. The election has decided: yes. But where another holder
   * deposed me and the election still names me, each of us may sit on one side of a cut. Then I take it only
   * if my detector reports the holder down, after holding back, and if it did not move its beat meanwhile: who
   * renews is alive, whatever my links say. Once the other has agreed that I lead, nothing is in the way.
   */
  private async isMyTurn(register: Register, signal: AbortSignal): Promise<boolean> {
    const { names, leaseMs, periodMs, group, engine } = this.config
    const { boundMs } = this.vouching
    if (boundMs > 0) {
      await pause(boundMs, signal)
      return false
    }
    const holder = names.indexOf(register.holder)
    if (this.deposedIn === 0 || holder < 1 || holder === this.config.me) return true
    if ((await this.events.inquire(holder)) === 'up') {
      if (this.won > this.deposedIn) return true
      await pause(periodMs, signal)
      return false
    }
    await pause(Math.max(leaseMs, this.backoffMs * (0.5 + Math.random())), signal)
    if (signal.aborted) return false
    const now = await this.ask(signal, async (soon) => engine.read(group, soon))
    if (now.token !== register.token || now.beat !== register.beat) return false
    return (await this.events.inquire(holder)) === 'down'
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
    this.note(me, register.token)
    this.announce(register.token)
    this.events.granted(register.token)
    this.events.renewed(this.deadline)
    const over = AbortSignal.any([signal, this.loss.signal])
    while (!over.aborted) {
      await pause(Math.min(periodMs, leaseMs / 4), over)
      if (!over.aborted) await this.renew(register, over)
    }
  }

  /** "Cannot renew yet" is not "lost": the deadline decides, or the engine by naming another. */
  private async renew(register: Register, over: AbortSignal): Promise<void> {
    const { engine, group, clock, leaseMs } = this.config
    const sentAt = clock.now()
    try {
      const renewed = await this.ask(over, async (soon) => engine.renew(group, register, soon))
      if (over.aborted) return
      this.trouble = null
      if (!renewed) return await this.superseded(over)
      this.extend(sentAt)
      if (sentAt - this.heldSince > 10 * leaseMs) this.forgive()
    } catch (error) {
      if (over.aborted) return
      this.report(error as Error)
      this.askPeers(register.token)
    }
  }

  /** Another took the token; or the engine has forgotten mine. */
  private async superseded(over: AbortSignal): Promise<void> {
    try {
      await this.read(over)
    } catch (error) {
      if (over.aborted || !(error instanceof EngineResetError)) return
      this.report(error)
      return this.lose('engine-lost')
    }
    if (!over.aborted) this.deposed()
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

  private deposed(): void {
    const { detectionMs } = this.config
    if (this.deposedIn > 0) {
      this.backoffMs = Math.min(2 * this.backoffMs, MOST_BACKOFFS * detectionMs)
    }
    this.deposedIn = this.won
    this.lose('deposed')
  }

  private forgive(): void {
    this.deposedIn = 0
    this.backoffMs = this.config.detectionMs
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
    if (this.known.holder === this.config.me) this.note(NONE, this.known.token)
  }

  // Vouching: while the engine is out of reach, peers that follow me may let me go on.

  private askPeers(token: number): void {
    const { vouching } = this
    if (!vouching.isWanted) return
    vouching.begin()
    for (const peer of this.peers()) {
      this.events.tell(peer, { type: 'vouch?', token, round: vouching.round })
    }
    this.vouched(this.config.me, vouching.round)
  }

  private vouched(peer: NodeId, round: number): void {
    const sentAt = this.vouching.heard(peer, round)
    if (sentAt !== undefined) this.extend(sentAt)
  }

  /** I follow it, and know of no later token: I shall take none until its lease must be over. */
  private vouchFor(peer: NodeId, token: number, round: number): void {
    if (this.events.leader() !== peer || token < this.config.store.largest) return
    this.vouching.bind()
    this.events.tell(peer, { type: 'vouch', round })
  }

  // Reach: an elected member that cannot reach the engine must not stand in the way of one that can.

  private askReach(error: Error): void {
    if (!(error instanceof EngineError)) return
    const { clock, detectionMs, periodMs } = this.config
    const now = clock.now()
    this.failsSince = Math.min(this.failsSince, now)
    if (now - this.failsSince < detectionMs || now - this.askedReachAt < periodMs) return
    this.askedReachAt = now
    for (const peer of this.peers()) this.events.tell(peer, { type: 'reach?' })
  }

  private async tellReach(peer: NodeId): Promise<void> {
    try {
      await this.read(this.life.signal)
    } catch {
      return
    }
    if (!this.life.signal.aborted) this.events.tell(peer, { type: 'reach' })
  }

  private standAside(peer: NodeId): void {
    const { clock, detectionMs } = this.config
    const waits = this.campaign !== null && this.held === null
    if (!waits || clock.now() - this.failsSince < detectionMs) return
    this.failsSince = Infinity
    this.leave()
    this.events.standAside(peer)
    void this.awaitEngine()
  }

  private async awaitEngine(): Promise<void> {
    const { signal } = this.life
    const { periodMs } = this.config
    while (!signal.aborted) {
      await pause(periodMs * (0.5 + Math.random()), signal)
      try {
        await this.read(signal)
        if (!signal.aborted) this.events.comeBack()
        return
      } catch (error) {
        this.trouble = error as Error
      }
    }
  }

  // Helpers.

  private *peers(): Iterable<NodeId> {
    for (let peer = 1; peer < this.config.names.length; peer++) {
      if (peer !== this.config.me) yield peer
    }
  }

  private note(holder: NodeId, token: number): void {
    if (this.known.holder === holder && this.known.token === token) return
    this.known = { holder, token }
    this.events.learnt()
  }

  private remember(token: number): boolean {
    try {
      this.config.store.see(token)
      return true
    } catch (error) {
      this.report(error as Error)
      return false
    }
  }

  /** Each trouble once. */
  private report(error: Error): void {
    const { trouble } = this
    this.trouble = error
    if (trouble === null || trouble.name !== error.name) this.events.failed(error)
  }

  /** A call to the engine, bounded by time and by the signal; nothing of it stays behind. */
  private async ask<T>(signal: AbortSignal, call: (soon: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, leaseMs } = this.config
    const limit = new AbortController()
    const end = (): void => limit.abort()
    const cancel = clock.after(leaseMs * CALL_PART, end)
    signal.addEventListener('abort', end)
    try {
      if (signal.aborted) end()
      return await call(limit.signal)
    } finally {
      cancel()
      signal.removeEventListener('abort', end)
    }
  }
}
