/**
 * Runs an algorithm and a detector for one member, on real time and real links. It knows the contract and
 * no algorithm by name.
 *
 * One step at a time, in the order in which things happened: a frame, a time-out, a verdict. Stable
 * fields are durable before anybody else can know: before a message leaves, and before this member leads.
 * An overdue deadline goes before everything else.
 */
import { randomInt } from 'node:crypto'
import {
  handlersOf,
  type Algorithm,
  type AnyHandlers,
  type AnyMessage,
  type AnyState,
  type OptionValues,
  type Out,
} from '../core/algorithm.ts'
import { detectorHandlersOf, type Detector, type Evidence } from '../core/detector.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { CodecError, type Json, type MemberCodec } from '../core/schema.ts'
import type { Store } from '../stores/store.ts'
import type {
  Endpoint,
  Identity,
  LinkEvents,
  LinkLoss,
  Peer,
  Transport,
} from '../transports/transport.ts'
import { Alarms } from './alarms.ts'
import type { Cancel, Clock } from './clock.ts'
import { DetectorHost } from './detector-host.ts'
import { Gathering } from './gathering.ts'
import { Leaps } from './leaps.ts'
import { namedMembers, revive } from './revive.ts'
import { Wire, type Frame, type HostMessage } from './wire.ts'

export interface HostConfig {
  readonly algorithm: Algorithm
  readonly options: OptionValues
  readonly detector: Detector
  readonly group: Group
  readonly me: NodeId
  /** The name of each member, by its NodeId; the first is nobody's. */
  readonly names: readonly string[]
  readonly identity: Omit<Identity, 'incarnation'>
  readonly listen: string
  readonly peers: readonly Peer[]
  readonly transport: Transport
  readonly store: Store
  /** A refused dial, or a handshake of a later life, proves the earlier life over. */
  readonly trustRefusals: boolean
  /** A leader without a lease that did nothing for longer than this has been replaced: it starts again. */
  readonly longestStallMs: number
  readonly clock: Clock
}

/** How the running step began, where that explains what changed. */
export type Cause = 'deadline' | 'stall' | 'failure' | null

export interface HostEvents {
  /** What the member exposes (status, leader, term) has changed. */
  changed(): void
  /** The deadline has moved on: a majority answered. */
  renewed(deadline: number): void
  /** The detector's opinion of a peer has changed. */
  verdict(peer: NodeId, verdict: 'up' | 'down'): void
  connected(peer: NodeId): void
  /** A peer and this member turn each other away in the handshake, because of this field. */
  misfit(peer: NodeId, field: string, detail: string): void
  about(peer: NodeId, metadata: Json): void
  asked(peer: NodeId, message: HostMessage): void
  /** It cannot go on as it is: it takes no part until it was started again. */
  failed(error: Error): void
}

/** All options of the algorithm, as given or by default. */
function optionsOf({ algorithm, options }: HostConfig): OptionValues {
  const defaults = Object.entries(algorithm.options).map(([name, option]) => [name, option.default])
  return { ...(Object.fromEntries(defaults) as OptionValues), ...options }
}

type Phase = 'off' | 'silent' | 'on'

export class Host implements Out<AnyMessage>, LinkEvents {
  readonly me: NodeId
  readonly config: HostConfig
  readonly counters = { malformed: 0, steps: 0, frames: 0 }
  state: AnyState
  incarnation = 0
  private phase: Phase = 'off'
  private readonly events: HostEvents
  private readonly handlers: AnyHandlers
  private readonly canResign: boolean
  private readonly deadlines: readonly string[]
  private readonly detector: DetectorHost
  private readonly wire: Wire
  private readonly leaps: Leaps
  private readonly disk: MemberCodec
  private readonly alarms: Alarms<string>
  private readonly idOf: ReadonlyMap<string, NodeId>
  private endpoint: Endpoint | null = null
  private durable: AnyState
  private shown = { status: '', leader: NONE, term: -1 }
  /** Why the step that runs is run, and how late it is. */
  cause: Cause = null
  lateMs = 0
  private progressAt = 0
  private deadlineShown = Infinity
  private leadsWithoutLease = false
  private cancelPulse: Cancel | null = null
  private readonly queue: (() => void)[] = []
  private busy = false
  /** When the step that runs began. */
  now = 0
  private readonly outbox: { readonly peer: NodeId; readonly frame: Frame }[] = []
  private savesSoon = false
  private serial = 0
  private readonly requests = new Map<NodeId, number>()
  private readonly watches = new Set<NodeId>()
  /** Peers that said they leave, and were not heard since. */
  private readonly departed = new Set<NodeId>()
  private readonly lives = new Map<NodeId, number>()
  /** Why a peer and I turn each other away. */
  private readonly misfits = new Map<NodeId, string>()
  private readonly verdicts = new Map<NodeId, 'up' | 'down'>()
  /** Questions about peers that are not the algorithm's. */
  private readonly inquiries = new Map<NodeId, ((verdict: 'up' | 'down') => void)[]>()
  private readonly doubtedAt = new Map<NodeId, number>()
  private readonly heardAt = new Map<NodeId, number>()
  /** When a frame left to which none has come back; and how long that last took. */
  private readonly sentAt = new Map<NodeId, number>()
  private readonly roundTrips = new Map<NodeId, number>()
  private readonly linked = new Set<NodeId>()
  private cancelBoot: Cancel = () => undefined
  private gathering!: Gathering

  constructor(config: HostConfig, events: HostEvents) {
    const { algorithm, group, me, names, clock } = config
    this.config = config
    this.events = events
    this.me = me
    this.handlers = handlersOf(algorithm, group, config.options)
    this.canResign = 'resign' in algorithm.handlers(group, optionsOf(config))
    this.deadlines = Object.entries(algorithm.timers).flatMap(([name, timer]) =>
      timer.kind === 'period' && timer.deadline === true ? [name] : [],
    )
    this.detector = new DetectorHost(
      config.detector,
      detectorHandlersOf(config.detector, group),
      this,
    )
    this.leaps = new Leaps(algorithm.messages)
    this.wire = new Wire(group.members, algorithm.messages, config.detector.messages)
    this.idOf = new Map(names.flatMap((name, id) => (id === NONE ? [] : [[name, id]])))
    this.disk = namedMembers(names)
    this.alarms = new Alarms(clock, (timer) => this.step(() => this.rang(timer)))
    this.state = algorithm.state.init() as AnyState
    this.durable = this.state
  }

  /** Begins a life: reads what survived, listens, and starts. Throws StoreError and what `listen` throws. */
  async open(): Promise<void> {
    const { config } = this
    const stored = config.store.read()
    this.incarnation = (stored?.incarnation ?? 0) + 1
    if (stored !== null) {
      this.state = revive(stored, config.algorithm, this.disk, config.store)
    }
    this.save()
    const identity = { ...config.identity, incarnation: this.incarnation }
    this.endpoint = await config.transport.listen(identity, config.listen, config.peers, this)
    // Whoever waits for this subscribes first: a member that is alone wins at once.
    this.cancelBoot = this.clock.after(0, () => this.step(() => this.boot(stored !== null)))
  }

  get address(): string {
    return this.endpoint?.address ?? this.config.listen
  }

  get takesPart(): boolean {
    return this.phase === 'on'
  }

  get transportCounters(): Readonly<Record<string, number>> {
    return this.endpoint?.counters ?? {}
  }

  /** Until when this member may lead, on the monotonic clock: Infinity where the algorithm has no lease. */
  get deadline(): number {
    let earliest = Infinity
    for (const name of this.deadlines) earliest = Math.min(earliest, this.alarms.dueOf(name))
    return earliest
  }

  opinionOf(peer: NodeId): 'up' | 'down' | 'unknown' {
    return this.verdicts.get(peer) ?? 'unknown'
  }

  /** Asks the detector about a peer, for whoever runs this host. While it takes no part, all are down. */
  async inquire(peer: NodeId): Promise<'up' | 'down'> {
    return new Promise((resolve) => {
      this.step(() => {
        if (this.phase !== 'on' || this.departed.has(peer)) return resolve('down')
        this.inquiries.set(peer, [...(this.inquiries.get(peer) ?? []), resolve])
        this.doubt(peer)
        this.detector.request(peer)
      })
    })
  }

  /** When a frame of the peer last came; undefined: never. */
  lastHeard(peer: NodeId): number | undefined {
    return this.heardAt.get(peer)
  }

  /** Milliseconds from a frame of mine to the next one of the peer, when last it was quick. */
  roundTrip(peer: NodeId): number | undefined {
    return this.roundTrips.get(peer)
  }

  /** Lets an overdue deadline act now. Whoever calls a user's code calls this first. */
  check(): void {
    if (this.state.leader !== this.me || this.busy) return
    const now = this.clock.now()
    if (this.isStalled(now) || this.overdueAt(now) !== undefined) this.step(() => undefined)
    else this.progressAt = now
  }

  /** Gives leadership up. Where the algorithm has no words for it, this life ends: see `retire`. */
  resign(successor: NodeId, coolOffMs: number): void {
    this.step(() => {
      if (this.phase !== 'on') return
      if (this.canResign) this.handlers.resign(this.state, successor, this)
      if (this.state.leader === this.me || !this.canResign) this.end(successor, coolOffMs)
    })
  }

  /** Ends this life as a crash would, and begins another after `coolOffMs`: a crash is always allowed. */
  restart(coolOffMs: number): void {
    this.step(() => this.end(null, coolOffMs))
  }

  tell(peer: NodeId, message: HostMessage): void {
    this.step(() => this.outbox.push({ peer, frame: { part: 'host', message } }))
  }

  introduce(peer: NodeId, metadata: Json): void {
    this.step(() => this.outbox.push({ peer, frame: { part: 'about', metadata } }))
  }

  /** Leaves for good. */
  async close(): Promise<void> {
    this.step(() => this.end(NONE, Infinity))
    await this.endpoint?.close()
    this.config.store.close()
  }

  // What the algorithm asks for.

  send(peer: NodeId, message: AnyMessage): void {
    this.outbox.push({ peer, frame: { part: 'election', message } })
  }

  set(timer: string, minMs: number, maxMs = minMs): void {
    this.alarms.set(timer, this.now, minMs, maxMs)
  }

  clear(timer: string): void {
    this.alarms.clear(timer)
  }

  request(peer: NodeId): void {
    this.requests.set(peer, ++this.serial)
    this.doubt(peer)
    if (this.departed.has(peer)) this.spoken(peer, 'down')
    else this.detector.request(peer)
  }

  watch(peer: NodeId): void {
    if (this.watches.has(peer)) return
    this.watches.add(peer)
    if (this.departed.has(peer)) this.spoken(peer, 'down')
    else this.detector.watch(peer)
  }

  /** A healed link tells nobody: a peer that has been thought down for a while is dialled when it matters. */
  private doubt(peer: NodeId): void {
    if (this.verdicts.get(peer) !== 'down') return
    const { periodMs } = this.config.group.timing
    if (this.now - this.doubtedAt.get(peer)! < periodMs) return
    this.doubtedAt.set(peer, this.now)
    this.endpoint?.probe(this.config.names[peer])
  }

  unwatch(peer: NodeId): void {
    if (this.watches.delete(peer)) this.detector.unwatch(peer)
  }

  draw(name: string, n: number): void {
    const k = randomInt(n)
    this.queue.push(() => {
      if (this.phase === 'on') this.handlers.drawn(this.state, name, k, this)
    })
  }

  // What the detector asks for.

  get clock(): Clock {
    return this.config.clock
  }

  emit(peer: NodeId, message: AnyMessage): void {
    this.outbox.push({ peer, frame: { part: 'detector', message } })
  }

  /** The election hears of it in a step of its own. It counts if it answers the latest request, or ends a watch. */
  spoken(peer: NodeId, verdict: 'up' | 'down'): void {
    const serial = this.requests.get(peer)
    this.queue.push(() => {
      this.answer(peer, verdict)
      const requested = serial !== undefined && this.requests.get(peer) === serial
      const watched = verdict === 'down' && this.watches.has(peer)
      if (this.phase !== 'on' || (!requested && !watched)) return
      this.requests.delete(peer)
      this.judge(peer, verdict)
      if (verdict === 'up') return this.handlers.up(this.state, peer, this)
      this.watches.delete(peer)
      this.endpoint?.release(this.config.names[peer]) // a fresh dial finds a healed link sooner
      this.handlers.down(this.state, peer, this)
    })
  }

  private answer(peer: NodeId, verdict: 'up' | 'down'): void {
    const asked = this.inquiries.get(peer)
    if (asked === undefined) return
    this.inquiries.delete(peer)
    this.judge(peer, verdict)
    for (const resolve of asked) resolve(verdict)
  }

  // What the transport tells.

  connected(name: string, incarnation: number): void {
    const peer = this.idOf.get(name)
    if (peer === undefined) return
    this.step(() => {
      const known = this.lives.get(peer) ?? incarnation
      this.lives.set(peer, Math.max(known, incarnation))
      if (incarnation > known) this.provenDead(peer)
      this.misfits.delete(peer)
      this.evidence(peer, incarnation > known ? 'restarted' : 'connected')
      this.events.connected(peer)
      this.linked.add(peer)
      if (this.phase === 'silent') this.gather()
    })
  }

  frame(name: string, payload: Json): void {
    const from = this.idOf.get(name)
    if (from === undefined) return
    this.counters.frames += 1
    const frame = this.decode(payload)
    if (frame !== null) this.step(() => this.handle(from, frame))
  }

  lost(name: string, loss: LinkLoss): void {
    const peer = this.idOf.get(name)
    if (peer === undefined) return
    if (loss.kind === 'rejected') return this.turnedAway(peer, loss.field, loss.detail)
    this.step(() => {
      this.linked.delete(peer)
      // The detector first: else the algorithm asks it about a peer that it does not yet know to be gone.
      this.evidence(peer, loss.kind === 'refused' ? 'refused' : 'closed')
      if (loss.kind === 'refused') this.provenDead(peer)
    })
  }

  refused(): void {
    this.counters.malformed += 1
  }

  /** It lives, but we do not fit together. Told once, until it fits. */
  private turnedAway(peer: NodeId, field: string, detail: string): void {
    if (this.misfits.get(peer) === detail) return
    this.misfits.set(peer, detail)
    this.events.misfit(peer, field, detail)
  }

  // Steps.

  /** Runs to completion, after whatever came before; what it causes follows at once. */
  step(action: () => void): void {
    this.queue.push(action)
    if (this.busy) return
    this.busy = true
    try {
      while (this.queue.length > 0) {
        this.now = this.clock.now()
        this.cause = null
        this.attempt(this.urgent() ?? this.queue.shift()!)
        this.progressAt = this.now
      }
    } finally {
      this.busy = false
    }
  }

  private attempt(action: () => void): void {
    this.counters.steps += 1
    try {
      action()
      this.commit()
    } catch (error) {
      // Nothing of an unfinished step may leave. A crash is always allowed: this life is over.
      this.outbox.length = 0
      this.queue.length = 0
      this.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** What goes before all else. A follower of an algorithm without a lease has nothing such. */
  private urgent(): (() => void) | undefined {
    if (this.leadsWithoutLease && this.isStalled(this.now)) return this.stalled()
    if (this.deadlines.length === 0) return undefined
    const timer = this.overdueAt(this.now)
    return timer === undefined ? undefined : () => this.rang(timer)
  }

  /** A leader whose loop hung must do nothing more as one. With a lease, the deadline sees to it. */
  private stalled(): () => void {
    const stallMs = this.now - this.progressAt
    return () => {
      this.cause = 'stall'
      this.lateMs = stallMs
      this.end(null, 0)
    }
  }

  private isStalled(now: number): boolean {
    return this.leadsWithoutLease && now - this.progressAt > this.config.longestStallMs
  }

  private overdueAt(now: number): string | undefined {
    if (this.phase !== 'on') return undefined
    for (const name of this.deadlines) if (this.alarms.dueOf(name) <= now) return name
    return undefined
  }

  private rang(timer: string): void {
    const lateMs = this.now - this.alarms.dueOf(timer)
    if (this.phase !== 'on' || !this.alarms.take(timer, this.now)) return
    if (this.deadlines.includes(timer)) {
      this.cause = 'deadline'
      this.lateMs = lateMs
    }
    this.handlers.timeout(this.state, timer, this)
  }

  /** While I lead without a lease, shows that the loop goes round, should nothing else be due soon. */
  private pulse(): void {
    const pulseMs = this.config.longestStallMs / 2
    if (this.cancelPulse !== null) return
    if (this.alarms.nextDue <= this.now + pulseMs) return
    this.cancelPulse = this.clock.after(pulseMs, () => {
      this.cancelPulse = null
      this.step(() => undefined)
    })
  }

  private handle(from: NodeId, frame: Frame): void {
    this.heardAt.set(from, this.now)
    const sentAt = this.sentAt.get(from)
    this.sentAt.delete(from)
    if (sentAt !== undefined && this.now - sentAt < this.config.group.timing.messageMs) {
      this.roundTrips.set(from, Math.round(1000 * (this.now - sentAt)) / 1000)
    }
    if (frame.part === 'about') return this.events.about(from, frame.metadata)
    if (frame.part === 'host') {
      if (frame.message.type === 'leaving') return this.farewell(from)
      return this.events.asked(from, frame.message)
    }
    if (this.phase === 'off') return
    this.departed.delete(from)
    if (this.verdicts.get(from) === 'down') this.judge(from, 'up')
    if (frame.part === 'detector') return this.detector.message(from, frame.message)
    if (this.phase === 'silent') {
      if (this.now < this.gathering.speaksAt) return
      this.begin() // others have begun
    }
    if (this.leaps.isTooFar(frame.message, this.state.term)) return this.refused()
    this.handlers.message(this.state, from, frame.message, this)
    this.detector.heard(from)
  }

  /** It says itself that it leads and follows no longer: nobody need find out. */
  private farewell(from: NodeId): void {
    this.departed.add(from)
    if (this.phase !== 'on') return
    this.judge(from, 'down')
    this.handlers.dead(this.state, from, this)
    if (this.requests.has(from) || this.watches.has(from)) {
      this.detector.unwatch(from)
      this.spoken(from, 'down')
    }
  }

  private provenDead(peer: NodeId): void {
    if (this.phase === 'on' && this.config.trustRefusals) {
      this.handlers.dead(this.state, peer, this)
    }
  }

  private evidence(peer: NodeId, evidence: Evidence): void {
    if (this.phase !== 'off') this.detector.evidence(peer, evidence)
  }

  private judge(peer: NodeId, verdict: 'up' | 'down'): void {
    if (this.verdicts.get(peer) === verdict) return
    this.verdicts.set(peer, verdict)
    this.doubtedAt.set(peer, this.now)
    this.events.verdict(peer, verdict)
  }

  // Lives.

  /**
   * Announces itself, and reaches for its peers. One that has lived before keeps silent until the
   * announcement has arrived (B15). Who starts before the others do waits for them a little: an election
   * without them would be lost, or won by the wrong one.
   */
  private boot(recovered: boolean): void {
    const { group, names, algorithm } = this.config
    this.phase = 'silent'
    const complete = algorithm.topology === 'complete'
    this.gathering = new Gathering(group, this.now, recovered, complete)
    this.detector.begin(recovered)
    if (complete) {
      for (const peer of group.everyone) {
        if (peer !== this.me) this.endpoint?.probe(names[peer])
      }
    }
    this.gather()
  }

  private gather(): void {
    const goesAt = this.gathering.goesAt(this.now, this.linked.size + 1)
    if (goesAt <= this.now) return this.begin()
    this.cancelBoot()
    this.cancelBoot = this.clock.after(goesAt - this.now, () =>
      this.step(() => {
        if (this.phase === 'silent') this.gather()
      }),
    )
  }

  private begin(): void {
    this.cancelBoot()
    this.phase = 'on'
    this.handlers.start(this.state, this)
  }

  /** With a successor (or NONE) all peers are told; null: as if it crashed. */
  private end(successor: NodeId | null, coolOffMs: number): void {
    this.cancelBoot()
    this.cancelPulse?.()
    this.cancelPulse = null
    this.leadsWithoutLease = false
    this.phase = 'off'
    this.alarms.clearAll()
    this.detector.end()
    this.requests.clear()
    this.watches.clear()
    for (const asked of this.inquiries.values()) asked.forEach((resolve) => resolve('down'))
    this.inquiries.clear()
    this.state = this.config.algorithm.state.afterCrash(this.durable) as AnyState
    if (successor !== null) {
      const message: HostMessage = { type: 'leaving', successor }
      for (const peer of this.config.group.everyone) {
        if (peer !== this.me) this.outbox.push({ peer, frame: { part: 'host', message } })
      }
    }
    if (coolOffMs === Infinity) return
    this.cancelBoot = this.clock.after(coolOffMs, () => this.step(() => this.boot(true)))
  }

  /** How long a member that failed stays away. */
  private fail(error: Error): void {
    const { detectionMs } = this.config.group.timing
    this.cause = 'failure'
    this.end(null, detectionMs * (1 + Math.random()))
    this.show()
    this.events.failed(error)
  }

  // After a step.

  private commit(): void {
    const { state } = this.config.algorithm
    const changed = this.phase === 'on' && !state.stableEqual(this.durable, this.state)
    const sends = this.outbox.length > 0
    if (changed) {
      if (sends || this.state.leader === this.me) this.save()
      else this.saveSoon()
    }
    if (sends) this.flush()
    this.show()
  }

  /** Nobody has been told: those who only wait to hear of it are not kept waiting for the disk. */
  private saveSoon(): void {
    if (this.savesSoon) return
    this.savesSoon = true
    setImmediate(() => {
      this.savesSoon = false
      this.step(() => {
        const { state } = this.config.algorithm
        if (this.phase === 'on' && !state.stableEqual(this.durable, this.state)) this.save()
      })
    })
  }

  private save(): void {
    const { algorithm, store } = this.config
    const all = algorithm.state.toJson(this.state, this.disk)
    const stable = algorithm.state.entries.filter(({ field }) => field.stable)
    const state = Object.fromEntries(stable.map(({ name }) => [name, all[name]]))
    store.write({ incarnation: this.incarnation, algorithm: algorithm.name, state })
    this.durable = algorithm.state.copy(this.state) as AnyState
  }

  private flush(): void {
    for (const { peer, frame } of this.outbox.splice(0)) {
      if (peer === this.me) this.queue.push(() => this.handle(peer, frame))
      else {
        this.sentAt.set(peer, this.now)
        this.endpoint?.send(this.config.names[peer], this.wire.encode(frame))
      }
    }
  }

  private show(): void {
    // A pause may have come while the disk was waited for: nobody hears of a lease that is over.
    if (this.state.leader === this.me && this.overdueAt(this.clock.now()) !== undefined) {
      this.queue.push(() => undefined) // the deadline goes before it
      return
    }
    if (this.deadlines.length > 0) this.showDeadline()
    const { status, leader, term } = this.state
    const { shown } = this
    if (shown.leader !== leader || shown.term !== term || shown.status !== status) {
      this.shown = { status, leader, term }
      this.leadsWithoutLease = leader === this.me && this.deadlines.length === 0
      this.events.changed()
    }
    if (this.leadsWithoutLease) this.pulse()
  }

  private showDeadline(): void {
    if (this.state.leader !== this.me) return
    const { deadline } = this
    if (deadline === this.deadlineShown) return
    this.deadlineShown = deadline
    this.events.renewed(deadline)
  }

  private decode(payload: Json): Frame | null {
    try {
      return this.wire.decode(payload)
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      this.counters.malformed += 1
      return null
    }
  }
}
