/**
 * The simulator: discrete events in virtual time, everything from one seed. It runs the handlers of any
 * algorithm unchanged and knows none by name. Its parts: the context that all stand on, the outbox that
 * sends, the speed of the members, and their members; this file runs them, harms them and winds them back.
 */
import type { AnyMessage, AnyState } from '../../core/algorithm.ts'
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { Random } from '../../core/random.ts'
import type { Schedule } from '../queue/schedule.ts'
import type { SimConfig } from '../config.ts'
import { Effects } from '../members/effects.ts'
import type { Detectors } from '../detectors/detectors.ts'
import { EventKind } from '../queue/event-kinds.ts'
import type { Fault } from '../faults/fault-catalogue.ts'
import { FaultInjector } from '../faults/fault-injector.ts'
import { startWorld } from './start-world.ts'
import { WorldContext } from './world-context.ts'
import { Members } from '../members/members.ts'
import { ModuleDetectors } from '../detectors/module-detectors.ts'
import type { Monitors } from '../record/monitors.ts'
import { MemberSpeed } from '../members/speed.ts'
import { PerfectDetectors } from '../detectors/perfect-detectors.ts'
import { Outbox } from '../network/outbox.ts'
import type { Part, Recorder, Step } from '../record/step.ts'
import type { MessageCounts } from '../record/message-counts.ts'

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
  private readonly injector: FaultInjector
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
    this.injector = new FaultInjector(
      context,
      this.outbox,
      this.speed,
      this.members,
      this.detectors,
      this.effects,
    )
    this.faultsLeft = config.faults.length
    startWorld(context, this.members, this.detectors, this.effects)
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
      this.injector.inject(this.config.faults[a])
    } else if (this.speed.isImmediate || !this.defer(kind, node, a, b, payload)) {
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

  /** Carries out a fault now. */
  inject(fault: Fault): void {
    this.injector.inject(fault)
  }

  /** Defers an event of a paused member; returns false where the event takes place in spite of the pause. */
  private defer(kind: number, node: NodeId, a: number, b: number, payload: unknown): boolean {
    if (!this.speed.isPaused(node)) return false
    return this.speed.defer({ time: this.now, kind, node, a, b, payload })
  }
}
