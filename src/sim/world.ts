/**
 * The simulator: discrete events in virtual time, everything from one seed. It runs the handlers of any
 * algorithm unchanged and knows none by name. Its parts: the ground that all stand on, the post that
 * sends, the pace of the members, and their lives; this file runs them, harms them and winds them back.
 */
import type { AnyMessage, AnyState } from '../core/algorithm.ts'
import { unreachable } from '../core/assert.ts'
import type { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { NodeSet } from '../core/node-set.ts'
import type { Random } from '../core/random.ts'
import type { Agenda, Event } from './queue/schedule.ts'
import { expectResignation, type SimConfig } from './config.ts'
import { Effects } from './members/effects.ts'
import { Kind, type DetectorHost } from './queue/event-kinds.ts'
import type { Fault, Harm, Resign } from './faults/fault.ts'
import { Ground } from './world-context.ts'
import { Lives } from './members/members.ts'
import { meddle } from './faults/message-faults.ts'
import { ModuleDetectors } from './detectors/module-detectors.ts'
import type { Monitors } from './record/monitors.ts'
import { Pace } from './members/speed.ts'
import { PerfectDetectors } from './detectors/perfect-detectors.ts'
import { Post } from './network/outbox.ts'
import type { Part, Recorder, Step } from './record/step.ts'
import type { Tally } from './record/message-counts.ts'

/** Events between two calls of `onPulse`. */
const PULSE = 1 << 16

export class World {
  readonly config: SimConfig
  readonly group: Group
  readonly monitors: Monitors
  readonly tally: Tally
  readonly random: Random
  readonly states: AnyState[]
  /** What handlers are given. */
  readonly effects: Effects
  /** Events handled so far. */
  steps = 0
  /** Called now and then in a long run, so that somebody can show how far it is. */
  onPulse: () => void = () => undefined

  private readonly ground: Ground
  private readonly agenda: Agenda
  private readonly post: Post
  private readonly pace: Pace
  private readonly detectors: DetectorHost
  private readonly lives: Lives
  private faultsLeft: number

  constructor(config: SimConfig) {
    const ground = new Ground(config)
    this.config = config
    this.ground = ground
    this.agenda = ground.agenda
    this.group = ground.group
    this.monitors = ground.monitors
    this.tally = ground.tally
    this.random = ground.random
    this.post = new Post(ground)
    this.pace = new Pace(config.processingUs)
    this.detectors =
      config.detector === 'perfect'
        ? new PerfectDetectors(this)
        : new ModuleDetectors(this, config.detector)
    this.effects = new Effects(ground, this.post, this.detectors)
    this.lives = new Lives(ground, this.post, this.pace, this.detectors, this.effects)
    this.states = this.lives.states
    this.faultsLeft = config.faults.length
    this.begin()
  }

  get now(): number {
    return this.agenda.now
  }

  /** Messages handled so far. */
  get deliveries(): number {
    return this.lives.deliveries
  }

  get recorder(): Recorder | null {
    return this.ground.recorder
  }

  set recorder(recorder: Recorder | null) {
    this.ground.recorder = recorder
  }

  isUp(node: NodeId): boolean {
    return this.ground.isUp(node)
  }

  incarnationOf(node: NodeId): number {
    return this.ground.incarnation[node]
  }

  isPaused(node: NodeId): boolean {
    return this.pace.isPaused(node)
  }

  /** Nothing awaited is under way and no fault is to come: only periodic work can change anything. */
  get isQuiet(): boolean {
    return this.isIdle && this.faultsLeft === 0
  }

  /** Nothing awaited is under way. */
  private get isIdle(): boolean {
    return (
      this.post.inFlight === 0 &&
      this.effects.timers.awaited === 0 &&
      this.effects.requests.open === 0 &&
      this.detectors.awaited === 0 &&
      this.lives.pendingStarts === 0
    )
  }

  // Running.

  /** Handles one event; false when there is none or a `stopAt` is reached. */
  step(): boolean {
    const { agenda } = this
    if (!agenda.take()) return false
    const { kind, node, a, b, payload } = agenda
    if (kind === Kind.STOP) {
      // Once more around: a stop comes after everything of its microsecond.
      if (payload === this.steps) return false
      this.push(this.now, Kind.STOP, NONE, 0, 0, this.steps)
      return this.step()
    }
    this.steps += 1
    if (this.steps % PULSE === 0) this.onPulse()
    if (kind === Kind.FAULT) {
      this.faultsLeft -= 1
      this.fault(this.config.faults[a])
    } else if (this.pace.isEven || !this.keep(kind, node, a, b, payload)) {
      this.lives.dispatch(kind, node, a, b, payload)
    }
    if (this.lives.untouched !== null && this.isIdle) this.lives.wakeUntouched()
    return true
  }

  /** Makes `step` return false once, when the clock gets there and nothing of that moment is left. */
  stopAt(time: number): void {
    this.push(Math.max(Math.ceil(time), this.now), Kind.STOP, NONE, 0, 0, undefined)
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
    this.agenda.push(time, kind, node, a, b, payload)
  }

  /** Sends a frame of either part. */
  emit(peer: NodeId, message: AnyMessage, part: Part): void {
    this.post.emit(this.effects.me, peer, message, part)
  }

  isWatching(me: NodeId, peer: NodeId): boolean {
    return this.effects.watches.has(me, peer)
  }

  requestSerial(me: NodeId, peer: NodeId): number {
    return this.effects.requests.serialOf(me, peer)
  }

  answered(me: NodeId, peer: NodeId, verdict: 'up' | 'down'): void {
    this.lives.answered(me, peer, verdict)
  }

  detectorStep(step: Step, run: () => void): void {
    this.lives.detectorStep(step, run)
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
    if ('place' in fault) meddle(this.agenda, this.post, this.ground, fault)
  }

  private apply(fault: Harm): void {
    const { wires } = this.post
    switch (fault.kind) {
      case 'crash':
        return this.crash(fault.node)
      case 'recover':
        return this.recover(fault.node)
      case 'pause':
        if (this.isUp(fault.node)) this.pace.pause(fault.node)
        return
      case 'resume':
        return // what waited is released when the fault is over
      case 'slow':
        return this.pace.slowDown(fault.node, fault.us)
      case 'cut':
        return wires.cut(fault.from, fault.to)
      case 'heal':
        return wires.heal(fault.from, fault.to)
      case 'drop':
        return wires.dropNext(fault.from, fault.to)
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
    this.ground.incarnation[node] += 1
    this.lives.end(node)
    this.effects.forget(node)
    this.pace.forget(node)
    this.detectors.crashed(node)
  }

  /** Announces itself, keeps silent until every announcement has arrived, then starts (B15). */
  private recover(node: NodeId): void {
    if (this.isUp(node)) return
    this.ground.incarnation[node] += 1
    this.monitors.rise(node, this.now)
    this.lives.silent[node] = 1
    this.effects.beginStep(node)
    this.detectors.recovered(node)
    this.detectors.begin(node, true)
    this.pushStart(node, this.now + Math.round(1000 * this.config.timing.messageMs))
  }

  private resign(fault: Resign): void {
    expectResignation(this.config, fault)
    const { node, successor = NONE } = fault
    const incarnation = this.ground.incarnation[node]
    if (this.keep(Kind.RESIGN, node, successor, incarnation, undefined)) return
    this.lives.dispatch(Kind.RESIGN, node, successor, incarnation, undefined)
  }

  /** Keeps an event of a paused member for later; false where it happens now all the same. */
  private keep(kind: number, node: NodeId, a: number, b: number, payload: unknown): boolean {
    if (!this.pace.isPaused(node)) return false
    return this.pace.keep({ time: this.now, kind, node, a, b, payload })
  }

  /**
   * What waited for a paused member happens now, before anything else of this microsecond. After a crash
   * all of it is found to be of a life that has ended.
   */
  private release(node: NodeId): void {
    for (const { kind, a, b, payload } of this.pace.resume(node)) {
      if (kind === Kind.TIMER) this.effects.timers.postpone(node, a, this.now)
      this.lives.dispatch(kind, node, a, b, payload)
    }
  }

  // The beginning.

  private begin(): void {
    const { config, lives } = this
    const down = new Set(config.down)
    const known = new NodeSet()
    for (const peer of config.knownDown) known.add(peer)
    for (const node of this.group.everyone) {
      if (config.initiators !== null) lives.settle(node, known)
      if (down.has(node)) lives.end(node)
      else this.monitors.rise(node, 0)
    }
    for (const node of this.group.everyone) {
      if (down.has(node)) continue
      this.effects.beginStep(node)
      this.detectors.begin(node, false)
      for (const peer of config.knownDown) this.detectors.knownDown(node, peer)
    }
    config.faults.forEach((fault, i) => this.push(fault.at, Kind.FAULT, NONE, i, 0, undefined))
    if (config.initiators === null) {
      for (const node of this.group.everyone) if (!down.has(node)) this.pushStart(node, 0)
    } else this.tell(config.initiators, down)
  }

  private tell(initiators: readonly NodeId[], down: ReadonlySet<NodeId>): void {
    const { lives, group, ground } = this
    for (const node of group.everyone) {
      if (down.has(node)) continue
      const s = this.states[node]
      this.monitors.changed(node, s.leader, s.term, 0)
    }
    lives.untouched = new Set([...group.everyone].filter((node) => !down.has(node)))
    for (const node of initiators) {
      if (this.config.algorithm.topology === 'ring') this.pushStart(node, 0)
      else {
        lives.pendingStarts += 1
        this.push(0, Kind.NOTICE, node, group.strongest, ground.incarnation[node], undefined)
      }
    }
  }

  private pushStart(node: NodeId, time: number): void {
    this.lives.pendingStarts += 1
    this.push(time, Kind.START, node, 0, this.ground.incarnation[node], undefined)
  }

  // Snapshots: step back = load an earlier one and run forward again.

  save(): Snapshot {
    const { agenda } = this
    return {
      now: this.now,
      // A stop belongs to the host that asked for it.
      events: agenda.pending().filter(({ kind }) => kind !== Kind.STOP),
      parts: this.parts.map((part) => part.save()),
      incarnation: this.ground.incarnation.slice(),
      counts: [this.steps, this.faultsLeft],
    }
  }

  load(saved: Snapshot): void {
    this.agenda.load(saved.now, saved.events)
    this.parts.forEach((part, i) => part.load(saved.parts[i]))
    this.ground.incarnation.set(saved.incarnation)
    ;[this.steps, this.faultsLeft] = saved.counts
  }

  private get parts(): { save(): unknown; load(saved: unknown): void }[] {
    const { monitors, tally, random, post, pace, detectors, lives } = this
    const { timers, requests, watches } = this.effects
    return [monitors, tally, random, post, pace, timers, requests, watches, detectors, lives]
  }
}

/** A world at a moment. Belongs to the world that made it, and to no other configuration. */
export interface Snapshot {
  readonly now: number
  readonly events: readonly Event[]
  readonly parts: readonly unknown[]
  readonly incarnation: Int32Array
  readonly counts: readonly [steps: number, faultsLeft: number]
}
