/**
 * The handle that `join` returns: who leads, the user's work while this member leads, events, stepping down, status
 * and closing; it connects host, fencing and work.
 */
import { monotonic, type Clock } from '../clock/monotonic.ts'
import { sleep } from '../clock/sleep.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { termWriter } from '../core/algorithm.ts'
import type { Json } from '../core/schema.ts'
import type { Store } from '../stores/store.ts'
import type { Transport } from '../transports/transport.ts'
import type { ElectionEvents, View } from './election-events.ts'
import { StepDownError } from './errors.ts'
import type { Fenced } from './fencing/fenced.ts'
import { fencingConfigOf } from './fencing/fencing-config.ts'
import { Fencing } from './fencing/fencing.ts'
import { TokenStore } from './fencing/token-store.ts'
import { hostConfigOf, type HostConfig, type HostEvents } from './host/host-config.ts'
import { Host } from './host/host.ts'
import { warmUpOnceLed } from './host/warm-up.ts'
import type { StepCause } from './host/step-queue.ts'
import { statusOf } from './http/status.ts'
import { LatestValue } from './latest-value.ts'
import { LeadScope, type LeadOptions } from './lead-scope.ts'
import { Listeners, type Listener } from './listeners.ts'
import { durationMs, type Duration } from './options/option-kinds.ts'
import type { Safety } from './options/option-table.ts'
import type { ResolvedOptions } from './options/resolve-options.ts'
import { LeadershipRelease, type StepDownOptions } from './release-leadership.ts'
import { SuccessorChoice } from './successor-choice.ts'
import { TakeoverRequests } from './takeover-requests.ts'
import { HeldTerm, type FencedTerm, type LostReason, type Term } from './term.ts'
import { answerVisitor } from './visitors.ts'

export type { StepDownOptions } from './release-leadership.ts'

export type TermOf<S extends Safety> = S extends 'quorum' | Fenced ? FencedTerm : Term

/** Longer than members that are up take to learn who leads. */
const MOMENT_MS = 20

export class Election<S extends Safety = Safety> implements AsyncDisposable {
  readonly options: ResolvedOptions
  readonly startedAt = Date.now()
  private readonly config: HostConfig
  private readonly host: Host
  /** With `fenced`: an elected member leads only with a token, which is the number of its term. */
  private readonly fencing: Fencing | null
  private readonly clock: Clock = monotonic
  private readonly views = new LatestValue<View>({ kind: 'unknown' })
  private readonly listeners = new Listeners<ElectionEvents>(() => this.check())
  private readonly metadata = new Map<NodeId, Json>()
  private readonly scope: LeadScope<TermOf<S>>
  private readonly takeovers: TakeoverRequests
  private readonly successors: SuccessorChoice
  private readonly release: LeadershipRelease
  private held: HeldTerm | null = null
  private lastTerm = 0
  private viewChangedAt = Date.now()
  private lastWarning = ''
  private closing: Promise<void> | null = null
  private readonly closed = new AbortController()

  constructor(options: ResolvedOptions, transport: Transport, store: Store) {
    this.options = options
    const tokens = options.fenced === null ? null : new TokenStore(store)
    this.config = hostConfigOf(
      options,
      transport,
      tokens ?? store,
      this.clock,
      async (visitor, question) => answerVisitor(this, visitor, question),
    )
    this.host = new Host(this.config, this.hostEvents())
    this.fencing = tokens === null ? null : this.fencingWith(tokens)
    this.successors = new SuccessorChoice(options, this.host, this.clock)
    this.metadata.set(options.me, options.metadata)
    this.scope = new LeadScope({
      check: () => this.check(),
      stepDown: async (given, ranMs) => this.release.afterFailure(given, ranMs),
      warn: (error) => this.warn(error),
    })
    this.release = new LeadershipRelease(options, this.host, this.scope, this.successors, {
      endTerm: (reason, detail) => {
        this.endTerm(reason, detail)
        this.fencing?.leave()
        this.show()
      },
      released: () => this.stateChanged(null), // the member may have been elected meanwhile
    })
    this.takeovers = new TakeoverRequests(options, this.host, async (to) => this.stepDown(to))
  }

  async open(): Promise<this> {
    await this.options.fenced?.engine.load()
    await this.host.open()
    this.fencing?.open()
    this.takeovers.start()
    void this.warmUp()
    return this
  }

  private async warmUp(): Promise<void> {
    const { signal } = this.closed
    await warmUpOnceLed(this.config, this.views.watch(signal), signal)
    this.successors.strongest()
    JSON.stringify(this.viewNow())
  }

  get id(): string {
    return this.options.id
  }

  /** Where this member listens. */
  get address(): string {
    return this.host.address
  }

  /** Who leads, as far as this member knows. */
  get view(): View {
    return this.views.value
  }

  /** The latest term that this member accepted, its own or another's. */
  get term(): number {
    return this.fencing?.token ?? this.host.state.term
  }

  /** A term as people see it: `1·e` is the first that e leads. A token of an engine is a plain number. */
  termText(term: number): string {
    const { algorithm, names, safety } = this.options
    return safety === 'fenced' ? String(term) : termWriter(algorithm, (id) => names[id])(term)
  }

  /** The term that this member holds, or null. */
  get current(): TermOf<S> | null {
    this.check()
    return this.held as TermOf<S> | null
  }

  /**
   * Until when no other member leads, on the monotonic clock, while this member leads or drains; else 0.
   * @internal
   */
  get leadsUntil(): number {
    this.check()
    const { host, fencing } = this
    if (host.state.leader !== this.options.me || !host.takesPart) return 0
    return this.held === null
      ? host.deadline
      : Math.min(host.deadline, fencing?.deadline ?? Infinity)
  }

  /**
   * Runs `work` for each term that this member wins, one at a time. Resolves when the election is closed.
   * The signal is aborted when the term ends; leadership is given up only when the work has stopped, or
   * when its drain has passed.
   */
  async lead(work: (term: TermOf<S>) => unknown, options: LeadOptions = {}): Promise<void> {
    const drainMs =
      options.drain === undefined ? this.options.drainMs : durationMs(options.drain, 'drain')
    const done = this.scope.use(work, drainMs, options.onError ?? 'step-down')
    if (this.held !== null) this.scope.enter(this.held as unknown as TermOf<S>)
    await done
  }

  /** The current view first, then each change; a slow reader misses the views that were superseded. */
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
   * Ends the term, waits until the work has stopped, then lets another member lead. The work itself may call it,
   * but must not await it: each would wait for the other, until the drain has passed.
   */
  async stepDown(options: StepDownOptions = {}): Promise<void> {
    this.check()
    if (this.held === null) {
      throw new StepDownError('not-leader', `${this.id} does not lead: ask the leader to step down`)
    }
    const { successors } = this
    const successor =
      options.to === undefined ? successors.strongest() : successors.named(options.to)
    await this.release.run('stepped-down', successor, options)
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
    return statusOf(this, this.host, this.fencing, this.viewChangedAt)
  }

  /** Counters for metrics. */
  get counters(): Readonly<Record<string, number>> {
    return this.host.counters
  }

  // Events of the layers below.

  private hostEvents(): HostEvents {
    const { names, metadata } = this.options
    return {
      changed: (cause) => this.stateChanged(cause),
      renewed: (untilMs) => {
        const { term } = this.host.state
        if (this.fencing === null) this.listeners.emit('renewed', { term, untilMs })
      },
      verdictChanged: (peer, state) => this.listeners.emit('peer', { peer: names[peer], state }),
      rejected: (peer, field, detail) =>
        this.listeners.emit('refused', { peer: names[peer], field, detail }),
      connected: (peer) => {
        if (metadata !== null) this.host.send(peer, { part: 'metadata', metadata })
        this.fencing?.connected(peer)
      },
      received: (peer, frame) => {
        if (frame.part === 'metadata') {
          this.metadata.set(peer, frame.metadata)
          if (this.host.state.leader === peer) this.show()
        } else if (this.fencing?.received(peer, frame.message) !== true) {
          const leads = this.held !== null && !this.release.isRunning
          this.takeovers.received(peer, frame.message, leads)
        }
      },
      failed: (error) => this.warn(error),
      slowStore: (error) => this.warn(error),
    }
  }

  private fencingWith(store: TokenStore): Fencing {
    const { options, host, clock } = this
    return new Fencing(fencingConfigOf(options, options.fenced!, store, clock), {
      granted: (token) => {
        if (!this.mayLead) return this.fencing?.leave()
        this.beginTerm(token)
        this.show()
      },
      revoked: (reason) => {
        this.endTerm(reason)
        this.show()
      },
      renewed: (until) => {
        const untilMs = Math.min(until, host.deadline)
        if (this.held !== null) this.listeners.emit('renewed', { term: this.held.number, untilMs })
      },
      holderChanged: () => this.show(),
      failed: (error) => this.warn(error),
      send: (peer, message) => host.send(peer, { part: 'host', message }),
      inquire: async (peer) => host.inquire(peer),
      leader: () => host.state.leader,
      standAside: (successor) => host.resign(successor, Infinity),
      rejoin: () => {
        if (!host.takesPart && this.closing === null) host.restart(0)
      },
    })
  }

  /** Without a fence the algorithm decides who leads; with one it decides who asks the engine. */
  private stateChanged(cause: StepCause | null): void {
    const { host, fencing } = this
    const { leader, term } = host.state
    const leads = leader === this.options.me && host.takesPart
    if (!leads || (fencing === null && this.held?.number !== term)) {
      this.endTerm(this.lossReason(cause))
    }
    if (!leads) fencing?.leave()
    else if (this.mayLead) {
      if (fencing !== null) fencing.stand()
      else if (term > this.lastTerm) this.beginTerm(term)
    }
    this.show()
  }

  /** An error that only the user can mend: an event, or once a warning of the process. */
  private warn(error: Error): void {
    this.listeners.emit('error', error)
    if (this.listeners.has('error') || error.message === this.lastWarning) return
    this.lastWarning = error.message
    process.emitWarning(error)
  }

  // Terms.

  private get mayLead(): boolean {
    return this.closing === null && !this.release.isRunning
  }

  private beginTerm(number: number): void {
    this.lastTerm = number
    const term = new HeldTerm({
      group: this.options.groupName,
      number,
      text: this.termText(number),
      fenced: this.options.safety !== 'advisory',
      clock: this.clock,
      deadline: () => Math.min(this.host.deadline, this.fencing?.deadline ?? Infinity),
      check: () => this.check(),
    })
    this.held = term
    this.listeners.emit('elected', { term: number })
    this.scope.enter(term as unknown as TermOf<S>)
  }

  /** Lets overdue deadlines act before any code of the user runs. */
  private check(): void {
    this.host.check()
    this.fencing?.check()
  }

  /** Aborts the signal first, then reports. */
  private endTerm(reason: LostReason, detail?: string): void {
    const term = this.held
    if (term === null) return
    this.held = null
    const atMs = this.clock.now()
    term.end(reason)
    this.listeners.emit('lost', { term: term.number, reason, detail, atMs })
  }

  private lossReason(cause: StepCause | null): LostReason {
    const { me, leaseMs } = this.options
    if (cause === null) return this.host.state.leader === me ? 'expired' : 'deposed'
    if (cause.kind === 'failure') return 'stepped-down'
    if (cause.kind === 'stall' || cause.lateMs > leaseMs / 8) return 'paused'
    return this.successors.hearsMajority() ? 'expired' : 'quorum-lost'
  }

  private async leave(drainMs: number | undefined): Promise<void> {
    this.takeovers.stop()
    this.closed.abort()
    if (this.held !== null || this.release.isRunning) {
      const options = drainMs === undefined ? {} : { drain: drainMs }
      const released = this.release.run('closed', this.successors.strongest(), options)
      this.release.close()
      await released
      await this.succession()
    } else await this.scope.settled(drainMs)
    // An engine that cannot be closed in order does not keep the member from leaving.
    await this.fencing?.close().catch((error: unknown) => this.warn(error as Error))
    await this.host.close()
    this.views.set({ kind: 'unknown' })
    this.views.close()
    this.scope.close()
    await sleep(0) // listeners of the last events run first
    this.listeners.clear()
  }

  /** Waits a limited time until the next leader is known, and a moment for the peers to learn it before this member leaves. */
  private async succession(): Promise<void> {
    const { messageMs } = this.options.group.timing
    const limit = AbortSignal.timeout(Math.ceil(messageMs))
    for await (const view of this.views.watch(limit)) {
      if (view.kind === 'unknown') return
      if (view.kind === 'leader' && !view.me) return sleep(Math.min(messageMs, MOMENT_MS))
    }
  }

  // Views.

  private show(): void {
    const view = this.viewNow()
    if (JSON.stringify(view) === JSON.stringify(this.views.value)) return
    this.viewChangedAt = Date.now()
    this.views.set(view)
    this.listeners.emit('leader', view)
  }

  private viewNow(): View {
    const { names, addresses, me } = this.options
    const { leader } = this.host.state
    if (!this.host.takesPart) return { kind: 'unknown' }
    if (leader === NONE) return { kind: 'none' }
    if (leader === me && this.held === null) return { kind: 'none' }
    // An elected member leads from the moment at which it has its token.
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
