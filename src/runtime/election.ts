/**
 * A member's election, behind the handle of handle.ts: who leads, the user's work while this member leads, events,
 * stepping down, status and closing; it connects host, fencing and work.
 */
import { monotonic, type Clock } from '../clock/monotonic.ts'
import { setTimeout } from '../clock/native-timers.ts'
import { sleep } from '../clock/sleep.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { termWriter } from '../core/algorithm.ts'
import type { Json } from '../core/schema.ts'
import type { Store } from '../stores/store.ts'
import { noMesh } from '../transports/none.ts'
import type { Transport } from '../transports/transport.ts'
import type { LeaderView, View } from './election-events.ts'
import { ElectionClosedError, StepDownError, WorkFailedError } from './errors.ts'
import { Candidate } from './fencing/candidate.ts'
import { fencingConfigOf, type Arbiter, type FencingEvents } from './fencing/fencing-config.ts'
import { Fencing } from './fencing/fencing.ts'
import { TokenStore } from './fencing/token-store.ts'
import { hostConfigOf, type HostConfig, type HostEvents } from './host/host-config.ts'
import { Host } from './host/host.ts'
import { keepTypeFeedback } from './host/type-feedback.ts'
import { warmUpOnceLed } from './host/warm-up.ts'
import type { StepCause } from './host/step-queue.ts'
import type { ConfigureOptions, Election, TermOf } from './handle.ts'
import { statusOf, type MemberStatus } from './http/status.ts'
import { LatestValue } from './latest-value.ts'
import type { LeadOptions } from './lead-scope.ts'
import { LeadScopes } from './lead-scopes.ts'
import { Listeners } from './listeners.ts'
import { readChange } from './membership/asked-change.ts'
import type { GroupChange } from './membership/changed-configuration.ts'
import { awaitedFounders, foundingText } from './membership/founding-wait.ts'
import { writeConfiguration } from './membership/group-configuration.ts'
import { memberList, type MemberEntry } from './membership/member-list.ts'
import { Membership } from './membership/membership.ts'
import { isUsable } from './membership/received-configuration.ts'
import type { ChangeOptions } from './membership/register.ts'
import {
  CHANGE,
  checkCall,
  checkFunction,
  CLOSE,
  CONFIGURE,
  LEAD,
  PROMOTE,
  STEP_DOWN,
  WAIT,
} from './options/call-options.ts'
import { MEMBER, MEMBER_CHANGE } from './options/members-option.ts'
import { checkOptionTable, wrong, type Duration } from './options/option-kinds.ts'
import type { MemberOptions, Safety } from './options/option-table.ts'
import type { ResolvedOptions } from './options/resolve-options.ts'
import { changesBetween } from './options/shared-options.ts'
import { LeadershipRelease, type StepDownOptions } from './release-leadership.ts'
import { SuccessorChoice } from './successor-choice.ts'
import { TakeoverRequests } from './takeover-requests.ts'
import { HeldTerm, type LostReason } from './term.ts'
import { abortable, firstOf, type WaitOptions } from './waiting.ts'
import { answerVisitor } from './visitors.ts'

/** Longer than members that are up take to learn who leads. */
const MOMENT_MS = 20
/** Longer than the members of a group usually take to start, one after the other. */
const FOUNDING_MS = 5000

/** What a member begins with beside its options. */
export interface Start {
  /** The options under a configuration of the group, in the text of its register. Throws where they cannot be used. */
  readonly resolve: (data: string) => ResolvedOptions
  /** The key of its state, where it joined a running group; or empty. */
  readonly key: string
}

export class MemberElection<S extends Safety = Safety, M extends Json = Json>
  extends Listeners
  implements Election<S, M>
{
  private readonly options: ResolvedOptions
  private readonly config: HostConfig
  private readonly host: Host
  /** With `fenced`: an elected member leads only with a token, which is the number of its term. */
  private readonly fencing: Arbiter | null
  private readonly membership: Membership
  private readonly clock: Clock = monotonic
  private readonly views = new LatestValue<View<M>>({ kind: 'unknown' })
  private readonly metadata = new Map<NodeId, Json>()
  private readonly scopes: LeadScopes<TermOf<S>>
  private readonly takeovers: TakeoverRequests
  private readonly successors: SuccessorChoice
  private readonly release: LeadershipRelease
  private held: HeldTerm | null = null
  private lastTerm = 0
  private viewChangedAt = Date.now()
  private lastWarning = ''
  private foundingWarning: NodeJS.Timeout | undefined
  /** The options that all members share, before the last change. */
  private lastShared: ResolvedOptions['shared']
  private closing: Promise<void> | null = null
  private hasLeft = false
  private readonly closed = new AbortController()
  /** Called when this member has left. */
  left: () => void = () => undefined

  constructor(
    options: ResolvedOptions,
    transport: Transport,
    store: Store,
    { resolve, key }: Start,
  ) {
    super({ group: options.groupName, id: options.id }, () => this.check())
    this.options = options
    this.lastShared = options.shared
    const tokens = options.fenced === null ? null : new TokenStore(store)
    this.config = hostConfigOf(options, {
      transport: options.engineOnly ? noMesh : transport,
      store: tokens ?? store,
      clock: this.clock,
      key,
      adopt: (data) => {
        const { configuration } = options
        if (configuration !== null && writeConfiguration(configuration) === data) return false
        const next = resolve(data)
        if (next.fixedHash !== options.fixedHash) wrong('configuration', 'is of another group')
        Object.assign(options, next)
        return true
      },
      accepts: (content) => isUsable(content, resolve, options.fixedHash),
      mayRest: () => !this.isHeard('renewed'),
      answer: async (visitor, question) =>
        answerVisitor(this, { options, stamp: this.host.configuration }, visitor, question),
    })
    this.host = new Host(this.config, this.hostEvents())
    this.beforeListener('renewed', () => this.host.woken())
    this.membership = new Membership(options, this.host, transport, {
      check: (data) => void resolve(data),
      removed: () => this.report('removed', { leader: null }),
      leadership: () => this.held?.number ?? null,
    })
    this.fencing = tokens === null ? null : this.arbiterWith(tokens)
    this.successors = new SuccessorChoice(options, this.host, this.clock)
    this.metadata.set(options.me, options.metadata)
    this.scopes = new LeadScopes({
      check: () => this.check(),
      stepDown: async (given, ranMs) => this.release.afterFailure(given, ranMs),
      warn: (error) => this.warn(error),
    })
    this.release = new LeadershipRelease(options, this.host, this.scopes, this.successors, {
      endTerm: (reason, detail) => {
        this.endTerm(reason, detail)
        // Without a mesh nothing but the record keeps others from leading while the work stops: it is held until then.
        if (!options.engineOnly) this.fencing?.leave()
        this.show()
      },
      released: () => this.stateChanged(null), // the member may have been elected meanwhile
    })
    this.takeovers = new TakeoverRequests(options, this.host, async (to) => this.stepDown(to))
  }

  async open(): Promise<this> {
    await this.options.fenced?.engine.load()
    const endFeedback = keepTypeFeedback()
    try {
      await this.host.open()
    } catch (error) {
      endFeedback()
      throw error
    }
    this.fencing?.open()
    this.takeovers.start()
    this.membership.reconfigured() // it may have been removed before
    void this.membership.announceAddress((error) => this.warn(error))
    void this.warmUp().finally(endFeedback)
    return this
  }

  private async warmUp(): Promise<void> {
    const { signal } = this.closed
    await warmUpOnceLed(this.config, this.views.watch(signal), signal)
    this.successors.strongest()
    JSON.stringify(this.viewNow())
  }

  get group(): string {
    return this.options.groupName
  }

  get id(): string {
    return this.options.id
  }

  get address(): string {
    return this.host.address
  }

  get view(): View<M> {
    return this.views.value
  }

  get term(): number {
    return this.fencing?.token ?? this.host.state.term
  }

  termText(term: number): string {
    const { algorithm, names, safety } = this.options
    return safety === 'fenced'
      ? String(term)
      : termWriter(algorithm, (id) => names[id] || `#${id}`)(term)
  }

  get current(): TermOf<S> | null {
    this.check()
    return this.held as TermOf<S> | null
  }

  get leadsUntil(): number {
    this.check()
    const { host, fencing } = this
    const { me, engineOnly } = this.options
    if (host.state.leader !== me || !host.takesPart) return 0
    if (engineOnly) return Math.max(0, fencing!.deadline)
    return this.held === null
      ? host.deadline
      : Math.min(host.deadline, fencing?.deadline ?? Infinity)
  }

  async ready(options?: WaitOptions): Promise<LeaderView<M>> {
    const leaderOf = (view: View<M>) => (view.kind === 'leader' ? view : null)
    const { signal } = checkCall(WAIT, options)
    return firstOf(this.views, leaderOf, () => new ElectionClosedError(this.id), signal)
  }

  async whenLeading(options?: WaitOptions): Promise<TermOf<S>> {
    const { signal } = checkCall(WAIT, options)
    const termOf = () => this.current
    return firstOf(this.views, termOf, () => new ElectionClosedError(this.id), signal)
  }

  async lead(work: (term: TermOf<S>) => unknown, options?: LeadOptions): Promise<void> {
    checkFunction(work, 'work')
    const {
      drain: drainMs = this.options.drainMs,
      onError = 'step-down',
      signal,
    } = checkCall(LEAD, options)
    signal?.throwIfAborted()
    const scope = this.scopes.add({ run: work, drainMs, onError })
    const cancel = (): void => void scope.cancel(signal?.reason)
    signal?.addEventListener('abort', cancel, { once: true })
    if (this.held !== null) scope.enter(this.held as unknown as TermOf<S>)
    try {
      await scope.done
    } finally {
      signal?.removeEventListener('abort', cancel)
      this.scopes.remove(scope)
    }
  }

  watch(options?: WaitOptions): AsyncGenerator<View<M>, void, void> {
    return this.views.watch(checkCall(WAIT, options).signal)
  }

  async stepDown(given?: StepDownOptions): Promise<void> {
    const options = checkCall(STEP_DOWN, given)
    options.signal?.throwIfAborted()
    this.refuseAfterClose()
    this.check()
    if (this.held === null) {
      throw new StepDownError('not-leader', `${this.id} does not lead: ask the leader to step down`)
    }
    const { successors } = this
    const successor =
      options.to === undefined ? successors.strongest() : successors.named(options.to)
    await abortable(this.release.run('stepped-down', successor, options), options.signal)
  }

  async close(options?: { readonly drain?: Duration }): Promise<void> {
    const { drain: drainMs } = checkCall(CLOSE, options)
    this.closing ??= this.leave(drainMs)
    await this.closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async add(id: string, member: string | MemberOptions): Promise<void> {
    const given = typeof member === 'string' ? { address: member } : member
    const { address, priority, lead } = checkCall(MEMBER, given, 'member')
    if (!lead) wrong('lead', 'say so when it is promoted: promote(id, { lead: false })')
    await this.change({ add: id, address, priority })
  }

  async promote(id: string, options?: { readonly lead?: boolean }): Promise<void> {
    const { lead = true } = checkCall(PROMOTE, options)
    await this.change({ promote: id, lead })
  }

  async remove(id: string): Promise<void> {
    await this.change({ remove: id })
  }

  async configure(options: ConfigureOptions): Promise<void> {
    const { timing, members = {} } = checkOptionTable(CONFIGURE, options)
    const changes = [
      ...(timing === undefined ? [] : [readChange({ timing })]),
      ...Object.entries(members).map(([member, values]) =>
        readChange({ member, ...checkCall(MEMBER_CHANGE, values, `members.${member}`) }),
      ),
    ]
    if (changes.length === 0) wrong('options', 'give timing or members')
    for (const change of changes) await this.change(change)
  }

  async change(change: GroupChange, options?: ChangeOptions): Promise<void> {
    const [asked, how] = [readChange(change), checkCall(CHANGE, options)]
    this.refuseAfterClose()
    await this.membership.change(asked, how)
  }

  get members(): readonly MemberEntry[] {
    return memberList(this.options, this.host)
  }

  status(): MemberStatus {
    return statusOf(this, this.options, this.host, this.fencing, this.viewChangedAt)
  }

  get counters(): Readonly<Record<string, number>> {
    return this.host.counters
  }

  // Events of the layers below.

  private hostEvents(): HostEvents {
    const { metadata } = this.options
    const nameOf = (peer: NodeId): string => this.options.names[peer]
    return {
      reconfigured: () => this.reconfigured(),
      changed: (cause) => this.stateChanged(cause),
      renewed: (untilMs) => {
        const { term } = this.host.state
        if (this.fencing === null) this.report('renewed', { term, untilMs })
      },
      verdictChanged: (peer, state) => {
        const reason = state === 'down' ? this.host.peerState(peer).trouble : undefined
        this.report('peer', { peer: nameOf(peer), state, reason })
      },
      unreachable: (peer, reason) => this.unreachable(nameOf(peer), reason),
      rejected: (peer, field, detail) => {
        this.report('refused', { peer: nameOf(peer), field, detail })
        this.membership.rejectedBy(peer, field)
      },
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
      warned: (error) => this.warn(error),
    }
  }

  private arbiterWith(store: TokenStore): Arbiter {
    const { options, clock } = this
    const config = fencingConfigOf(options, options.fenced!, store, clock)
    const events = this.fencingEvents()
    return options.engineOnly ? new Candidate(config, events) : new Fencing(config, events)
  }

  private fencingEvents(): FencingEvents {
    const { host } = this
    return {
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
        if (this.held !== null) this.report('renewed', { term: this.held.number, untilMs })
      },
      holderChanged: () => this.show(),
      failed: (error) => this.warn(error),
      send: (peer, message) => host.send(peer, { part: 'host', message }),
      inquire: async (peer) => host.inquire(peer),
      leader: () => host.state.leader,
      standAside: (successor) => host.resign(successor, Infinity),
      rejoin: () => {
        if (!host.takesPart && this.closing === null && !this.membership.isRemoved) host.restart(0)
      },
    }
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

  private reconfigured(): void {
    const { shared } = this.options
    const changes = changesBetween(this.lastShared, shared)
    this.lastShared = shared
    this.report('reconfigured', { members: this.members, changes })
    this.membership.reconfigured()
    this.show()
  }

  /** At the first start of a group, it says what the group waits for: by a warning where nobody listens. */
  private unreachable(peer: string, reason: string): void {
    const awaited = awaitedFounders(this.options, this.host)
    const waits = awaited.includes(peer) ? `; ${foundingText([peer])}` : ''
    this.report('unreachable', { peer, reason: `${reason}${waits}` })
    if (waits === '' || this.isHeard('unreachable')) return
    this.foundingWarning ??= setTimeout(() => {
      const names = awaitedFounders(this.options, this.host)
      if (this.closing !== null || names.length === 0 || this.isHeard('unreachable')) return
      process.emitWarning(`${this.id} ${foundingText(names)}`)
    }, FOUNDING_MS).unref()
  }

  /** An error that only the user can mend: an event, or else a warning of the process, once for each of a row. */
  private warn(error: Error): void {
    this.report('error', error)
    if (this.handles('error')) return
    if (error.message === this.lastWarning && !(error instanceof WorkFailedError)) return
    this.lastWarning = error.message
    process.emitWarning(error)
  }

  private refuseAfterClose(): void {
    if (this.closing !== null) throw new ElectionClosedError(this.id)
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
    this.report('elected', { term: number })
    this.scopes.enter(term as unknown as TermOf<S>)
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
    this.report('lost', { term: term.number, reason, detail, atMs })
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
    this.membership.close()
    this.closed.abort()
    if (this.held !== null || this.release.isRunning) {
      const options = drainMs === undefined ? {} : { drain: drainMs }
      const released = this.release.run('closed', this.successors.strongest(), options)
      this.release.close()
      await released
      await this.succession()
    } else await this.scopes.settled(drainMs)
    // An engine that cannot be closed in order does not keep the member from leaving.
    await this.fencing?.close().catch((error: unknown) => this.warn(error as Error))
    this.hasLeft = true
    await this.host.close()
    this.views.set({ kind: 'unknown' })
    this.views.close()
    this.scopes.close()
    await sleep(0) // listeners of the last events run first
    this.removeAllListeners()
    this.left()
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
    // A member that has left says no more about who leads.
    if (!this.hasLeft) this.report('leader', view)
  }

  private viewNow(): View<M> {
    const { names, addresses, me } = this.options
    const { leader } = this.host.state
    if (this.fencing instanceof Candidate) return this.viewOf(this.fencing)
    if (!this.host.takesPart) return { kind: 'unknown' }
    if (leader === NONE) return { kind: 'none' }
    if (leader === me && this.held === null) return { kind: 'none' }
    // An elected member leads from the moment at which it has its token.
    if (this.fencing !== null && this.fencing.holder !== names[leader]) return { kind: 'none' }
    return {
      kind: 'leader',
      leader: names[leader],
      term: this.term,
      me: leader === me,
      address: addresses.get(names[leader])!,
      metadata: (this.metadata.get(leader) ?? null) as M | null,
    }
  }

  /** As the record in the engine says. */
  private viewOf({ isInformed, holder, metadata, token }: Candidate): View<M> {
    if (!isInformed) return { kind: 'unknown' }
    const me = this.held !== null
    if (holder === '' || (holder === this.id && !me)) return { kind: 'none' }
    const term = this.held?.number ?? token
    return {
      kind: 'leader',
      leader: holder,
      term,
      me,
      address: '',
      metadata: metadata as M | null,
    }
  }
}
