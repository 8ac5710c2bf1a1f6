/** The handle that `join` gives: who leads, work that runs only while this member does, and its end. */
import { NONE, type NodeId } from '../core/node-id.ts'
import type { Json } from '../core/schema.ts'
import type { Store } from '../stores/store.ts'
import type { Transport } from '../transports/transport.ts'
import { monotonic, type Cancel, type Clock } from '../clock/monotonic.ts'
import { sleep } from '../clock/sleep.ts'
import type { ElectionEvents, View } from './election-events.ts'
import { StepDownError } from './errors.ts'
import type { Fenced } from './fencing/fenced.ts'
import { fencingConfigOf } from './fencing/fencing-config.ts'
import { Fencing } from './fencing/fencing.ts'
import { SuccessorChoice } from './successor-choice.ts'
import { hostConfigOf, type HostEvents } from './host/host-config.ts'
import { Host } from './host/host.ts'
import { LatestValue } from './latest-value.ts'
import { Listeners, type Listener } from './listeners.ts'
import { durationMs, type Duration, type Safety, type ResolvedOptions } from './options/options.ts'
import { Preemption } from './preemption.ts'
import { LeadScope, type LeadOptions } from './lead-scope.ts'
import { statusOf } from './http/status.ts'
import { HeldTerm, type FencedTerm, type LostReason, type Term } from './term.ts'
import { TokenStore } from './fencing/token-store.ts'
import type { HostMessage } from './host/wire.ts'

export interface StepDownOptions {
  /** Who should lead next. */
  readonly to?: string
  /** For the log of whoever asks why. */
  readonly reason?: string
  /** How long this member takes no part, where its algorithm would elect it again at once. */
  readonly coolOff?: Duration
  readonly drain?: Duration
}

export type TermOf<S extends Safety> = S extends 'quorum' | Fenced ? FencedTerm : Term

/** Longer than members that are up take to hear who leads. */
const MOMENT_MS = 20

export class Election<S extends Safety = Safety> implements AsyncDisposable, HostEvents {
  readonly settings: ResolvedOptions
  readonly startedAt = Date.now()
  private readonly host: Host
  /** With `fenced`: whoever is elected leads only with a token, and the token is the number of its term. */
  private readonly fencing: Fencing | null
  private readonly clock: Clock = monotonic
  private readonly views = new LatestValue<View>({ kind: 'unknown' })
  private readonly listeners = new Listeners<ElectionEvents>(() => this.check())
  private readonly metadata = new Map<NodeId, Json>()
  private readonly scope: LeadScope<TermOf<S>>
  private readonly preference: Preemption
  private readonly fitness: SuccessorChoice
  private held: HeldTerm | null = null
  private lastTerm = 0
  private believedAt = Date.now()
  private warned = ''
  /** Of the work, one soon after the other. */
  private failures = 0
  private readonly leaving = new AbortController()
  private cancelRehearsal: Cancel | undefined
  private releasing: Promise<void> | null = null
  private closing: Promise<void> | null = null

  constructor(settings: ResolvedOptions, transport: Transport, store: Store) {
    this.settings = settings
    const tokens = settings.fenced === null ? null : new TokenStore(store)
    const config = hostConfigOf(settings, transport, tokens ?? store, this.clock)
    this.host = new Host(config, this)
    this.fencing = tokens === null ? null : this.fencingWith(tokens)
    this.fitness = new SuccessorChoice(settings, this.host, this.clock)
    this.metadata.set(settings.me, settings.metadata)
    this.scope = new LeadScope({
      check: () => this.check(),
      stepDown: async (options, ranMs) => this.coolOff(options, ranMs),
      warn: (error) => this.failed(error),
    })
    this.preference = new Preemption(settings, this.host, async (to) => this.stepDown(to))
  }

  /** What is done when a leader goes, done once before, in a calm moment: see rehearsal.ts. */
  private rehearse(): void {
    this.host.rehearse()
    const term = this.termOf(0)
    term.signal.addEventListener('abort', () => undefined)
    term.end('closed')
    this.fitness.fittest()
    this.viewNow()
  }

  async open(): Promise<this> {
    await this.settings.fenced?.engine.load()
    await this.host.open()
    this.fencing?.open()
    this.preference.start()
    return this
  }

  get id(): string {
    return this.settings.id
  }

  /** Where this member listens. */
  get address(): string {
    return this.host.links.address
  }

  /** Who leads, as far as this member knows. */
  get view(): View {
    return this.views.value
  }

  /** The latest term that this member accepted, its own or another's. */
  get term(): number {
    return this.fencing?.token ?? this.host.state.term
  }

  /** The term that this member holds, or null. */
  get current(): TermOf<S> | null {
    this.check()
    return this.held as TermOf<S> | null
  }

  /**
   * Runs `work` for each term that this member wins, one at a time. Resolves when the election is closed.
   * The signal is aborted when the term ends; leadership is given up only when the work has stopped, or
   * when its drain has passed.
   */
  async lead(work: (term: TermOf<S>) => unknown, options: LeadOptions = {}): Promise<void> {
    const drainMs =
      options.drain === undefined ? this.settings.drainMs : durationMs(options.drain, 'drain')
    const done = this.scope.use(work, drainMs, options.onError ?? 'step-down')
    if (this.held !== null) this.scope.enter(this.held as unknown as TermOf<S>)
    await done
  }

  /** The current view first, then each change; whoever is slow misses what was superseded. */
  watch(options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<View, void, void> {
    return this.views.watch(options.signal)
  }

  /** Returns the function that ends the subscription. */
  on<K extends keyof ElectionEvents>(event: K, listener: Listener<ElectionEvents[K]>): () => void {
    this.listeners.add(event, listener)
    return () => this.off(event, listener)
  }

  off<K extends keyof ElectionEvents>(event: K, listener: Listener<ElectionEvents[K]>): void {
    this.listeners.delete(event, listener)
  }

  /**
   * Ends the term, waits until the work has stopped, then lets another lead. The work itself may call it,
   * but not wait for it: each would wait for the other, until the drain has passed.
   */
  async stepDown(options: StepDownOptions = {}): Promise<void> {
    this.check()
    if (this.held === null) {
      throw new StepDownError('not-leader', `${this.id} does not lead: ask the leader to step down`)
    }
    const successor =
      options.to === undefined ? this.fitness.fittest() : this.fitness.fitOrThrow(options.to)
    await this.release('stepped-down', successor, options)
  }

  /** Drains, resigns and leaves. */
  async close({ drain }: { readonly drain?: Duration } = {}): Promise<void> {
    const drainMs = drain === undefined ? undefined : durationMs(drain, 'drain')
    this.closing ??= this.leave(drainMs)
    await this.closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** What `/status` shows. */
  status() {
    return statusOf(this, this.host, this.fencing, this.believedAt)
  }

  /** Counters for metrics. */
  get counters(): Readonly<Record<string, number>> {
    return this.host.counters
  }

  // What the host tells.

  changed(): void {
    const { leader, term } = this.host.state
    const leads = leader === this.settings.me && this.host.takesPart
    if (this.fencing !== null) return this.fence(this.fencing, leads)
    if (this.held !== null && (!leads || this.held.number !== term)) this.endTerm(this.lossReason())
    const stays = this.closing === null && this.releasing === null
    if (leads && term > this.lastTerm && stays) this.beginTerm(term)
    this.show()
  }

  /** The election decides who asks the engine; the engine decides who leads. */
  private fence(fencing: Fencing, leads: boolean): void {
    if (!leads) {
      if (this.held !== null) this.endTerm(this.lossReason())
      fencing.leave()
    } else if (this.releasing === null && this.closing === null) fencing.stand()
    this.show()
  }

  renewed(untilMs: number): void {
    if (this.fencing === null)
      this.listeners.emit('renewed', { term: this.host.state.term, untilMs })
  }

  verdict(peer: NodeId, state: 'up' | 'down'): void {
    this.listeners.emit('peer', { peer: this.settings.names[peer], state })
  }

  misfit(peer: NodeId, field: string, detail: string): void {
    this.listeners.emit('refused', { peer: this.settings.names[peer], field, detail })
  }

  connected(peer: NodeId): void {
    if (this.settings.metadata !== null) this.host.introduce(peer, this.settings.metadata)
    this.fencing?.introduce(peer)
  }

  about(peer: NodeId, metadata: Json): void {
    this.metadata.set(peer, metadata)
    if (this.host.state.leader === peer) this.show()
  }

  asked(peer: NodeId, message: HostMessage): void {
    if (this.fencing?.heard(peer, message) === true) return
    this.preference.asked(peer, message, this.held !== null && this.releasing === null)
  }

  failed(error: Error): void {
    this.listeners.emit('error', error)
    if (this.listeners.has('error') || error.message === this.warned) return
    this.warned = error.message // once, not at every attempt
    process.emitWarning(error)
  }

  // Terms.

  private beginTerm(number: number): void {
    this.lastTerm = number
    const term = this.termOf(number)
    this.held = term
    this.listeners.emit('elected', { term: number })
    this.scope.enter(term as unknown as TermOf<S>)
  }

  private termOf(number: number): HeldTerm {
    return new HeldTerm(
      number,
      this.settings.safety !== 'advisory',
      this.clock,
      () => Math.min(this.host.deadline, this.fencing?.deadline ?? Infinity),
      () => this.check(),
    )
  }

  private fencingWith(store: TokenStore): Fencing {
    const { settings, host, clock } = this
    return new Fencing(fencingConfigOf(settings, settings.fenced!, store, clock), {
      granted: (token) => {
        if (this.closing !== null || this.releasing !== null) return this.fencing?.leave()
        this.beginTerm(token)
        this.show()
      },
      revoked: (reason) => {
        if (this.held !== null) this.endTerm(reason)
        this.show()
      },
      renewed: (until) => {
        const untilMs = Math.min(until, host.deadline)
        if (this.held !== null) this.listeners.emit('renewed', { term: this.held.number, untilMs })
      },
      learnt: () => this.show(),
      failed: (error) => this.failed(error),
      tell: (peer, message) => host.tell(peer, message),
      inquire: async (peer) => host.inquire(peer),
      leader: () => host.state.leader,
      standAside: (successor) => host.resign(successor, Infinity),
      comeBack: () => {
        if (!host.takesPart && this.closing === null) host.restart(0)
      },
    })
  }

  /** Lets overdue deadlines act before any code of the user's runs. */
  private check(): void {
    this.host.check()
    this.fencing?.check()
  }

  /** First the signal, then everybody else. */
  private endTerm(reason: LostReason, detail?: string): void {
    const term = this.held!
    this.held = null
    const atMs = this.clock.now()
    term.end(reason)
    this.listeners.emit('lost', { term: term.number, reason, detail, atMs })
  }

  private lossReason(): LostReason {
    const { state, steps } = this.host
    const { cause, lateMs } = steps
    if (cause === 'stall') return 'paused'
    if (cause === 'failure') return 'stepped-down'
    if (cause === null) return state.leader === this.settings.me ? 'expired' : 'deposed'
    if (lateMs > this.settings.leaseMs / 8) return 'paused'
    return this.fitness.hearsMajority() ? 'expired' : 'quorum-lost'
  }

  /** (c) The term ends at once; leadership goes when the work has stopped, or its drain has passed. */
  private async release(
    reason: LostReason,
    successor: NodeId,
    options: StepDownOptions = {},
    holdMs = 0,
  ): Promise<void> {
    this.releasing ??= this.drainAndResign(reason, successor, options, holdMs).finally(() => {
      this.releasing = null
      this.changed() // it may have been elected meanwhile
    })
    await this.releasing
  }

  private async drainAndResign(
    reason: LostReason,
    successor: NodeId,
    { drain, coolOff, reason: detail }: StepDownOptions,
    holdMs: number,
  ): Promise<void> {
    const coolOffMs = coolOff === undefined ? undefined : durationMs(coolOff, 'coolOff')
    const drainMs = drain === undefined ? undefined : durationMs(drain, 'drain')
    if (this.held !== null) this.endTerm(reason, detail)
    this.fencing?.leave()
    this.show()
    // Without work to wait for, the others hear of it before whoever listens here.
    if (!this.scope.isIdle) await this.scope.settled(drainMs)
    if (holdMs > 0) await sleep(holdMs, this.leaving.signal)
    if (this.host.state.leader === this.settings.me) {
      this.host.resign(successor, this.coolOffMs(coolOffMs))
    }
  }

  /**
   * (e) The work has failed. Another member leads at once; but where the work fails on every member, each would
   * hand over to the next within milliseconds. So whoever fails again soon keeps leadership, without a term,
   * for a while that grows: it still answers others, which a small group cannot do without.
   */
  private async coolOff(options: StepDownOptions, ranMs: number): Promise<void> {
    const meanMs = 3 * this.settings.group.timing.detectionMs
    this.failures = ranMs > meanMs ? 1 : this.failures + 1
    const share = this.failures === 1 ? 0 : Math.min(1, 2 ** (this.failures - 5))
    await this.release(
      'stepped-down',
      this.fitness.fittest(),
      options,
      this.coolOffMs(share * meanMs),
    )
  }

  /** Drawn, so that members that failed together do not come back together. */
  private coolOffMs(mean = 3 * this.settings.group.timing.detectionMs): number {
    return mean * (0.5 + Math.random())
  }

  private async leave(drainMs: number | undefined): Promise<void> {
    this.preference.stop()
    this.cancelRehearsal?.()
    if (this.held !== null || this.releasing !== null) {
      const options = drainMs === undefined ? {} : { drain: drainMs }
      const released = this.release('closed', this.fitness.fittest(), options)
      this.leaving.abort()
      await released
      await this.succeeded()
    } else await this.scope.settled(drainMs)
    // An engine that cannot be let go in order keeps nobody from leaving.
    await this.fencing?.close().catch((error: unknown) => this.failed(error as Error))
    await this.host.close()
    this.views.set({ kind: 'unknown' })
    this.views.close()
    this.scope.close()
    await sleep(0) // listeners of what has just happened run first
    this.listeners.clear()
  }

  /**
   * Stays to see the next leader, and a moment for the others to see it too, so that the farewell does not
   * come in between; not for long.
   */
  private async succeeded(): Promise<void> {
    const { messageMs } = this.settings.group.timing
    const limit = AbortSignal.timeout(Math.ceil(messageMs))
    for await (const view of this.views.watch(limit)) {
      if (view.kind === 'unknown') return
      if (view.kind === 'leader' && !view.me) return sleep(Math.min(messageMs, MOMENT_MS))
    }
  }

  // Telling.

  private show(): void {
    const view = this.viewNow()
    if (JSON.stringify(view) === JSON.stringify(this.views.value)) return
    this.believedAt = Date.now()
    if (view.kind === 'leader') {
      const { periodMs } = this.settings.group.timing
      this.cancelRehearsal ??= this.clock.after(periodMs, () => this.rehearse())
    }
    this.views.set(view)
    this.listeners.emit('leader', view)
  }

  private viewNow(): View {
    const { names, addresses, me } = this.settings
    const { leader } = this.host.state
    if (!this.host.takesPart) return { kind: 'unknown' }
    if (leader === NONE) return { kind: 'none' }
    if (leader === me && this.held === null) return { kind: 'none' }
    // Elected is not enough: it leads from the moment that it has its token.
    if (this.fencing !== null && this.fencing.known.holder !== leader) return { kind: 'none' }
    return {
      kind: 'leader',
      leader: names[leader],
      term: this.term,
      me: leader === me,
      address: addresses.get(names[leader])!,
      metadata: this.metadata.get(leader) ?? null,
    }
  }
}
