/** Runs a detector module, such as `ping`, for every member of a world: its steps, timers, messages and verdicts. */
import type { AnyMessage } from '../../core/algorithm.ts'
import { assert } from '../../core/assert.ts'
import { detectorHandlersOf } from '../../core/detector.ts'
import type { AnyDetectorHandlers, Detector, DetectorOut } from '../../core/detector.ts'
import type { NodeId } from '../../core/node-id.ts'
import { EventKind } from '../queue/event-kinds.ts'
import type { World } from '../world/world.ts'

type State = Record<string, unknown>

/** The interface through which a world runs the failure detectors of all its members. */
export type Detectors = Omit<ModuleDetectors, keyof DetectorOut<AnyMessage>>

export class ModuleDetectors implements DetectorOut<AnyMessage> {
  private readonly world: World
  private readonly module: Detector
  private readonly handlers: AnyDetectorHandlers
  private readonly timerNames: readonly string[]
  private readonly states: State[]
  /** For each member the serials of its armed timers, by timer and peer. */
  private readonly armed: (Map<number, number> | undefined)[]
  private serial = 0
  /** Pairs of a watcher and a peer that is down, until the watcher gets its verdict. */
  private readonly due = new Set<number>()

  constructor(world: World, module: Detector) {
    this.world = world
    this.module = module
    this.handlers = detectorHandlersOf(module, world.group)
    this.timerNames = Object.keys(module.timers)
    this.states = Array.from({ length: world.config.members + 1 }, () => module.state.init())
    this.armed = new Array<Map<number, number> | undefined>(world.config.members + 1)
  }

  /** Verdicts that are still to come; a run is not quiet before they are out. */
  get awaited(): number {
    return this.due.size
  }

  get me(): NodeId {
    return this.world.effects.me
  }

  begin(node: NodeId, recovered: boolean): void {
    this.handlers.start(this.states[node], recovered, this)
  }

  crashed(node: NodeId): void {
    this.states[node] = this.module.state.afterCrash(this.states[node])
    this.armed[node] = undefined
    const members = this.world.config.members + 1
    for (const pair of this.due) if (Math.floor(pair / members) === node) this.due.delete(pair)
    for (const me of this.world.group.everyone) {
      if (this.world.effects.watches.has(me, node)) this.due.add(this.keyOf(me, node))
    }
  }

  recovered(node: NodeId): void {
    const members = this.world.config.members + 1
    for (const pair of this.due) if (pair % members === node) this.due.delete(pair)
  }

  request(me: NodeId, peer: NodeId, _serial: number): void {
    this.handlers.request(this.states[me], peer, this)
  }

  watch(me: NodeId, peer: NodeId): void {
    if (!this.world.isUp(peer)) this.due.add(this.keyOf(me, peer))
    this.handlers.watch(this.states[me], peer, this)
  }

  unwatch(me: NodeId, peer: NodeId): void {
    this.due.delete(this.keyOf(me, peer))
    this.handlers.unwatch(this.states[me], peer, this)
  }

  knownDown(me: NodeId, peer: NodeId): void {
    this.handlers.knownDown(this.states[me], peer)
  }

  heard(me: NodeId, from: NodeId): void {
    this.handlers.heard(this.states[me], from, this)
  }

  /** The transport has shown that a process of the peer has ended: nothing listens there, or another process does. */
  ended(me: NodeId, peer: NodeId): void {
    const evidence = this.world.isUp(peer) ? 'restarted' : 'refused'
    this.handlers.evidence(this.states[me], peer, evidence, this)
  }

  message(me: NodeId, from: NodeId, message: AnyMessage): void {
    this.handlers.message(this.states[me], from, message, this)
  }

  /** A verdict counts if it answers the latest request, or ends a watch. */
  answer(me: NodeId, peer: NodeId, serial: number, verdict: unknown): void {
    const { world } = this
    const requested = serial !== 0 && world.effects.requests.serialOf(me, peer) === serial
    if (!requested && !(verdict === 'down' && world.effects.watches.has(me, peer))) return
    if (verdict === 'down') this.due.delete(this.keyOf(me, peer))
    world.members.answered(me, peer, verdict as 'up' | 'down')
  }

  timeout(me: NodeId, timer: number, peer: NodeId, serial: number): void {
    const key = this.keyOf(timer, peer)
    if (this.armed[me]?.get(key) !== serial) return
    this.armed[me].delete(key)
    const name = this.timerNames[timer]
    this.world.members.detectorStep(
      { kind: 'timeout', node: me, part: 'detector', timer: name, peer },
      () => this.handlers.timeout(this.states[me], name, peer, this),
    )
  }

  send(peer: NodeId, message: AnyMessage): void {
    this.world.outbox.emit(this.me, peer, message, 'detector')
  }

  set(timer: string, peer: NodeId, minMs: number, maxMs = minMs): void {
    const { world } = this
    const span = maxMs > minMs ? world.random.below(Math.round(1000 * (maxMs - minMs)) + 1) : 0
    const due = world.now + world.elapsed(this.me, Math.round(1000 * minMs) + span)
    const index = this.indexOf(timer)
    const armed = (this.armed[this.me] ??= new Map<number, number>())
    this.serial += 1
    armed.set(this.keyOf(index, peer), this.serial)
    world.schedule.push(due, EventKind.DETECTOR_TIMER, this.me, index, this.serial, peer)
  }

  clear(timer: string, peer: NodeId): void {
    this.armed[this.me]?.delete(this.keyOf(this.indexOf(timer), peer))
  }

  up(peer: NodeId): void {
    this.report(peer, 'up')
  }

  down(peer: NodeId): void {
    this.report(peer, 'down')
  }

  /** The election gets the verdict in a step of its own: handlers never re-enter. */
  private report(peer: NodeId, verdict: 'up' | 'down'): void {
    const serial = this.world.effects.requests.serialOf(this.me, peer)
    this.world.schedule.push(this.world.now, EventKind.ANSWER, this.me, peer, serial, verdict)
  }

  private indexOf(timer: string): number {
    const index = this.timerNames.indexOf(timer)
    assert(index >= 0, `no timer of the detector is called ${timer}`)
    return index
  }
  /** The key of a timer or a member, with a peer. */
  private keyOf(first: number, peer: NodeId): number {
    return first * (this.world.config.members + 1) + peer
  }
}
