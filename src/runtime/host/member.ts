/**
 * The local member: passes events to the handlers of its algorithm and carries out their effects, within the steps of
 * its host; owns the links and the detector. It knows no algorithm by name.
 */
import { randomInt } from 'node:crypto'
import type { Cancel } from '../../clock/monotonic.ts'
import {
  canResign,
  handlersOf,
  type AnyHandlers,
  type AnyMessage,
  type AnyState,
  type IsOver,
  type Out,
} from '../../core/algorithm.ts'
import {
  bondIn,
  contentIn,
  type Change,
  type ChangeRefusal,
  type Configuration,
} from '../../core/configuration.ts'
import type { Timing } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { DetectorHost, type Verdict } from './detector-host.ts'
import type { HostConfig, PeerState } from './host-config.ts'
import { PeerLinks } from './peer-links.ts'
import { StartupWait } from './startup-wait.ts'
import { Rest, type RestingMember } from './rest.ts'
import type { StepQueue } from './step-queue.ts'
import { TermJumpGuard } from './term-jump-guard.ts'
import { Timers } from './timers.ts'
import type { Frame, HostFrame } from './wire.ts'

/** What the member reports to its host. */
interface MemberEvents {
  verdictChanged(peer: NodeId, verdict: Verdict): void
  connected(peer: NodeId): void
  unreachable(peer: NodeId, reason: string): void
  rejected(peer: NodeId, field: string, detail: string): void
  outdated(peer: NodeId, seen: number): void
  received(peer: NodeId, frame: HostFrame): void
  /** Where groups share connections (rest.ts): a leader asks, followers agree, and something ends it. */
  restAsked(leader: NodeId): boolean
  restAgreed(follower: NodeId): void
  woken(): void
}

/**
 * A process may restart its member without ending, so an incarnation of the member is the number of the process,
 * which the handshake shows, and the number of the restart. This is how many restarts a process has at most.
 */
const RESTARTS = 2 ** 20

/** In a large group a new member looks for most of its peers after this time for each of them: the group has a leader by then. */
const LATER_MS = 100

function processOf(incarnation: number): number {
  return Math.floor(incarnation / RESTARTS)
}

/** A member that is starting receives frames and takes no part yet. */
type Phase = 'off' | 'starting' | 'on'

export class LocalMember implements Out<AnyMessage>, RestingMember {
  readonly me: NodeId
  readonly timers: Timers<string>
  readonly rest: Rest
  readonly links: PeerLinks
  handlers: AnyHandlers
  state: AnyState
  private phase: Phase = 'off'
  private readonly detector: DetectorHost
  private readonly config: HostConfig
  private readonly steps: StepQueue
  private readonly events: MemberEvents
  private readonly termJumps: TermJumpGuard
  private readonly canResign: boolean
  private readonly deadlines: readonly string[]
  private cancelStart: Cancel = () => undefined
  private cancelSearch: Cancel = () => undefined
  private process = 0
  private restarts = 0
  private startupWait!: StartupWait

  constructor(config: HostConfig, steps: StepQueue, events: MemberEvents) {
    const { algorithm, group, options, clock } = config
    this.config = config
    this.steps = steps
    this.events = events
    this.me = config.me
    this.handlers = handlersOf(algorithm, group, options)
    this.termJumps = new TermJumpGuard(algorithm.messages, config.roles.size)
    this.canResign = canResign(algorithm, group, options)
    this.deadlines = Object.entries(algorithm.timers).flatMap(([name, timer]) =>
      timer.kind === 'period' && timer.deadline === true ? [name] : [],
    )
    this.links = new PeerLinks(config, steps, this)
    this.detector = new DetectorHost(config, steps, this)
    this.timers = new Timers(clock, (timer) => steps.run(() => this.fired(timer)))
    this.state = algorithm.state.init() as AnyState
    this.rest = new Rest(this)
  }

  get takesPart(): boolean {
    return this.phase === 'on'
  }

  // The configuration of the group.

  /** The configuration that this member has adopted; undefined where the algorithm cannot change it. */
  get configuration(): Configuration | undefined {
    return this.handlers.configuration?.(this.state)
  }

  changeRefusal(change: Change): ChangeRefusal {
    return this.handlers.changeRefusal?.(this.state, change, this.me) ?? 'not the leader'
  }

  change(change: Change): void {
    if (this.phase === 'on') this.handlers.change?.(this.state, change, this)
  }

  /** The host has adopted another configuration: the handlers are those of its group, the state stays. */
  reconfigure(): void {
    const { algorithm, group, options, roles } = this.config
    this.handlers = handlersOf(algorithm, group, options)
    this.termJumps.countMembers(roles.size)
    this.detector.reconfigure(group)
    this.links.reconfigure()
  }

  protocolOf(peer: NodeId): number | undefined {
    return this.links.protocolOf(peer)
  }

  get leads(): boolean {
    return this.state.leader === this.me
  }

  get address(): string {
    return this.links.address
  }

  get counters(): Readonly<Record<string, number>> {
    return this.links.counters
  }

  peerState(peer: NodeId): PeerState {
    return {
      verdict: this.detector.verdictOn(peer),
      lastReceivedAt: this.links.lastReceivedAt(peer),
      roundTripMs: this.links.roundTripMs(peer),
      trouble: this.links.troubleOf(peer),
    }
  }

  /** Asks the detector. While this member takes no part, all peers count as down. */
  inquire(peer: NodeId, resolve: (verdict: Verdict) => void): void {
    if (this.takesPart) this.detector.inquire(peer, resolve)
    else resolve('down')
  }

  // Rest, where groups share connections (rest.ts).

  get isIdle(): boolean {
    const { phase, links, detector } = this
    return phase === 'on' && links.sharesConnections && !links.hasOutgoing && detector.isIdle
  }

  get timing(): Timing {
    return this.config.group.timing
  }

  heardAt(peer: NodeId, moment: number): void {
    this.links.heardAt(peer, moment)
    this.detector.frameReceived(peer)
    this.detector.heard(peer)
  }

  at(moment: number, action: () => void): void {
    this.steps.at(moment, action)
  }

  later(ms: number, action: () => void): Cancel {
    return this.config.clock.after(ms, () => this.steps.run(action))
  }

  suspendTimers(): void {
    this.timers.suspend()
    this.detector.suspend()
  }

  resumeTimers(): void {
    this.timers.resume()
    this.detector.resume()
  }

  // Start and end of an incarnation.

  /** Throws what `listen` throws. */
  async open(process: number): Promise<void> {
    this.process = process
    this.termJumps.begin(this.state, this.config.algorithm.state)
    await this.links.open(process)
  }

  async close(): Promise<void> {
    await this.links.close()
  }

  startAfter(ms: number, recovered: boolean): void {
    this.cancelStart = this.later(ms, () => this.start(recovered))
  }

  /** Announces the member and dials its peers. An election without them would be lost, or won by the wrong one. */
  private start(recovered: boolean): void {
    const { group, algorithm, roles } = this.config
    this.phase = 'starting'
    const isComplete = algorithm.topology === 'complete'
    this.startupWait = new StartupWait(
      roles.size,
      group.timing,
      this.steps.now,
      recovered,
      isComplete,
    )
    this.detector.begin(recovered)
    if (isComplete) this.lookForPeers(recovered)
    this.continueStart()
  }

  /** A member that has run before may be needed by a group that runs. */
  private lookForPeers(recovered: boolean): void {
    const { group, roles } = this.config
    const peers = [...roles.keys()].filter((peer) => peer !== this.me)
    const all = recovered || group.looksForAll(this.me)
    for (const peer of peers) if (all || group.looksForAll(peer)) this.links.probe(peer)
    if (all) return
    this.cancelSearch = this.later(LATER_MS * roles.size, () =>
      peers.forEach((peer) => this.links.probe(peer)),
    )
  }

  private continueStart(): void {
    if (this.phase !== 'starting') return
    const { now } = this.steps
    const startsAt = this.startupWait.startsAt(now, this.links.connectedPeers.size + 1)
    if (startsAt <= now) return this.begin()
    this.cancelStart()
    this.cancelStart = this.later(startsAt - now, () => this.continueStart())
  }

  private begin(): void {
    this.cancelStart()
    this.phase = 'on'
    this.restarts += 1
    this.handlers.start(this.state, this)
  }

  /** Returns whether the algorithm supports resigning, and the leader has resigned. */
  resign(successor: NodeId): boolean {
    if (!this.canResign) return false
    this.handlers.resign(this.state, successor, this)
    return !this.leads
  }

  /** `remaining` is the state that a crash leaves. */
  end(remaining: AnyState): void {
    this.rest.wake()
    this.cancelStart()
    this.cancelSearch()
    this.phase = 'off'
    this.timers.clearAll()
    this.detector.end()
    this.state = remaining
  }

  // The lease.

  get hasLease(): boolean {
    return this.deadlines.length > 0
  }

  /** Until when this member may lead, on the monotonic clock: Infinity where the algorithm has no lease. */
  get deadline(): number {
    let earliest = Infinity
    for (const name of this.deadlines) earliest = Math.min(earliest, this.timers.dueOf(name))
    return earliest
  }

  /** Time has passed that the clock did not count. A lease includes it; a bond does not, and so lasts longer. */
  advanceDeadlines(ms: number): void {
    for (const name of this.deadlines) this.timers.advance(name, ms)
  }

  overdueAt(now: number): string | undefined {
    if (this.phase !== 'on') return undefined
    for (const name of this.deadlines) if (this.timers.dueOf(name) <= now) return name
    return undefined
  }

  fired(timer: string): void {
    const { steps } = this
    const lateMs = steps.now - this.timers.dueOf(timer)
    if (this.phase !== 'on' || !this.timers.take(timer, steps.now)) return
    if (this.deadlines.includes(timer)) steps.cause = { kind: 'deadline', lateMs }
    this.handlers.timeout(this.state, timer, this)
  }

  // The outbox of a step.

  sendFrame(peer: NodeId, frame: HostFrame): void {
    this.links.send(peer, frame)
  }

  announceLeaving(successor: NodeId): void {
    const { incarnation } = this
    const frame = { part: 'host', message: { type: 'leaving', successor, incarnation } } as const
    for (const peer of this.config.roles.keys()) {
      if (peer !== this.me) this.links.send(peer, frame)
    }
  }

  get hasOutgoing(): boolean {
    return this.links.hasOutgoing
  }

  flush(): void {
    this.links.flush()
  }

  discard(): void {
    this.links.discard()
  }

  // Events of the links.

  connected(peer: NodeId, evidence: 'connected' | 'restarted'): void {
    // The process that connects proves that those before it have ended, and nothing about itself.
    if (evidence === 'restarted') this.processesEnded(peer, this.links.processOf(peer) - 1)
    if (this.phase !== 'off') this.detector.evidence(peer, evidence)
    this.events.connected(peer)
    this.continueStart()
  }

  restAsked(leader: NodeId): boolean {
    return this.events.restAsked(leader)
  }

  restAgreed(follower: NodeId): void {
    this.events.restAgreed(follower)
  }

  woken(): void {
    this.events.woken()
  }

  unreachable(peer: NodeId, reason: string): void {
    this.events.unreachable(peer, reason)
  }

  rejected(peer: NodeId, field: string, detail: string): void {
    this.events.rejected(peer, field, detail)
  }

  outdated(peer: NodeId, seen: number): void {
    this.events.outdated(peer, seen)
  }

  received(from: NodeId, frame: Frame): void {
    if (frame.part === 'metadata') return this.events.received(from, frame)
    if (frame.part === 'host') {
      if (frame.message.type === 'leaving') this.peerLeaves(from, frame.message.incarnation)
      else this.events.received(from, frame)
      return
    }
    if (this.phase === 'off') return
    this.detector.frameReceived(from)
    if (frame.part === 'detector') this.detector.message(from, frame.message)
    else this.receivedMessage(from, frame.message)
  }

  private receivedMessage(from: NodeId, message: AnyMessage): void {
    if (this.phase === 'starting') {
      if (this.steps.now < this.startupWait.takesPartFrom) return
      this.begin() // its peers have begun
    }
    if (!this.isUsable(message) || this.termJumps.isTooFar(from, message)) {
      return this.links.refused()
    }
    this.detector.heard(from) // first, as in every host: duty 1 of src/core/host-contract.ts
    this.handlers.message(this.state, from, message, this)
  }

  private isUsable(message: AnyMessage): boolean {
    const { longestBondMs, accepts } = this.config
    const content = contentIn(message)
    return bondIn(message) <= longestBondMs && (content === undefined || accepts(content))
  }

  /** The peer's own announcement proves that this incarnation of it neither leads nor follows. */
  private peerLeaves(from: NodeId, incarnation: number): void {
    if (processOf(incarnation) < this.links.processOf(from)) return // a later process has connected
    this.detector.departs(from)
    if (this.phase !== 'on') return
    this.detector.setVerdict(from, 'down')
    this.provenDead(from, (ended) => ended <= incarnation)
    this.detector.answerDeparture(from)
  }

  /** The detector first: otherwise the algorithm requests a peer that the detector still reports as up. */
  lost(peer: NodeId, evidence: 'refused' | 'closed'): void {
    if (this.phase !== 'off') this.detector.evidence(peer, evidence)
    // A process listens while it runs: the last one that connected has ended.
    if (evidence === 'refused') this.processesEnded(peer, this.links.processOf(peer))
  }

  /** Evidence of the transport: the processes of the peer up to this one have ended. */
  private processesEnded(peer: NodeId, last: number): void {
    if (this.phase !== 'on' || !this.config.trustRefusals) return
    this.provenDead(peer, (incarnation) => processOf(incarnation) <= last)
  }

  private provenDead(peer: NodeId, ended: IsOver): void {
    const isOver: IsOver = (incarnation) => incarnation !== 0 && ended(incarnation)
    this.handlers.dead(this.state, peer, isOver, this)
  }

  // Events of the detector, and what it asks for.

  answered(peer: NodeId, verdict: Verdict): void {
    this.handlers[verdict](this.state, peer, this)
  }

  verdictChanged(peer: NodeId, verdict: Verdict): void {
    this.events.verdictChanged(peer, verdict)
  }

  sendDetectorMessage(peer: NodeId, message: AnyMessage): void {
    this.links.send(peer, { part: 'detector', message })
  }

  probe(peer: NodeId): void {
    this.links.probe(peer)
  }

  release(peer: NodeId): void {
    this.links.release(peer)
  }

  // Effects of the algorithm.

  get incarnation(): number {
    return this.process * RESTARTS + this.restarts
  }

  send(peer: NodeId, message: AnyMessage): void {
    this.links.send(peer, { part: 'election', message })
  }

  set(timer: string, minMs: number, maxMs = minMs): void {
    this.timers.set(timer, this.steps.now, minMs, maxMs)
  }

  clear(timer: string): void {
    this.timers.clear(timer)
  }

  request(peer: NodeId): void {
    this.detector.request(peer)
  }

  watch(peer: NodeId): void {
    this.detector.watch(peer)
  }

  unwatch(peer: NodeId): void {
    this.detector.unwatch(peer)
  }

  draw(name: string, n: number): void {
    const k = randomInt(n)
    this.steps.add(() => {
      if (this.phase === 'on') this.handlers.drawn(this.state, name, k, this)
    })
  }
}
