/** The world: simulates a group by discrete events in virtual time, from one seed, and hands each event to its part. */
import type { AnyState } from '../../core/algorithm.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { refuseImpossibleFaults, type SimConfig } from '../config.ts'
import { ModuleDetectors, type Detectors } from '../detectors/module-detectors.ts'
import { PerfectDetectors } from '../detectors/perfect-detectors.ts'
import type { Fault } from '../faults/fault-catalogue.ts'
import type { ChangeRequest } from '../faults/change-requests.ts'
import { FaultInjector } from '../faults/fault-injector.ts'
import { Configurations } from '../members/configurations.ts'
import { Disks } from '../members/disks.ts'
import { Effects } from '../members/effects.ts'
import { Members } from '../members/members.ts'
import { MemberSpeed } from '../members/speed.ts'
import { Outbox } from '../network/outbox.ts'
import { EventKind } from '../queue/event-kinds.ts'
import { startWorld } from './start-world.ts'
import { WorldContext } from './world-context.ts'

const PROGRESS_EVENTS = 1 << 16

export class World extends WorldContext {
  readonly states: AnyState[]
  readonly effects: Effects
  readonly members: Members
  readonly outbox: Outbox
  steps = 0
  onProgress: () => void = () => undefined

  readonly speed: MemberSpeed
  readonly detectors: Detectors
  readonly disks: Disks
  readonly configurations: Configurations
  /** Requests to change the configuration that are to be repeated. */
  requestsLeft = 0
  private readonly injector: FaultInjector
  private faultsLeft: number

  constructor(config: SimConfig) {
    super(config)
    this.outbox = new Outbox(this)
    this.monitors.reaches = (from, to) => !this.outbox.network.isCut(from, to)
    this.speed = new MemberSpeed(config.processingUs)
    this.detectors =
      config.detector === 'perfect'
        ? new PerfectDetectors(this)
        : new ModuleDetectors(this, config.detector)
    this.effects = new Effects(this, this.outbox, this.detectors)
    this.states = initialStates(config)
    this.disks = new Disks(config.algorithm.state, this.random, this.states)
    this.members = new Members(this)
    this.configurations = new Configurations(this)
    this.injector = new FaultInjector(this)
    this.faultsLeft = config.faults.length
    startWorld(this)
  }

  isPaused(node: NodeId): boolean {
    return this.speed.isPaused(node)
  }

  /** No awaited message, answer or start is outstanding and no fault is to come. */
  get isQuiet(): boolean {
    return this.isIdle && this.faultsLeft === 0 && this.requestsLeft === 0
  }

  private get isIdle(): boolean {
    return (
      this.outbox.inFlight === 0 &&
      this.effects.timers.awaited === 0 &&
      this.effects.requests.open === 0 &&
      this.detectors.awaited === 0 &&
      this.members.pendingStarts === 0 &&
      !this.speed.isWriting
    )
  }

  /** Handles one event; returns false when there is none or a `stopAt` is reached. */
  step(): boolean {
    const { schedule } = this
    if (!schedule.take()) return false
    const { kind, node, a, b, payload } = schedule
    if (kind === EventKind.STOP) {
      // Queued again behind the other events of its microsecond, until there were none.
      if (payload === this.steps) return false
      schedule.push(this.now, EventKind.STOP, NONE, 0, 0, this.steps)
      return this.step()
    }
    this.steps += 1
    if (this.steps % PROGRESS_EVENTS === 0) this.onProgress()
    if (kind === EventKind.FAULT) {
      this.faultsLeft -= 1
      this.injector.inject(this.config.faults[a])
    } else if (kind === EventKind.ASK) {
      this.requestsLeft -= 1
      this.injector.requests.ask(payload as ChangeRequest, a)
    } else if (this.speed.isImmediate || !this.defer(kind, node, a, b, payload)) {
      this.members.dispatch(kind, node, a, b, payload)
    }
    if (this.members.waitingSettled !== null && this.isIdle) this.members.startPeriodicWork()
    return true
  }

  /** Makes `step` return false once, after the last event of that time. */
  stopAt(time: number): void {
    const at = Math.max(Math.ceil(time), this.now)
    this.schedule.push(at, EventKind.STOP, NONE, 0, 0, undefined)
  }

  /**
   * Runs until the clock reads `time`; returns whether the run was quiet, no belief changed, and all that had been sent
   * before has arrived: a late message holds up those behind it on its link, and a member has heard nothing meanwhile.
   */
  runUntil(time: number): boolean {
    const begun = this.now
    const { lastArrival } = this.outbox
    this.stopAt(time)
    let quiet = this.isQuiet
    while (this.step()) quiet &&= this.isQuiet
    return quiet && this.monitors.changedAt < begun && lastArrival <= time
  }

  runUntilQuiet(limitUs: number): void {
    while (this.now < limitUs) {
      const quiet = this.runUntil(Math.min(limitUs, this.now + this.holdUs))
      if (quiet && this.now < limitUs) return
    }
  }

  /** Long enough for periodic work to discover every remaining disagreement, and for the detector to answer. */
  get holdUs(): number {
    const { watchMs, messageMs } = this.config.timing
    const { periodMs } = this.configurations
    return Math.ceil(1000 * (3 * periodMs + 2 * watchMs + 4 * messageMs))
  }

  inject(fault: Fault): void {
    refuseImpossibleFaults(this.config, [fault])
    this.configurations.meet(fault)
    this.injector.inject(fault)
  }

  private defer(kind: number, node: NodeId, a: number, b: number, payload: unknown): boolean {
    if (!this.speed.isHeld(node)) return false
    return this.speed.defer({ time: this.now, kind, node, a, b, payload })
  }
}

function initialStates({ algorithm, members }: SimConfig): AnyState[] {
  const states: AnyState[] = [undefined as never]
  for (let i = 1; i <= members; i++) states.push(algorithm.state.init() as AnyState)
  return states
}
