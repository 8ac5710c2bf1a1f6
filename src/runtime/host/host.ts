/**
 * Runs an algorithm and a detector for one member in real time: takes its steps, stores stable fields before messages
 * leave, keeps deadlines, resigns, and rejoins after a cool-off. Its duties in a step are numbered in
 * src/core/host-contract.ts; here an overdue deadline goes before every other step.
 *
 * The layers of the runtime. Calls go down and events go up, one layer at a time:
 *
 *   election       ../election.ts       the handle of a user: terms, work, views
 *   host           host.ts              steps: durable before sent, sent before shown
 *   member         member.ts            the handlers of the algorithm and their effects
 *   detector host  detector-host.ts     the handlers of the detector, beside
 *   peer links     peer-links.ts        the outbox and the frames
 *   transport      ../../transports     connections
 */
import { setImmediate } from '../../clock/native-timers.ts'
import type { AnyState } from '../../core/algorithm.ts'
import type { Change, ChangeRefusal, Configuration } from '../../core/configuration.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { Verdict } from './detector-host.ts'
import { DurableState } from './durable-state.ts'
import type { HostConfig, HostEvents, PeerState } from './host-config.ts'
import { LocalMember } from './member.ts'
import { OutdatedState } from './outdated-state.ts'
import { StallDetector } from './stall-detector.ts'
import { StepQueue } from './step-queue.ts'
import type { HostFrame } from './wire.ts'
import { WriteTimes } from './write-times.ts'

export class Host {
  private readonly config: HostConfig
  private readonly events: HostEvents
  private readonly steps: StepQueue
  private readonly member: LocalMember
  private readonly durable: DurableState
  private readonly stalls: StallDetector
  private readonly writes: WriteTimes
  private readonly outdatedState: OutdatedState
  private shown = { status: '', leader: NONE, term: -1 }
  private deadlineShown = Infinity
  private savesSoon = false
  private isClosed = false
  /** The configuration whose members and options are in use; empty: that of the options. */
  private adopted = ''
  private isReconfigured = false
  /** The step that runs leaves the member at rest. */
  private isQuiet = false

  constructor(config: HostConfig, events: HostEvents) {
    const { store, clock, longestStallMs } = config
    this.config = config
    this.events = events
    this.steps = new StepQueue(clock, this)
    this.member = new LocalMember(config, this.steps, this)
    this.durable = new DurableState(config)
    this.stalls = new StallDetector(clock, this.steps, longestStallMs)
    const { place = 'the store' } = store
    this.writes = new WriteTimes(clock, longestStallMs, place, (slow) => events.warned(slow))
    this.outdatedState = new OutdatedState(this.durable, place, config, {
      told: (error) => events.warned(error),
      beginAfter: (incarnation) => void this.beginAfter(incarnation),
    })
  }

  /** Begins an incarnation: restores the state, listens and starts. Throws StoreError and what `listen` throws. */
  async open(): Promise<void> {
    const { member, durable } = this
    const stored = this.config.store.read()
    member.state = await durable.begin(stored)
    await member.open(durable.incarnation)
    // In a step of its own: the caller can subscribe before a member that is alone wins.
    member.startAfter(0, stored !== null)
  }

  /** Ends the incarnation, which has no votes, and begins one that follows the one that peers have seen. */
  private async beginAfter(incarnation: number): Promise<void> {
    this.steps.add(() => this.end(null, Infinity))
    try {
      await this.member.close()
      if (this.isClosed) return
      this.durable.passOver(incarnation)
      await this.open()
      if (this.isClosed) await this.member.close()
    } catch (error) {
      this.events.failed(error as Error)
    }
  }

  /** Leaves for good. */
  async close(): Promise<void> {
    this.isClosed = true
    this.steps.run(() => this.save()) // what a step without messages has left for later
    this.steps.run(() => this.end(NONE, Infinity))
    await this.member.close()
    this.config.store.close()
  }

  get state(): AnyState {
    return this.member.state
  }

  get takesPart(): boolean {
    return this.member.takesPart
  }

  /** Until when this member may lead, on the monotonic clock: Infinity where the algorithm has no lease. */
  get deadline(): number {
    return this.member.deadline
  }

  /** Where this member listens. */
  get address(): string {
    return this.member.address
  }

  /** The slowest durable write lately. */
  get slowestWriteMs(): number {
    return this.writes.slowestMs
  }

  get counters(): Readonly<Record<string, number>> {
    return { steps: this.steps.taken, ...this.member.counters }
  }

  peerState(peer: NodeId): PeerState {
    if (!this.steps.isBusy) this.catchUp()
    return this.member.peerState(peer)
  }

  // The configuration of the group.

  /** The configuration that this member has adopted; undefined where the algorithm cannot change it. */
  get configuration(): Configuration | undefined {
    return this.member.configuration
  }

  /** Which rule would refuse the change now. */
  changeRefusal(change: Change): ChangeRefusal {
    return this.member.changeRefusal(change)
  }

  /** Asks the leader's algorithm to write a configuration. */
  change(change: Change): void {
    this.steps.run(() => this.member.change(change))
  }

  /** The version of the protocol that a peer speaks; undefined: it has not connected. */
  protocolOf(peer: NodeId): number | undefined {
    return this.member.protocolOf(peer)
  }

  /** Before the step is stored: members are stored by name, and messages leave to the members of the new configuration. */
  private adopt(): void {
    const data = this.member.configuration?.data ?? ''
    if (data === this.adopted) return
    const isOther = this.config.adopt(data)
    this.adopted = data
    if (!isOther) return
    this.member.reconfigure()
    this.isReconfigured = true
  }

  /** What could not be stored was not adopted: members and options are those of the state that is left. */
  private adoptStored(): void {
    try {
      this.adopt()
    } catch {
      // The first configuration, which a member that was added never knew: it has promised nothing under it.
    }
  }

  /** Asks the detector about a peer. */
  async inquire(peer: NodeId): Promise<Verdict> {
    return new Promise((resolve) => {
      this.steps.run(() => this.member.inquire(peer, resolve))
    })
  }

  send(peer: NodeId, frame: HostFrame): void {
    this.steps.run(() => this.member.sendFrame(peer, frame))
  }

  /** Lets an overdue deadline act now. Call it before any code of the user. */
  check(): void {
    const { member, steps } = this
    if (!member.leads || steps.isBusy) return
    this.catchUp()
    this.countLeap()
    const now = this.config.clock.now()
    if (this.stalls.isStalled(now) || member.overdueAt(now) !== undefined)
      steps.run(() => undefined)
    else steps.progressAt = now
  }

  /** Gives up leadership. Where the algorithm does not support resigning, the member restarts. */
  resign(successor: NodeId, coolOffMs: number): void {
    this.steps.run(() => {
      if (!this.member.takesPart) return
      if (!this.member.resign(successor)) this.end(successor, coolOffMs)
    })
  }

  /** Ends the incarnation as a crash would, which every algorithm allows, and starts again after `coolOffMs`. */
  restart(coolOffMs: number): void {
    this.steps.run(() => this.end(null, coolOffMs))
  }

  /** Announces that the member leaves, with a successor or NONE; null: leaves as in a crash. */
  private end(successor: NodeId | null, coolOffMs: number): void {
    this.stalls.stop()
    this.member.end(this.durable.afterCrash())
    this.adoptStored()
    if (successor !== null) this.member.announceLeaving(successor)
    if (coolOffMs < Infinity) this.member.startAfter(coolOffMs, true)
  }

  // Rest, where groups share connections (rest.ts).

  /** Takes note of the beats that stood for heartbeats, and rests on. */
  private catchUp(): void {
    if (this.member.rest.isOn) this.quietly(() => this.member.rest.catchUp())
  }

  /** Takes a step that leaves the member at rest; those that follow from it do not. */
  private quietly(action: () => void): void {
    this.isQuiet = true
    this.steps.run(action)
  }

  restAsked(leader: NodeId): boolean {
    const { member, steps } = this
    if (steps.isBusy || this.config.mayRest?.() === false) return false
    this.quietly(() => member.rest.follow(leader))
    return member.rest.isOn
  }

  restAgreed(follower: NodeId): void {
    if (this.steps.isBusy) return
    this.quietly(() => this.member.rest.agreed(follower))
  }

  woken(): void {
    if (this.member.rest.isBegun) this.steps.run(() => undefined)
  }

  private considerRest(): void {
    const { member, steps } = this
    if (!member.leads || !member.takesPart || this.config.mayRest?.() === false) return
    member.rest.consider(steps.now)
  }

  // Around a step.

  urgent(): (() => void) | undefined {
    const { member, steps, stalls } = this
    if (member.rest.isBegun && !this.isQuiet) return () => member.rest.wake()
    if (member.rest.isOn) return undefined // the deadlines are those of the beats, which this step takes note of
    this.countLeap()
    if (stalls.isStalled(steps.now)) {
      return () => {
        steps.cause = { kind: 'stall', lateMs: steps.now - steps.progressAt }
        this.end(null, 0)
      }
    }
    const timer = member.hasLease ? member.overdueAt(steps.now) : undefined
    return timer === undefined ? undefined : () => member.fired(timer)
  }

  /** A machine that was suspended, or a virtual machine that was paused, has a monotonic clock that was too. */
  private countLeap(): void {
    const leapMs = this.config.leaps.take()
    if (leapMs === 0) return
    this.member.advanceDeadlines(leapMs)
    this.steps.progressAt -= leapMs
  }

  commit(): void {
    const { member } = this
    this.adopt()
    const sends = member.hasOutgoing
    if (sends || member.leads) this.save()
    else if (this.isUnsaved) this.saveSoon()
    if (sends) member.flush()
    if (this.isReconfigured) {
      this.isReconfigured = false
      this.events.reconfigured()
    }
    this.show()
    if (!this.isQuiet) this.considerRest()
    this.isQuiet = false
  }

  private get isUnsaved(): boolean {
    return this.member.takesPart && this.durable.differsFrom(this.member.state)
  }

  private save(): void {
    if (this.isUnsaved) this.writes.measure(() => this.durable.save(this.member.state))
  }

  /** A step that sends nothing need not wait for the disk: no peer knows of it yet. */
  private saveSoon(): void {
    if (this.savesSoon) return
    this.savesSoon = true
    setImmediate(() => {
      this.savesSoon = false
      this.steps.run(() => this.save())
    })
  }

  /** Nothing of an unfinished step may leave: the member continues as after a crash. */
  failed(error: Error): void {
    const { detectionMs } = this.config.group.timing
    this.isQuiet = false
    this.member.discard()
    this.steps.cause = { kind: 'failure', lateMs: 0 }
    this.end(null, detectionMs * (1 + Math.random()))
    this.show()
    this.events.failed(error)
  }

  private show(): void {
    const { member, steps, stalls, shown } = this
    // The process may have paused while the store was written: a lease that is over must not be shown.
    this.countLeap()
    if (member.leads && member.overdueAt(this.config.clock.now()) !== undefined) {
      steps.add(() => undefined) // the deadline goes before it
      return
    }
    if (member.hasLease && member.leads) this.showDeadline()
    const { status, leader, term } = member.state
    if (shown.leader !== leader || shown.term !== term || shown.status !== status) {
      this.shown = { status, leader, term }
      stalls.isNeeded = member.leads && !member.hasLease
      this.events.changed(steps.cause)
    }
    if (stalls.isNeeded) stalls.scheduleStep(member.timers)
  }

  private showDeadline(): void {
    const { deadline } = this.member
    if (deadline === this.deadlineShown) return
    this.deadlineShown = deadline
    this.events.renewed(deadline)
  }

  // Events of the member.

  verdictChanged(peer: NodeId, verdict: Verdict): void {
    this.events.verdictChanged(peer, verdict)
  }

  connected(peer: NodeId): void {
    this.outdatedState.connected(peer)
    this.events.connected(peer)
  }

  unreachable(peer: NodeId, reason: string): void {
    this.events.unreachable(peer, reason)
  }

  rejected(peer: NodeId, field: string, detail: string): void {
    this.events.rejected(peer, field, detail)
  }

  outdated(peer: NodeId, seen: number): void {
    this.outdatedState.rejected(this.member.state, peer, seen)
  }

  received(peer: NodeId, frame: HostFrame): void {
    this.events.received(peer, frame)
  }
}
