/**
 * The simulator: discrete events in virtual time, everything from one seed. It runs the handlers of any
 * algorithm unchanged and knows none by name. Its parts: the context that all stand on, the outbox that
 * sends, the speed of the members, and their members; this file runs them, harms them and winds them back.
 */
import type { AnyMessage, AnyState } from '../core/algorithm.ts'
import { unreachable } from '../core/assert.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { NodeSet } from '../core/node-set.ts'
import type { Random } from '../core/random.ts'
import type { Schedule } from './queue/schedule.ts'
import { expectResignation, type SimConfig } from './config.ts'
import { Effects } from './members/effects.ts'
import { EventKind, type Detectors } from './queue/event-kinds.ts'
import type { Fault, InjectedFault, Resignation } from './faults/fault.ts'
import { WorldContext } from './world-context.ts'
import { Members } from './members/members.ts'
import { applyMessageFault } from './faults/message-faults.ts'
import { ModuleDetectors } from './detectors/module-detectors.ts'
import type { Monitors } from './record/monitors.ts'
import { MemberSpeed } from './members/speed.ts'
import { PerfectDetectors } from './detectors/perfect-detectors.ts'
import { Outbox } from './network/outbox.ts'
import type { Part, Recorder, Step } from './record/step.ts'
import type { MessageCounts } from './record/message-counts.ts'

/** Events between two calls of `onPulse`. */
const PULSE = 1 << 16

export class World {
  readonly config: SimConfig
  readonly group: Group
  readonly monitors: Monitors
  readonly messageCounts: MessageCounts
  readonly random: Random
  readonly states: AnyState[]
  /** What handlers are given. */
  readonly effects: Effects
  /** Events handled so far. */
  steps = 0
  /** Called now and then in a long run, so that somebody can show how far it is. */
  onPulse: () => void = () => undefined

  private readonly context: WorldContext
  private readonly schedule: Schedule
  private readonly outbox: Outbox
  private readonly speed: MemberSpeed
  private readonly detectors: Detectors
  private readonly members: Members
  private faultsLeft: number

  constructor(config: SimConfig) {
    const context = new WorldContext(config)
    this.config = config
    this.context = context
    this.schedule = context.schedule
    this.group = context.group
    this.monitors = context.monitors
    this.messageCounts = context.messageCounts
    this.random = context.random
    this.outbox = new Outbox(context)
    this.speed = new MemberSpeed(config.processingUs)
    this.detectors =
      config.detector === 'perfect'
        ? new PerfectDetectors(this)
        : new ModuleDetectors(this, config.detector)
    this.effects = new Effects(context, this.outbox, this.detectors)
    this.members = new Members(context, this.outbox, this.speed, this.detectors, this.effects)
    this.states = this.members.states
    this.faultsLeft = config.faults.length
    this.begin()
  }

  get now(): number {
    return this.schedule.now
  }

  /** Messages handled so far. */
  get deliveries(): number {
    return this.members.deliveries
  }

  get recorder(): Recorder | null {
    return this.context.recorder
  }

  set recorder(recorder: Recorder | null) {
    this.context.recorder = recorder
  }

  isUp(node: NodeId): boolean {
    return this.context.isUp(node)
  }

  incarnationOf(node: NodeId): number {
    return this.context.incarnation[node]
  }

  isPaused(node: NodeId): boolean {
    return this.speed.isPaused(node)
  }

  /** Nothing awaited is under way and no fault is to come: only periodic work can change anything. */
  get isQuiet(): boolean {
    return this.isIdle && this.faultsLeft === 0
  }

  /** Nothing awaited is under way. */
  private get isIdle(): boolean {
    return (
      this.outbox.inFlight === 0 &&
      this.effects.timers.awaited === 0 &&
      this.effects.requests.open === 0 &&
      this.detectors.awaited === 0 &&
      this.members.pendingStarts === 0
    )
  }

  // Running.

  /** Handles one event; false when there is none or a `stopAt` is reached. */
  step(): boolean {
    const { schedule } = this
    if (!schedule.take()) return false
    const { kind, node, a, b, payload } = schedule
    if (kind === EventKind.STOP) {
      // Once more around: a stop comes after everything of its microsecond.
      if (payload === this.steps) return false
      this.push(this.now, EventKind.STOP, NONE, 0, 0, this.steps)
      return this.step()
    }
    this.steps += 1
    if (this.steps % PULSE === 0) this.onPulse()
    if (kind === EventKind.FAULT) {
      this.faultsLeft -= 1
      this.fault(this.config.faults[a])
    } else if (this.speed.isEven || !this.keep(kind, node, a, b, payload)) {
      this.members.dispatch(kind, node, a, b, payload)
    }
    if (this.members.untouched !== null && this.isIdle) this.members.wakeUntouched()
    return true
  }

  /** Makes `step` return false once, when the clock gets there and nothing of that moment is left. */
  stopAt(time: number): void {
    this.push(Math.max(Math.ceil(time), this.now), EventKind.STOP, NONE, 0, 0, undefined)
  }

  /** Runs until the clock reads `time`; returns whether all was still meanwhile: nothing awaited, no news. */
  runUntil(time: number): boolean {
    const begun = this.now
    this.stopAt(time)
    let still = this.isQuiet
    while (this.step()) still &&= this.isQuiet
    return still && this.monitors.changedAt < begun
  }

  /** Runs until nothing is awaited and no belief has changed for a while, or until `limitUs`. */
  runUntilQuiet(limitUs: number): void {
    while (this.now < limitUs) {
      const still = this.runUntil(Math.min(limitUs, this.now + this.holdUs))
      if (still && this.now < limitUs) return
    }
  }

  /** Long enough for periodic work to find what is to be found, and for the detector to answer. */
  get holdUs(): number {
    const { periodMs, watchMs, messageMs } = this.config.timing
    return Math.ceil(1000 * (3 * periodMs + 2 * watchMs + 4 * messageMs))
  }

  // What detectors ask of their host.

  /** The member whose step this is. */
  get me(): NodeId {
    return this.effects.me
  }

  push(time: number, kind: number, node: NodeId, a: number, b: number, payload: unknown): void {
    this.schedule.push(time, kind, node, a, b, payload)
  }

  /** Sends a frame of either part. */
  emit(peer: NodeId, message: AnyMessage, part: Part): void {
    this.outbox.emit(this.effects.me, peer, message, part)
  }

  isWatching(me: NodeId, peer: NodeId): boolean {
    return this.effects.watches.has(me, peer)
  }

  requestSerial(me: NodeId, peer: NodeId): number {
    return this.effects.requests.serialOf(me, peer)
  }

  answered(me: NodeId, peer: NodeId, verdict: 'up' | 'down'): void {
    this.members.answered(me, peer, verdict)
  }

  detectorStep(step: Step, run: () => void): void {
    this.members.detectorStep(step, run)
  }

  // Faults.

  /** A fault happens now. */
  fault(fault: Fault): void {
    if (fault.kind === 'resign') return this.resign(fault)
    const node = 'node' in fault ? fault.node : NONE
    this.recorder?.step(this.now, { kind: 'fault', node, fault }, this.states[node] ?? null)
    this.apply(fault)
    this.recorder?.done(this.states[node] ?? null)
    if (fault.kind === 'resume' || fault.kind === 'crash') this.release(node)
    if ('place' in fault) applyMessageFault(this.schedule, this.outbox, this.context, fault)
  }

  private apply(fault: InjectedFault): void {
    const { network } = this.outbox
    switch (fault.kind) {
      case 'crash':
        return this.crash(fault.node)
      case 'recover':
        return this.recover(fault.node)
      case 'pause':
        if (this.isUp(fault.node)) this.speed.pause(fault.node)
        return
      case 'resume':
        return // what waited is released when the fault is over
      case 'slow':
        return this.speed.slowDown(fault.node, fault.us)
      case 'cut':
        return network.cut(fault.from, fault.to)
      case 'heal':
        return network.heal(fault.from, fault.to)
      case 'drop':
        return network.dropNext(fault.from, fault.to)
      case 'discard':
      case 'repeat':
      case 'delay':
        return // what is under way is touched when the fault is over
      default:
        return unreachable(fault)
    }
  }

  private crash(node: NodeId): void {
    if (!this.isUp(node)) return
    this.monitors.fall(node, this.now)
    this.context.incarnation[node] += 1
    this.members.end(node)
    this.effects.forget(node)
    this.speed.forget(node)
    this.detectors.crashed(node)
  }

  /** Announces itself, keeps silent until every announcement has arrived, then starts (B15). */
  private recover(node: NodeId): void {
    if (this.isUp(node)) return
    this.context.incarnation[node] += 1
    this.monitors.rise(node, this.now)
    this.members.silent[node] = 1
    this.effects.beginStep(node)
    this.detectors.recovered(node)
    this.detectors.begin(node, true)
    this.pushStart(node, this.now + Math.round(1000 * this.config.timing.messageMs))
  }

  private resign(fault: Resignation): void {
    expectResignation(this.config, fault)
    const { node, successor = NONE } = fault
    const incarnation = this.context.incarnation[node]
    if (this.keep(EventKind.RESIGN, node, successor, incarnation, undefined)) return
    this.members.dispatch(EventKind.RESIGN, node, successor, incarnation, undefined)
  }

  /** Keeps an event of a paused member for later; false where it happens now all the same. */
  private keep(kind: number, node: NodeId, a: number, b: number, payload: unknown): boolean {
    if (!this.speed.isPaused(node)) return false
    return this.speed.keep({ time: this.now, kind, node, a, b, payload })
  }

  /**
   * What waited for a paused member happens now, before anything else of this microsecond. After a crash
   * all of it is found to be of a life that has ended.
   */
  private release(node: NodeId): void {
    const { timers } = this.effects
    for (const { kind, a, b, payload } of this.speed.resume(node, (t) => timers.isDeadline(t))) {
      if (kind === EventKind.TIMER) timers.postpone(node, a, this.now)
      this.members.dispatch(kind, node, a, b, payload)
    }
  }

  // The beginning.

  private begin(): void {
    const { config, members } = this
    const down = new Set(config.down)
    const known = new NodeSet()
    for (const peer of config.knownDown) known.add(peer)
    for (const node of this.group.everyone) {
      if (config.initiators !== null) members.settle(node, known)
      if (down.has(node)) members.end(node)
      else this.monitors.rise(node, 0)
    }
    for (const node of this.group.everyone) {
      if (down.has(node)) continue
      this.effects.beginStep(node)
      this.detectors.begin(node, false)
      for (const peer of config.knownDown) this.detectors.knownDown(node, peer)
    }
    config.faults.forEach((fault, i) => this.push(fault.at, EventKind.FAULT, NONE, i, 0, undefined))
    if (config.initiators === null) {
      for (const node of this.group.everyone) if (!down.has(node)) this.pushStart(node, 0)
    } else this.tell(config.initiators, down)
  }

  private tell(initiators: readonly NodeId[], down: ReadonlySet<NodeId>): void {
    const { members, group, context } = this
    for (const node of group.everyone) {
      if (down.has(node)) continue
      const s = this.states[node]
      this.monitors.changed(node, s.leader, s.term, 0)
    }
    members.untouched = new Set([...group.everyone].filter((node) => !down.has(node)))
    for (const node of initiators) {
      if (this.config.algorithm.topology === 'ring') this.pushStart(node, 0)
      else {
        members.pendingStarts += 1
        this.push(0, EventKind.NOTICE, node, group.strongest, context.incarnation[node], undefined)
      }
    }
  }

  private pushStart(node: NodeId, time: number): void {
    this.members.pendingStarts += 1
    this.push(time, EventKind.START, node, 0, this.context.incarnation[node], undefined)
  }
}
