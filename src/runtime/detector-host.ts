/** Runs a detector module beside the election of one member. */
import type { AnyMessage } from '../core/algorithm.ts'
import type { AnyDetectorHandlers, Detector, DetectorOut, Evidence } from '../core/detector.ts'
import type { NodeId } from '../core/node-id.ts'
import { Alarms } from './alarms.ts'
import type { Clock } from './clock.ts'

/** What it needs of the host. */
interface Election {
  readonly me: NodeId
  readonly clock: Clock
  /** When the step that runs began. */
  readonly now: number
  step(action: () => void): void
  emit(peer: NodeId, message: AnyMessage): void
  spoken(peer: NodeId, verdict: 'up' | 'down'): void
}

export class DetectorHost implements DetectorOut<AnyMessage> {
  private readonly module: Detector
  private readonly handlers: AnyDetectorHandlers
  private readonly election: Election
  private readonly alarms: Alarms<number>
  private readonly timers: readonly string[]
  private state: Record<string, unknown>

  constructor(module: Detector, handlers: AnyDetectorHandlers, election: Election) {
    this.module = module
    this.handlers = handlers
    this.election = election
    this.state = module.state.init()
    this.timers = Object.keys(module.timers)
    this.alarms = new Alarms(election.clock, (key) => election.step(() => this.rang(key)))
  }

  get me(): NodeId {
    return this.election.me
  }

  begin(recovered: boolean): void {
    this.handlers.start(this.state, recovered, this)
  }

  end(): void {
    this.alarms.clearAll()
    this.state = this.module.state.afterCrash(this.state)
  }

  request(peer: NodeId): void {
    this.handlers.request(this.state, peer, this)
  }

  watch(peer: NodeId): void {
    this.handlers.watch(this.state, peer, this)
  }

  unwatch(peer: NodeId): void {
    this.handlers.unwatch(this.state, peer, this)
  }

  message(from: NodeId, message: AnyMessage): void {
    this.handlers.message(this.state, from, message, this)
  }

  heard(from: NodeId): void {
    this.handlers.heard(this.state, from, this)
  }

  evidence(peer: NodeId, evidence: Evidence): void {
    this.handlers.evidence(this.state, peer, evidence, this)
  }

  // What the module asks for.

  send(peer: NodeId, message: AnyMessage): void {
    this.election.emit(peer, message)
  }

  set(timer: string, peer: NodeId, minMs: number, maxMs = minMs): void {
    this.alarms.set(this.keyOf(timer, peer), this.election.now, minMs, maxMs)
  }

  clear(timer: string, peer: NodeId): void {
    this.alarms.clear(this.keyOf(timer, peer))
  }

  up(peer: NodeId): void {
    this.election.spoken(peer, 'up')
  }

  down(peer: NodeId): void {
    this.election.spoken(peer, 'down')
  }

  private rang(key: number): void {
    if (!this.alarms.take(key, this.election.now)) return
    const { length } = this.timers
    this.handlers.timeout(this.state, this.timers[key % length], Math.floor(key / length), this)
  }

  private keyOf(timer: string, peer: NodeId): number {
    return peer * this.timers.length + this.timers.indexOf(timer)
  }
}
